import CBLBase
import CBLFleece
import CBLStore
import CBLTestSupport
import Synchronization
import Testing

/// What a statement changed is taken back.
@Suite struct ChangeJournalTests {
    private let directory: TemporaryDirectory
    private let other: CollectionName

    init() throws {
        directory = try TemporaryDirectory()
        other = try CollectionName(name: "other")
    }

    private func make(_ upgrade: Database.Options.Upgrade = .none) throws -> Database {
        let database = try Database(path: directory.path + "/new.cblite2", options: .init(access: .create, upgrade: upgrade))
        try database.write { try $0.createCollection(other) }
        return database
    }

    private struct State: Equatable, CustomStringConvertible {
        var documents: [String: String] = [:]
        var description: String { documents.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: "; ") }
    }

    /// All documents that live, with their properties and times.
    private func state(_ database: Database) throws -> State {
        try database.read { snapshot in
            var state = State()
            for collection in [CollectionName.default, other] {
                let cursor = try snapshot.scan(collection, ScanOptions())
                while try cursor.next() {
                    let json = cursor.body.json(keys: snapshot.sharedKeys, style: .canonical)
                    let time = try snapshot.document(cursor.id, in: collection)?.expiration
                    state.documents["\(collection)/\(cursor.id)"] = "\(json) \(time.map { "\($0)" } ?? "")"
                }
            }
            return state
        }
    }

    @discardableResult private func takeBack(_ count: Int, of journal: ChangeJournal, _ database: Database) throws -> [TakenBack] {
        let steps = Array(journal.steps.suffix(count))
        let taken = try database.write { try $0.takeBack(steps) }
        journal.finish(steps, taken)
        return taken
    }

    /// Anything that can be done to a document, in any order, once or several times in a statement.
    @Test(arguments: [Database.Options.Upgrade.none, .versionVectors], 1...12)
    func everyStateComesBack(upgrade: Database.Options.Upgrade, seed: Int) throws {
        var random = SeededRandom(UInt64(seed))
        let database = try make(upgrade)
        let journal = ChangeJournal()
        database.setJournal(journal)
        var states: [State] = [try state(database)]
        func change(_ transaction: Transaction) throws {
            let collections = [CollectionName.default, other].shuffled(using: &random)
            let id = "doc-\(Int.random(in: 0..<5, using: &random))"
            let document = try transaction.document(id, in: collections[0])
            switch Int.random(in: 0..<10, using: &random) {
            case 0 where document != nil: try transaction.purge(id, in: collections[0])
            case 1, 2: if let document, !document.isDeleted { try transaction.delete(id, in: collections[0]) }
            case 3 where document != nil:
                let newID = "doc-\(Int.random(in: 0..<5, using: &random))"
                if try transaction.document(newID, in: collections[1]) == nil {
                    try transaction.move(id, from: collections[0], to: collections[1], newID: newID)
                }
            case 4 where document != nil:
                try transaction.setExpiration(id, in: collections[0], Bool.random(using: &random) ? nil : 4_000_000_000_000)
            case 5:
                try transaction.bulk(into: collections[0]) { bulk in
                    for n in 3..<7 {
                        transaction.encoder.reset()
                        try JSONParser.parse("{\"bulk\":\(UInt8.random(in: 0...255, using: &random))}", into: transaction.encoder)
                        var id = "doc-\(n)"
                        try id.withUTF8 { try bulk.save(id: UnsafeRawBufferPointer($0)) }
                    }
                }
            default:
                let body = try transaction.encode(json: "{\"n\":\(UInt16.random(in: 0...65535, using: &random)),\"k\(id)\":true}")
                try transaction.save(id, in: collections[0], body: body)
            }
        }
        struct Failure: Error {}
        for number in 0..<60 {
            journal.begin("\(number)")
            let count = Int.random(in: 1...4, using: &random)
            // Some fail, and leave nothing.
            if Int.random(in: 0..<8, using: &random) == 0 {
                #expect(throws: Failure.self) {
                    try database.write { transaction in
                        for _ in 0..<count { try change(transaction) }
                        throw Failure()
                    }
                }
            } else {
                try database.write { for _ in 0..<count { try change($0) } }
            }
            if journal.steps.last?.title == "\(number)" { states.append(try state(database)) }
            #expect(try state(database) == states.last)
            guard Int.random(in: 0..<5, using: &random) == 0, states.count > 4 else { continue }
            let back = Int.random(in: 1...3, using: &random)
            try takeBack(back, of: journal, database)
            states.removeLast(back)
            #expect(try state(database) == states.last, "step \(number)")
        }
        while states.count > 1 {
            try takeBack(1, of: journal, database)
            states.removeLast()
            #expect(try state(database) == states.last)
        }
        #expect(journal.steps.isEmpty)
    }

    @Test func whatSomebodyElseHasChangedStays() throws {
        let database = try make()
        let journal = ChangeJournal()
        database.setJournal(journal)
        journal.begin("both")
        try database.write { for id in ["a", "b"] { try $0.save(id, body: $0.encode(json: #"{"n":1}"#)) } }
        database.setJournal(nil)
        try database.write { try $0.save("a", body: $0.encode(json: #"{"n":2}"#)) }
        let taken = try takeBack(1, of: journal, database)
        #expect(taken.filter { if case .leftAlone = $0.action { true } else { false } }.map(\.id) == ["a"])
        #expect(try state(database).documents.keys.sorted() == ["_default/a"])
    }

    /// Others have heard of it: they have to hear that it is gone.
    @Test func whatRemotesKnowLeavesATombstone() throws {
        let database = try make()
        let journal = ChangeJournal()
        database.setJournal(journal)
        journal.begin("one")
        let saved = try database.write { try $0.save("a", body: $0.encode(json: "{}")) }
        try database.write { try $0.noteLatest(saved.id, of: "a", in: .default, onRemote: 1) }
        _ = try takeBack(1, of: journal, database)
        #expect(try database.read { try $0.document("a")?.isDeleted } == true)
    }

    @Test func memoryIsBounded() throws {
        let database = try make()
        let heard = Mutex(0)
        let journal = ChangeJournal(mostBytes: 20_000, mostChanges: 50) { heard.withLock { $0 += 1 } }
        database.setJournal(journal)
        let text = String(repeating: "x", count: 1000)
        for step in 0..<40 {
            journal.begin("\(step)")
            try database.write { try $0.save("a", body: $0.encode(json: #"{"n":\#(step),"text":"\#(text)"}"#)) }
        }
        #expect(journal.steps.count < 20 && journal.steps.last?.title == "39")
        journal.begin("many")
        try database.write { transaction in
            for n in 0..<60 {
                try transaction.save("doc-\(n)", body: transaction.encode(json: "{}"))
                #expect(heard.withLock { $0 } == (n < 50 ? 0 : 1), "before it is done, and once")
            }
        }
        #expect(journal.steps.last?.isTooLarge == true && journal.steps.last?.documentCount == 0)
        journal.begin("bulk")
        try database.write { transaction in
            try transaction.bulk { bulk in
                for n in 100..<200 {
                    var id = "doc-\(n)"
                    try id.withUTF8 { try bulk.save(id: UnsafeRawBufferPointer($0), body: FleeceData.emptyDictionary.bytes) }
                }
            }
        }
        #expect(journal.steps.last?.isTooLarge == true && journal.steps.last?.title == "bulk")
        #expect(heard.withLock { $0 } == 2)
    }
}
