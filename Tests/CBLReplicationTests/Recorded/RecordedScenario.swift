import CBLBase
import CBLFleece
import CBLStore
import CBLTestSupport
import FoundationEssentials

@testable import CBLReplication

/// Something that happens at the gateway, by other hands.
enum GatewayChange: Sendable {
    case put(String, String, collection: String? = nil)
    case delete(String)
    /// The channels that alice sees from now on.
    case grant([String])
    /// The gateway's copy of a checkpoint goes, or is overwritten.
    case forgetCheckpoint(String)
    case moveCheckpoint(String)
}

/// What was done when a conversation was recorded, and is done again when it is played.
struct RecordedScenario: Sendable {
    enum Step: Sendable {
        case local(@Sendable (Database) throws -> Void)
        /// Only while recording: the recording knows what came of it.
        case gateway([GatewayChange])
        /// A session; `meanwhile` happens as soon as a document has come or gone.
        case session([ReplicatorSettings.Collection], meanwhile: [GatewayChange] = [])
    }

    var name: String
    /// The versions of the protocol that it is recorded with.
    var protocols: [ReplicationProtocol] = [.v3]
    var isOfVectors = false
    var gatewayCollections: [String] = []
    var syncFunction: String?
    /// What users see.
    var channels = ["*"]
    /// Who we are; nil for GUEST.
    var user: String?
    var steps: [Step]

    /// By what the gateway is known, wherever it is.
    static let peerID = "wss://gateway.example/recorded/_blipsync"
    private static let privateUUID = UniqueID(high: 0x0102_0304_0506_0708, low: 0x090a_0b0c_0d0e_0f10)
    private static let identity =
        #""publicUUID":"50726f6f66206f66207075626c696321","privateUUID":"0102030405060708090a0b0c0d0e0f10""#

    /// The name of the checkpoint that such a database has for the default collection.
    static func checkpointID() throws -> String {
        try CheckpointScope(collection: .default, pushes: true, pulls: true, remote: peerID).checkpointID(privateUUID: privateUUID)
    }

    /// A database that is the same whenever it is made.
    func makeDatabase(_ path: String) throws -> Database {
        let header = #"{"archive":"cblite","version":1,"versioning":"\#(isOfVectors ? "vectors" : "trees")",\#(RecordedScenario.identity)}"#
        var options = Archive.RestoreOptions()
        options.takesIdentity = true
        _ = try Database.restore(creating: path, options) { restorer in
            for var line in [header] + archive + [#"{"end":true}"#] {
                try line.withUTF8 { try restorer.accept(UnsafeRawBufferPointer($0)) }
            }
        }
        return try Database(path: path, options: .readWrite)
    }

    /// Lines of an archive that it begins with, where saving would not give the same twice.
    var archive: [String] = [#"{"collection":"_default","lastSequence":0}"#]
}

extension Database {
    func put(_ id: String, _ json: String, in collection: CollectionName = .default) throws {
        try write { try $0.save(id, in: collection, body: $0.encode(json: json)) }
    }

    /// Writes a blob, and gives what a document says of it.
    func blob(_ bytes: [UInt8], type: String) throws -> String {
        let blob = try bytes.withUnsafeBytes { try blobs.write($0) }
        return #"{"@type":"blob","digest":"\#(blob.digest)","length":\#(blob.length),"content_type":"\#(type)"}"#
    }
}

extension RecordedScenario {
    private static func once(_ push: Bool, _ pull: Bool, _ name: CollectionName = .default) -> [ReplicatorSettings.Collection] {
        [ReplicatorSettings.Collection(name, push: push ? .once : .off, pull: pull ? .once : .off)]
    }

    private static let push = once(true, false)
    private static let pull = once(false, true)
    private static let both = once(true, true)

    private static func random(_ count: Int, seed: UInt64) -> [UInt8] {
        var random = SeededRandom(seed)
        return (0..<count).map { _ in UInt8(truncatingIfNeeded: random.below(256)) }
    }

    static let all: [RecordedScenario] = [
        pushing, pulling, conflicts, forbidden, channels, collections, checkpoints, vectors,
    ]

