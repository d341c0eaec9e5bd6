import CBLFleece
import CBLReplication
import CBLStore

/// Requests that look after a database.
enum Maintenance {
    static func compact(_ call: RESTCall) throws {
        try call.keyspace().database.compact()
        try call.answerOK(202)
    }

    /// What is committed is safe from a crash of the program anyway.
    static func ensureCommit(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        try call.answer(201) { object in
            object.add("ok", true)
            object.add("instance_start_time", "\(keyspace.served.start)")
        }
    }

    static func revisionLimit(_ call: RESTCall) throws {
        let limit = try call.keyspace().database.read { try $0.pruneDepth() }
        try Array("\(limit)".utf8).withUnsafeBytes { try call.answer(json: $0) }
    }

    static func setRevisionLimit(_ call: RESTCall) throws {
        let limit = try RESTCall.parse(call.body()).withRoot { $0.integer }
        guard let limit, limit > 0, limit <= UInt16.max else { throw RESTError.badRequest("the limit of revisions is a number, and not 0") }
        try call.keyspace().database.write { try $0.setPruneDepth(Int(limit)) }
        try call.answerOK()
    }

    /// Nobody has rights of their own in one database.
    static func security(_ call: RESTCall) throws {
        _ = try call.keyspace()
        try call.answer { _ in }
    }

    /// There is nothing to clean up that would not go by itself.
    static func cleanUp(_ call: RESTCall) throws {
        _ = try call.keyspace()
        try call.answerOK(202)
    }

    /// Forgets revisions, or whole documents (`["*"]`), as if they had never been.
    static func purge(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let request = try call.object()
        var purged: [(id: String, revisions: [String])] = []
        let sequence = try request.withRoot { root in
            try keyspace.database.write { transaction in
                guard let members = root.dictionary else { return 0 }
                for (key, value) in members {
                    guard let id = key.string, let names = value.array else {
                        throw RESTError.badRequest("each document has a list of revisions")
                    }
                    let gone = try purge(id, names.strings("the list of revisions"), in: keyspace.collection, transaction)
                    if !gone.isEmpty { purged.append((id, gone)) }
                }
                return try transaction.purgeCount(of: keyspace.collection)
            }
        }
        var text = ByteBuffer()
        text.append("{\"purged\":{")
        for (place, document) in purged.enumerated() {
            if place > 0 { text.append(",") }
            JSONWriter.write(string: document.id, to: &text)
            text.append(":")
            DocumentWriter.write(list: document.revisions, to: &text)
        }
        text.append("},\"purge_seq\":")
        text.append(decimal: Int64(sequence))
        text.append("}")
        try call.answer(json: text.bytes)
    }

    private static func purge(_ id: String, _ names: [String], in collection: CollectionName, _ transaction: Transaction) throws -> [String]
    {
        if names == ["*"] { return try transaction.purge(id, in: collection) ? names : [] }
        guard let document = try transaction.document(id, in: collection) else { return [] }
        let wanted = names.compactMap { name in transaction.revision(named: name).map { (name: name, id: $0) } }
        let known = try KnownRevisions(document)
        // The youngest first: what it was made from may be a leaf then.
        for (_, revision) in wanted.sorted(by: { $1.id < $0.id }) {
            guard let current = try transaction.document(id, in: collection) else { break }
            guard try KnownRevisions(current)[revision]?.flags.contains(.leaf) == true else { continue }
            if transaction.versioning == .vectors {
                if revision == current.revision { try transaction.purge(id, in: collection) }
            } else {
                try transaction.purgeRevision(revision, of: id, in: collection)
            }
        }
        let left = try transaction.document(id, in: collection).map { try KnownRevisions($0) }
        return wanted.filter { known[$0.id] != nil && left?[$0.id] == nil }.map(\.name)
    }
}
