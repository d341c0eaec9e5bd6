import CBLBase
import CouchbaseLiteSwift
import Synchronization
import Testing

/// Many threads, many times: what only shows then.
@Suite struct StressTests {
    let test: TemporaryDatabase

    init() throws { test = try TemporaryDatabase() }

    /// Runs `work` on eight threads, and gives what went wrong.
    private func onThreads(_ work: @escaping @Sendable (Int) throws -> Void) -> [String] {
        let problems = Mutex<[String]>([])
        let threads = (0..<8).map { number in
            WorkerThread {
                do { try work(number) } catch { problems.withLock { $0.append("\(number): \(error)") } }
            }
        }
        for thread in threads { thread.join() }
        return problems.withLock { $0 }
    }

    @Test func eightThreadsUseOneDatabase() throws {
        let (database, collection) = (test.database, test.collection)
        try collection.createIndex(withName: "byNumber", config: ValueIndexConfiguration(["number"]))
        let problems = onThreads { thread in
            for round in 0..<60 {
                let id = "doc \(thread) \(round % 10)"
                let document = try collection.document(id: id)?.toMutable() ?? MutableDocument(id: id)
                document.setInt(round, forKey: "number").setValue([round, ["a": thread]] as [Any], forKey: "list")
                document.setBlob(Blob(contentType: "text/plain", data: Data("\(round)".utf8)), forKey: "blob")
                switch round % 5 {
                case 0: try database.inBatch { try collection.save(document: document) }
                case 1: _ = try collection.save(document: document) { _, _ in true }
                case 2:
                    try collection.save(document: document)
                    try collection.delete(document: document)
                default: try collection.save(document: document)
                }
                let query = try database.createQuery("SELECT META().id, number, list FROM _ WHERE number >= 0")
                for row in try query.execute() { #expect(row.string(at: 0)?.hasPrefix("doc ") == true) }
                if round % 20 == thread { try collection.setDocumentExpiration(id: "doc \(thread) 0", expiration: nil) }
            }
        }
        // A document that another round has deleted has no expiration to be set.
        #expect(problems.filter { !$0.contains("no document") } == [])
        try database.performMaintenance(type: .integrityCheck)
    }

    /// One document is read by many, while its containers are made.
    @Test func eightThreadsReadOneDocument() throws {
        let inner = Dictionary(uniqueKeysWithValues: (0..<50).map { ("key \($0)", ["list": [$0, "\($0)"] as [Any]]) })
        try test.save("doc", ["inner": inner])
        let document = try test.document("doc")
        let mutable = document.toMutable()
        let problems = onThreads { _ in
            for round in 0..<50 {
                for number in 0..<50 {
                    #expect(document["inner"]["key \(number)"]["list"][0].int == number)
                    #expect(mutable["inner"]["key \(number)"]["list"][1].string == "\(number)")
                }
                if round % 10 == 0 { #expect(document.toDictionary().count == 1 && document.hashValue == mutable.hashValue) }
            }
        }
        #expect(problems == [])
    }

    @Test func aDatabaseIsClosedWhileItIsUsed() throws {
        for _ in 0..<10 {
            let database = try test.folder.open("closing")
            let collection = try database.defaultCollection()
            let query = try database.createQuery("SELECT * FROM _")
            let token = query.addChangeListener(withQueue: DispatchQueue(label: "closing")) { _ in }
            let problems = onThreads { thread in
                do {
                    for round in 0..<50 {
                        if thread == 0, round == 10 { try database.close() }
                        try collection.save(document: MutableDocument(id: "doc \(thread) \(round)"))
                        _ = try collection.document(id: "doc \(thread) \(round)")
                        for row in try query.execute() { _ = row.toJSON() }
                    }
                } catch let error as NSError where error.code == CBLError.notOpen {}
            }
            #expect(problems == [])
            token.remove()
            try Database.delete(withName: "closing", inDirectory: test.folder.path)
        }
    }

    /// What is done again and again leaves nothing behind: files, threads, or memory to speak of.
    @Test func repetitionLeavesNothingBehind() throws {
        func descriptors() -> Int { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0 }
        try test.save("doc", ["a": 1])
        let told = Told<CollectionChange>()
        func once() throws {
            for _ in 0..<20 {
                let database = try test.another()
                #expect(try database.defaultCollection().count == 1)
                try database.close()
            }
            let tokens = (0..<100).map { _ in test.collection.addChangeListener(queue: told.queue) { told.add($0) } }
            for token in tokens { token.remove() }
            for _ in 0..<500 { _ = try test.collection.document(id: "doc")?.toDictionary() }
        }
        try once()
        let before = descriptors()
        for _ in 0..<10 { try once() }
        // Other tests of this process open and close files at the same time.
        #expect(descriptors() < before + 100)
        #expect(told.all.isEmpty)
    }
}