    private static let pushing = RecordedScenario(
        name: "push", protocols: [.v3, .v2],
        steps: [
            .local { database in
                let photo = try database.blob(random(20_000, seed: 1), type: "image/png")
                let text = try database.blob(Array(String(repeating: "a line of text\n", count: 2000).utf8), type: "text/plain")
                try database.put("photo", #"{"photo":\#(photo),"album":[{"cover":\#(photo)},\#(text)]}"#)
                try database.put("text", #"{"a/b~c":\#(text)}"#)
                try database.put("empty", "{}")
                try database.put("numbers", #"{"big":9007199254740993,"double":1e300,"half":0.5,"negative":-0.0,"text":"\u00fc\u2028"}"#)
                try database.put("gone", #"{"n":1}"#)
                try database.write { try $0.delete("gone") }
                for n in 0..<30 { try database.put("old", #"{"n":\#(n)}"#) }
            },
            .session(push),
            .local { database in
                let photo = try database.blob(random(20_000, seed: 1), type: "image/png")
                try database.put("another", #"{"photo":\#(photo)}"#)
                try database.put("empty", #"{"n":2}"#)
                try database.put("text", #"{"without":"a blob"}"#)
                try database.write { try $0.delete("numbers") }
                try database.put("gone", #"{"back":true}"#)
                for n in 0..<40 { try database.put("old", #"{"later":\#(n)}"#) }
            },
            .session(push),
            .session(push),
        ])

    private static let pulling = RecordedScenario(
        name: "pull", protocols: [.v3, .v2],
        steps: [
            .gateway(
                (0..<12).map { .put("doc-\($0)", #"{"n":\#($0),"text":"\#(String(repeating: "word ", count: $0 * 40))"}"#) } + [
                    .put("note", #"{"x":1,"_attachments":{"note.txt":{"data":"YSBub3RlIG9mIG9sZA==","content_type":"text/plain"}}}"#),
                    .put("gone", "{}"), .delete("gone"),
                ]),
            .session(pull),
            .gateway([
                .put("doc-1", #"{"n":"one"}"#), .delete("doc-2"), .put("gone", #"{"back":true}"#), .put("new", "{}"),
                .put("doc-1", #"{"n":"two"}"#),
            ]),
            .session(pull),
            .session(both),
        ])

    private static let conflicts = RecordedScenario(
        name: "conflicts",
        steps: [
            .gateway(
                ["longer", "same", "shorter", "deleted here", "deleted there", "both"].map {
                    .put($0.replacing(" ", with: "-"), #"{"by":"nobody"}"#)
                }),
            .session(both),
            .local { database in
                try database.put("longer", #"{"by":"us"}"#)
                try database.put("longer", #"{"by":"us again"}"#)
                try database.put("same", #"{"by":"us"}"#)
                try database.put("shorter", #"{"by":"us"}"#)
                try database.put("deleted-there", #"{"by":"us"}"#)
                try database.write { transaction in
                    try transaction.delete("deleted-here")
                    try transaction.delete("both")
                }
                try database.put("new", #"{"by":"us"}"#)
            },
            .gateway([
                .put("longer", #"{"by":"them"}"#), .put("same", #"{"by":"them"}"#), .put("shorter", #"{"by":"them"}"#),
                .put("shorter", #"{"by":"them again"}"#), .put("deleted-here", #"{"by":"them"}"#), .delete("deleted-there"),
                .delete("both"), .put("new", #"{"by":"them"}"#),
            ]),
            .session(push),
            .session(both),
            .session(both),
        ])

    private static let guarded =
        "function(doc){if(doc.reject){throw({forbidden:doc.reject})}if(doc.owner){requireUser(doc.owner)}channel(doc.channels)}"

    private static let forbidden = RecordedScenario(
        name: "forbidden", syncFunction: guarded, channels: ["A"], user: "alice",
        steps: [
            .local { database in
                try database.put("good", #"{"channels":["A"]}"#)
                try database.put("bad", #"{"channels":["A"],"reject":"not like this"}"#)
                try database.put("theirs", #"{"channels":["A"],"owner":"bob"}"#)
            },
            .session(push),
            .session(push),
            .local { database in try database.put("bad", #"{"channels":["A"],"better":true}"#) },
            .session(both),
        ])

    private static let channels = RecordedScenario(
        name: "channels", syncFunction: guarded, channels: ["A", "B"], user: "alice",
        steps: [
            .gateway(["A", "B", "C"].flatMap { name in (1...2).map { .put("\(name)\($0)", #"{"channels":["\#(name)"]}"#) } }),
            .session(pull),
            .gateway([.put("A1", #"{"channels":["C"],"moved":true}"#), .grant(["A", "C"])]),
            .local { database in try database.put("B2", #"{"channels":["B"],"edited":true}"#) },
            .session(pull),
            .gateway([.grant(["A", "B"]), .put("A2", #"{"channels":["A"],"n":2}"#)]),
            .session(both),
        ])

    private static let collections: RecordedScenario = {
        guard let roses = try? CollectionName(scope: "garden", name: "roses"),
            let tulips = try? CollectionName(scope: "garden", name: "tulips")
        else { return pushing }
        return RecordedScenario(
            name: "collections", gatewayCollections: ["roses", "tulips"],
            steps: [
                .local { database in
                    try database.write { transaction in
                        try transaction.createCollection(roses)
                        try transaction.createCollection(tulips)
                    }
                    try database.put("red", #"{"n":1}"#, in: roses)
                    try database.put("white", #"{"n":2}"#, in: roses)
                },
                .gateway([.put("yellow", #"{"n":3}"#, collection: "tulips"), .put("red", #"{"n":4}"#, collection: "tulips")]),
                .session(once(true, true, roses) + once(false, true, tulips)),
                .gateway([.put("red", #"{"n":5}"#, collection: "roses")]),
                .local { database in try database.put("white", #"{"n":6}"#, in: roses) },
                .session(once(true, true, roses) + once(false, true, tulips)),
            ])
    }()

    private static let checkpoints: RecordedScenario = {
        guard let id = try? checkpointID() else { return pushing }
        return RecordedScenario(
            name: "checkpoints", protocols: [.v3],
            steps: [
                .local { database in for n in 0..<3 { try database.put("doc-\(n)", #"{"n":\#(n)}"#) } },
                .session(push),
                .local { database in try database.put("doc-1", #"{"n":"one"}"#) },
                // The gateway's copy is overwritten, and later gone, while we are there: 409, and 404.
                .session(push, meanwhile: [.moveCheckpoint(id)]),
                .local { database in try database.put("doc-2", #"{"n":"two"}"#) },
                .session(push, meanwhile: [.forgetCheckpoint(id)]),
                // It is gone before we come: everything is offered again.
                .gateway([.forgetCheckpoint(id)]),
                .session(push),
            ])
    }()

    private static let forgotten = (try? checkpointID()).map { [GatewayChange.forgetCheckpoint($0)] } ?? []

    private static let vectors = RecordedScenario(
        name: "vectors", protocols: [.v4], isOfVectors: true,
        steps: [
            .gateway([.put("theirs", #"{"by":"them"}"#), .put("edited", #"{"n":1}"#)]),
            .session(both),
            .gateway([.put("edited", #"{"n":2}"#), .put("ours", #"{"by":"them"}"#), .delete("theirs")]),
            .session(both),
            .gateway(forgotten),
            .session(push),
        ],
        archive: [
            #"{"collection":"_default","lastSequence":3}"#,
            #"{"doc":"ours","seq":1,"version":"18c0d1d110b40000@UHJvb2Ygb2YgcHVibGljIQ","body":{"by":"us"}}"#,
            #"{"doc":"gone","seq":2,"flags":["deleted"],"version":"18c0d1d110b50000@UHJvb2Ygb2YgcHVibGljIQ","body":{}}"#,
            #"{"doc":"older","seq":3,"version":"18c0d1d110b60000@UHJvb2Ygb2YgcHVibGljIQ; 18c0d1d110a60000@ZegpoldZegpoldZegpoldA","body":{"n":3}}"#,
        ])
}
