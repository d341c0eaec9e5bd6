import CBLFleece
import CBLStore
import CBLTestSupport
import CBLWorkbench
import Testing

@Suite struct ConflictChoiceTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/a.cblite2", options: .create)
    }

    private struct Conflict {
        let base: RevisionID
        let local: RevisionID
        let remotes: [RevisionID]
    }

    /// A document in conflict with the revisions of one or two remotes.
    private func conflict(_ transaction: Transaction, count: Int = 1) throws -> Conflict {
        let base = try transaction.save("d", body: .emptyDictionary)
        let local = try transaction.save("d", body: transaction.encode(json: #"{"by":"us"}"#))
        let remotes = try (1...count).map { number in
            let id = try RevisionID(parsing: "2-" + String(repeating: "\(number)", count: 40))
            let body = try transaction.encode(json: "{\"by\":\(number)}")
            try transaction.insertExisting("d", history: [id, base.id], body: body, remote: UInt16(number))
            return id
        }
        return Conflict(base: base.id, local: local.id, remotes: remotes)
    }

    private func settle(_ choice: ConflictChoice, _ transaction: Transaction) throws -> String {
        let saved = try transaction.settle(try #require(try transaction.document("d")), choice)
        let document = try #require(try transaction.document("d"))
        #expect(!document.isConflicted && document.revision == saved.id)
        return document.body.withRoot { $0.json(keys: transaction.sharedKeys) }
    }

    @Test(arguments: ["local", "name"]) func theOwnSideStays(way: String) throws {
        try database.write { transaction in
            let sides = try conflict(transaction)
            let choice = way == "local" ? ConflictChoice.local : .revision(String(sides.local.text.prefix(8)))
            try #expect(settle(choice, transaction) == #"{"by":"us"}"#)
            try #expect(transaction.document("d")?.revisions().currentDescends(from: sides.remotes[0]) == true)
        }
    }

    @Test(arguments: ["remote", "name"]) func theOtherSideStays(way: String) throws {
        try database.write { transaction in
            _ = try conflict(transaction)
            try #expect(settle(way == "remote" ? .remote : .revision("2-11"), transaction) == #"{"by":1}"#)
        }
    }

    @Test func bothAreReplaced() throws {
        try database.write { transaction in
            _ = try conflict(transaction)
            try #expect(settle(.merged(transaction.encode(json: #"{"by":"both"}"#)), transaction) == #"{"by":"both"}"#)
        }
    }

    @Test func ofSeveralOneIsNamedAndTheRestEnds() throws {
        try database.write { transaction in
            let sides = try conflict(transaction, count: 2)
            let document = try #require(try transaction.document("d"))
            try #expect(throws: WorkbenchError.severalCompete(among: [sides.local] + document.revisions().competitors.map(\.revision))) {
                try transaction.settle(document, .remote)
            }
            try #expect(settle(.revision("2-222"), transaction) == #"{"by":2}"#)
        }
    }

    @Test func whatIsNotInConflictStaysAsItIs() throws {
        try database.write { transaction in
            let sides = try conflict(transaction)
            let document = try #require(try transaction.document("d"))
            #expect(throws: WorkbenchError.noPartInConflict(sides.base, among: [sides.local] + sides.remotes)) {
                try transaction.settle(document, .revision(sides.base.text))
            }
            try #expect(
                throws: WorkbenchError.ambiguousRevision("2", document: "d", matches: document.storedRevisions().prefix(2).map(\.id))
            ) {
                try transaction.settle(document, .revision("2"))
            }
            _ = try settle(.remote, transaction)
            let settled = try #require(try transaction.document("d"))
            #expect(throws: WorkbenchError.notInConflict(document: "d")) { try transaction.settle(settled, .local) }
        }
    }
}
