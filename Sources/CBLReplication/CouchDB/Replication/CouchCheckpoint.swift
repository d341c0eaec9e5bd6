import CBLBase
import CBLFleece
import CBLStore

/// What a checkpoint's name is made of, as 1.x makes it.
struct CouchCheckpointScope {
    var localUUID: String
    var pushes: Bool
    var isContinuous: Bool
    var filter: String?
    var filterParameters: [String: String] = [:]
    var documentIDs: [String] = []
    var remoteURL: String

    init(localUUID: String, pushes: Bool, isContinuous: Bool, remoteURL: String) {
        self.localUUID = localUUID
        self.pushes = pushes
        self.isContinuous = isContinuous
        self.remoteURL = remoteURL
    }

    /// One direction of a collection of this database.
    init(_ collection: ReplicatorSettings.Collection, _ peer: CouchPeer, pushes: Bool, in database: Database) throws {
        let name = collection.name
        // Each collection has a URL of its own.
        self.init(
            localUUID: try database.read { $0.privateUUID }?.description ?? "", pushes: pushes,
            isContinuous: (pushes ? collection.push : collection.pull) == .continuous,
            remoteURL: name.isDefault ? peer.id : "\(peer.id).\(name.scope).\(name.name)")
        documentIDs = collection.documentIDs
        filter = pushes ? collection.filterName : collection.remoteFilter ?? collection.filterName
        if !pushes { filterParameters = collection.remoteParameters }
    }

    /// The name: the SHA-1 of what stands here as JSON, sorted and without blanks.
    func id() throws -> String {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        func add(_ name: String, _ value: String) {
            encoder.writeKey(name)
            encoder.write(value)
        }
        if !isContinuous {
            encoder.writeKey("continuous")
            encoder.write(false)
        }
        if !documentIDs.isEmpty {
            encoder.writeKey("docids")
            RemoteDatabase.write(documentIDs, to: encoder)
        }
        if let filter { add("filter", filter) }
        if !filterParameters.isEmpty {
            encoder.writeKey("filterParams")
            encoder.beginDictionary()
            for (name, value) in filterParameters { add(name, value) }
            encoder.endDictionary()
        }
        add("localUUID", localUUID)
        encoder.writeKey("push")
        encoder.write(pushes)
        add("remoteURL", remoteURL)
        encoder.endDictionary()
        var text = ByteBuffer()
        try encoder.finish().withRoot { _ = JSONWriter.write($0, keys: nil, style: .canonical, to: &text) }
        return SHA1.digest(of: text.bytes).withBytes { Hex.text(of: $0) }
    }
}

/// How far one direction has come. Kept here, and in a local document on the server: what both agree on is where to go on.
final class CouchCheckpoint {
    private static let member = "lastSequence"
    /// So many seconds at least lie between two that are saved on the way.
    private static let interval = 5.0

    private let database: Database
    private let remote: RemoteDatabase
    private let id: String
    private let pushes: Bool
    /// Other names under which there may be one from before.
    private let formerIDs: [String]
    /// The document on the server, as it was last seen.
    private var body: FleeceData?
    private var revision: String?
    /// Whether one was saved since this one was made.
    private(set) var isSaved = false
    private var saved: String?
    private var current: String?
    private var savedAt = MonotonicClock.seconds

    init(_ scope: CouchCheckpointScope, of database: Database, at remote: RemoteDatabase) throws {
        self.database = database
        self.remote = remote
        id = try scope.id()
        pushes = scope.pushes
        var former: [String] = []
        // A pull goes on where 1.x was before its database was upgraded. What it had pushed is counted anew.
        if !scope.pushes, let uuid = try database.read({ try $0.version1Identity }) {
            var scope = scope
            scope.localUUID = uuid
            former = [try scope.id()]
        }
        formerIDs = former
    }

    /// The sequence to go on behind; nil to begin with the first one.
    func load(isReset: Bool) throws -> String? {
        var known: [(id: String, sequence: String)] = []
        try database.read { snapshot in
            if let own = try snapshot.checkpoint(id).flatMap(CouchCheckpoint.sequence) { known.append((id, own)) }
            for former in formerIDs {
                if let sequence = try snapshot.version1Checkpoint(former) { known.append((former, sequence)) }
            }
        }
        guard !isReset, let first = known.first else {
            // What is there is to be replaced all the same.
            if isReset { try look() }
            return nil
        }
        if first.id == id { try look() }
        let found = first.id == id ? body : try remote.localDocument(first.id)
        let theirs = found?.withRoot { $0.dictionary?.value(forKey: CouchCheckpoint.member, nil)?.string }
        guard theirs == first.sequence else { return nil }
        (saved, current) = (first.id == id ? first.sequence : nil, first.sequence)
        return first.sequence
    }

    /// All up to here is done. It is saved now and then.
    func advance(to sequence: String) throws {
        current = sequence
        if MonotonicClock.seconds - savedAt >= CouchCheckpoint.interval { try save() }
    }

    /// Saves what is not saved, on the server first.
    func save() throws {
        guard let current, current != saved else { return }
        for _ in 0..<3 {
            guard let new = try remote.putLocalDocument(id, document(current)) else {
                try look()
                continue
            }
            revision = new
            var text = JSONObjectWriter(capacity: 64)
            text.begin()
            text.add("lastSequence", current)
            // What is pending is asked in these terms.
            if pushes { text.key("local"); text.buffer.append(current) }
            text.end()
            let own = text.buffer.withBytes { Array($0) }
            try database.write { try $0.setCheckpoint(id, own) }
            (saved, savedAt) = (current, MonotonicClock.seconds)
            isSaved = true
            return
        }
        throw SyncError.http(409, "somebody else keeps changing the checkpoint \(id) on the server")
    }

    /// Looks at what is on the server.
    private func look() throws {
        body = try remote.localDocument(id)
        revision = body?.withRoot { $0.dictionary?.value(forKey: "_rev", nil)?.string }
    }

    /// The document on the server with another sequence: what else is in it stays.
    private func document(_ sequence: String) throws -> [UInt8] {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        body?.withRoot { root in
            guard let members = root.dictionary else { return }
            for (key, value) in members {
                guard let name = key.string, !["_id", "_rev", CouchCheckpoint.member].contains(name) else { continue }
                encoder.writeKey(name)
                encoder.write(value, keys: nil)
            }
        }
        encoder.writeKey("_id")
        encoder.write("_local/\(id)")
        if let revision, !revision.isEmpty {
            encoder.writeKey("_rev")
            encoder.write(revision)
        }
        encoder.writeKey(CouchCheckpoint.member)
        encoder.write(sequence)
        encoder.endDictionary()
        return try encoder.finish().withRoot { Array($0.json().utf8) }
    }

    private static func sequence(_ json: [UInt8]) -> String? {
        (try? RemoteDatabase.parse(json))?.withRoot { $0.dictionary?.value(forKey: member, nil)?.string }
    }
}
