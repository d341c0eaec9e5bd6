import FoundationEssentials
import Synchronization

/// A sound bundle that threats are put into: one of our own, or one that a release of the vendor's library wrote.
package struct HostileBase: Sendable, CustomStringConvertible {
    package let description: String
    /// The table of the default collection's documents, which threats go for.
    package let main = "kv_default"
    /// A collection that threats leave alone unless they say otherwise, and a document in it.
    package let spare: (collection: String, table: String, document: String)?
    /// Names that commands are given: of what is there.
    package let documents: [String]
    package let collections: [String]
    package let indexes: [String]
    package let properties: [String]
    /// Whether it has vector indexes of ours.
    package var hasVectors: Bool { indexes.contains("near") }
    private let origin: @Sendable (String) throws -> Void

    /// Makes the bundle, writable.
    package func make(at path: String) throws { try origin(path) }

    package static var all: [HostileBase] { [ours] + (Fixtures.arePresent ? fixtures : []) }

    /// The sample database without its thousands of bookings, with an index of each kind.
    package static let ours = HostileBase(
        description: "ours", spare: ("inventory.hotel", "kv_.inventory.hotel", "hotel_001"),
        documents: ["welcome", "trip-sapporo", "flash-sale"], collections: ["_default", "inventory.hotel"],
        indexes: ["byName", "texts", "tags", "near", "meaning"], properties: ["name", "stops"],
        origin: { path in try OwnBase.copy(to: path) })

    package static let fixtures = [
        fixture(
            "v4.x/revtrees_4.1", ("CRM.People", #"kv_.\C\R\M.\People"#, "Doc-A"), ["bob", "conflicted", "withblob", "gone"],
            ["things", "CRM.People"], ["byName", "ftsEn", "arrTags"], ["name", "tags"]),
        fixture(
            "v4.x/vectors_4.1", ("CRM.People", #"kv_.\C\R\M.\People"#, "Doc-A"), ["bob", "conflicted", "withblob", "gone"],
            ["things", "CRM.People"], ["byName", "ftsEn", "arrTags"], ["name", "tags"]),
        fixture(
            "v3.x/upgrade_3.1_peerCheckpoints", ("loopback.test", "kv_.loopback.test", "0000001"), ["0000001"], ["loopback.test"], [],
            ["name"]),
        fixture("v3.x/db_3_0_0_names_100_with_deleted", nil, ["*"], ["_default"], [], ["name"]),
        fixture("v2.x/upgrade_2.8_index", nil, ["*"], ["_default"], ["index1"], ["firstName"]),
        fixture("v2.x/upgrade_2.7", nil, ["doc-001", "doc-060"], ["_default"], [], ["n"]),
    ]

    private static func fixture(
        _ name: String, _ spare: (String, String, String)?, _ documents: [String], _ collections: [String], _ indexes: [String],
        _ properties: [String]
    ) -> HostileBase {
        HostileBase(
            description: name, spare: spare.map { (collection: $0.0, table: $0.1, document: $0.2) }, documents: documents,
            collections: collections, indexes: indexes, properties: properties,
            origin: { path in
                let directory = try TemporaryDirectory(inMemory: true)
                let copy = try Fixtures.copy(name + ".cblite2", to: directory)
                try FileManager.default.copyItem(atPath: copy, toPath: path)
            })
    }
}

/// Our own base, made once by the program.
private enum OwnBase {
    struct NotMade: Error { let line: [String], message: String }

    private static let directory = Mutex<TemporaryDirectory?>(nil)

    static func copy(to path: String) throws {
        let original = try directory.withLock { made in
            if let made { return made.path + "/base.cblite2" }
            let new = try TemporaryDirectory(inMemory: true)
            try make(new.path + "/base.cblite2")
            made = new
            return new.path + "/base.cblite2"
        }
        try FileManager.default.copyItem(atPath: original, toPath: path)
    }

    private static func make(_ path: String) throws {
        for line in [
            ["generate", "sample", path],
            ["rmcoll", "--yes", path, "booking"],
            ["mkindex", path, "byName", "name"],
            ["mkindex", "--fts", path, "texts", "text"],
            ["mkindex", "--unnest", "stops", path, "tags"],
            // Of two numbers, so that few documents are enough to learn from.
            ["mkindex", "--vector", "--dimensions", "2", "--centroids", "1", path, "near", "[LENGTH(META().id), 1]"],
            ["mkindex", "--vector", "--dimensions", "2", "--centroids", "1", "--lazy", path, "meaning", "name"],
            ["embed", path, "meaning", "--limit", "2", "--command", "while read -r line; do echo \"[${#line},1]\"; done"],
            ["compact", path],
        ] {
            let result = try Program.run(line)
            guard result.exitCode == 0 else { throw NotMade(line: line, message: result.errors) }
        }
    }
}
