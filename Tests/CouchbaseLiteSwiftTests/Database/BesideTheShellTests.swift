import CBLBase
import CBLTestSupport
import CouchbaseLiteSwift
import Testing

/// A program has a database open, listens and saves, while the shell works on it.
@Suite(.timeLimit(.minutes(10))) struct BesideTheShellTests {
    let test: TemporaryDatabase
    let path: String

    init() throws {
        test = try TemporaryDatabase()
        path = String(try #require(test.database.path).dropLast())
    }

    private func cblite(_ words: [String], input: String = "") throws -> [String] {
        var result = try Program.run(words, input: input)
        // Who wants the file for himself may have to wait longer than it does, on a busy machine.
        for _ in 0..<5 where result.errors.contains("did not let go of it in time") { result = try Program.run(words, input: input) }
        #expect(result.exitCode == 0, "\(words): \(result.errors)")
        return result.lines
    }

    @Test func eachHearsOfTheOthersChanges() throws {
        let heard = Told<[String]>()
        let rows = Told<[String]>()
        let query = try test.database.createQuery("SELECT META().id FROM _default WHERE n > 0 ORDER BY META().id")
        let tokens = [
            test.collection.addChangeListener(queue: heard.queue) { heard.add($0.documentIDs) },
            query.addChangeListener(withQueue: rows.queue) { change in
                #expect(change.error == nil)
                rows.add(change.results?.allResults().compactMap { $0.string(at: 0) } ?? [])
            },
        ]
        defer { for token in tokens { token.remove() } }
        #expect(rows.wait { $0.last == [] })
        _ = try cblite(["put", path, "shell-1", #"{"n":1}"#])
        #expect(heard.wait { $0.joined().contains("shell-1") })
        #expect(rows.wait { $0.last == ["shell-1"] })
        try test.save("app-1", ["n": 2])
        #expect(try cblite(["cat", "--raw", path, "app-1"]) == [#"{"_id":"app-1", "n":2}"#])
        #expect(rows.wait { $0.last == ["app-1", "shell-1"] })
        _ = try cblite(["put", path, "app-1", #"{"n":0}"#])
        #expect(rows.wait { $0.last == ["shell-1"] })
        #expect(try test.document("app-1").int(forKey: "n") == 0)
        // A document that was read before the shell changed it is no longer the newest.
        let stale = try test.document("shell-1").toMutable().setInt(5, forKey: "n")
        _ = try cblite(["put", path, "shell-1", #"{"n":3}"#])
        #expect(try !test.collection.save(document: stale, concurrencyControl: .failOnConflict))
        _ = try cblite(["rm", path, "shell-1"])
        #expect(rows.wait { $0.last == [] })
        #expect(try test.collection.document(id: "shell-1") == nil)
        // Nothing is left of what is purged but the rows being fewer.
        try test.save("app-2", ["n": 4])
        #expect(rows.wait { $0.last == ["app-2"] })
        _ = try cblite(["purge", path, "app-2"])
        #expect(rows.wait { $0.last == [] })
        #expect(test.collection.count == 1)
        _ = try cblite(["mkindex", path, "byNumber", "n"])
        #expect(try test.collection.indexes() == ["byNumber"])
        #expect(try test.database.createQuery("SELECT META().id FROM _default WHERE n = 1").explain().contains("byNumber"))
    }

    @Test func nothingIsLostWhileBothWrite() throws {
        let heard = Told<[String]>()
        let counts = Told<Int>()
        let query = try test.database.createQuery("SELECT count(1) FROM _default")
        let tokens = [
            test.collection.addChangeListener(queue: heard.queue) { heard.add($0.documentIDs) },
            query.addChangeListener(withQueue: counts.queue) { change in
                #expect(change.error == nil)
                counts.add(change.results?.allResults().first?.int(at: 0) ?? -1)
            },
        ]
        defer { for token in tokens { token.remove() } }
        let (database, collection) = (test.database, test.collection)
        let isOver = Shared(false)
        let saved = Shared(0)
        let problems = Told<String>()
        let writer = WorkerThread {
            do {
                while !isOver.value {
                    let next = saved.value
                    if next % 3 == 0 {
                        try database.inBatch {
                            for offset in 0..<10 {
                                try collection.save(document: MutableDocument(id: "app-\(next + offset)", data: ["n": 1]))
                            }
                        }
                        saved.change { $0 += 10 }
                    } else {
                        try collection.save(document: MutableDocument(id: "app-\(next)", data: ["n": 1]))
                        saved.change { $0 += 1 }
                    }
                    guard try collection.document(id: "app-\(next)") != nil else { throw CocoaError(.fileNoSuchFile) }
                    usleep(2000)
                }
            } catch { problems.add("\(error)") }
        }
        for round in 0..<3 {
            let lines = (0..<400).map { #"{"_id":"shell-\#(round)-\#($0)","n":\#($0)}"# + "\n" }
            _ = try cblite(["import", path, "-"], input: lines.joined())
            _ = try cblite(["put", path, "extra-\(round)", "{}"])
            _ = try cblite(["rm", path, "shell-\(round)-7"])
            _ = try cblite(["mkindex", path, "index\(round)", "n"])
            _ = try cblite(["compact", path])
            let least = saved.value
            let counted = try cblite(["query", "--raw", path, "SELECT count(*) AS n FROM _ WHERE META().id LIKE 'app-%'"])
            #expect(counted.contains { line in line.split { !$0.isNumber }.contains { Int($0) ?? 0 >= least } }, "\(counted), \(least)")
            try database.performMaintenance(type: .compact)
        }
        isOver.change { $0 = true }
        writer.join()
        #expect(problems.all.isEmpty)
        let expected = saved.value + 3 * 400
        #expect(collection.count == UInt64(expected))
        #expect(counts.wait { $0.last == expected }, "\(counts.all.last ?? -1) of \(expected)")
        let all = Set((0..<saved.value).map { "app-\($0)" })
            .union((0..<3).flatMap { round in (0..<400).map { "shell-\(round)-\($0)" } + ["extra-\(round)"] })
        #expect(heard.wait { Set($0.joined()).isSuperset(of: all) })
        struct Listed: Decodable { let id: String }
        let listed = try cblite(["ls", "--json", path]).map { try JSONDecoder().decode(Listed.self, from: Data($0.utf8)).id }
        #expect(Set(listed) == all.subtracting((0..<3).map { "shell-\($0)-7" }))
        _ = try cblite(["check", path])
    }
}
