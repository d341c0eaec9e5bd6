import CBLFleece
import CBLStore
import CBLTestSupport
import Testing

@Suite struct BulkTests {
    let directory: TemporaryDirectory
    let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/new.cblite2"
    }

    static func save(_ ids: some Sequence<Int>, _ round: Int, in bulk: BulkWriter, _ transaction: Transaction) throws {
        for n in ids {
            transaction.encoder.reset()
            try JSONParser.parse("{\"n\":\(n),\"round\":\(round),\"key\(n % 300)\":[1,2,3]}", into: transaction.encoder)
            var id = "doc-\(n)"
            try id.withUTF8 { try bulk.save(id: UnsafeRawBufferPointer($0)) }
        }
    }

    @Test func manyDocumentsAreSavedAsIfOneByOne() throws {
        let database = try Database(path: path, options: .create)
        try database.write { transaction in
            let counts = try transaction.bulk { bulk in
                try Self.save(0..<10_000, 1, in: bulk, transaction)
                return bulk
            }
            #expect(counts.createdCount == 10_000 && counts.updatedCount == 0)
            try #expect(transaction.lastSequence(of: .default) == 10_000)
            let single = try transaction.save("single", body: transaction.encode(json: #"{"n":7,"round":1,"key7":[1,2,3]}"#))
            try #expect(transaction.document("doc-7")?.revision == single.id)
        }
        try database.read { snapshot in
            try #expect(snapshot.counts(of: .default).live == 10_001)
            let cursor = try snapshot.scan(.default, ScanOptions(content: .everything))
            var count = 0
            while try cursor.next() {
                let document = try cursor.document()
                try #expect(
                    document.revisions().tree?.revisions.count == 1 && document.revisions().tree?.current?.sequence == document.sequence)
                count += 1
            }
            #expect(count == 10_001)
        }
    }

    @Test func whatIsThereAlreadyGetsANewRevision() throws {
        let database = try Database(path: path, options: .create)
        try database.write { transaction in
            try transaction.bulk { try Self.save(stride(from: 0, to: 6000, by: 3), 1, in: $0, transaction) }
            for n in stride(from: 0, to: 600, by: 6) { try transaction.delete("doc-\(n)") }
        }
        try database.write { transaction in
            let counts = try transaction.bulk { bulk in
                try Self.save(0..<6000, 2, in: bulk, transaction)
                // The same document twice in one go.
                try Self.save([5], 3, in: bulk, transaction)
                return bulk
            }
            #expect(counts.createdCount == 4000 + 100 && counts.updatedCount == 1900 + 1)
        }
        try database.read { snapshot in
            try #expect(snapshot.document("doc-0")?.revisions().tree?.revisions.count == 3)
            try #expect(snapshot.document("doc-1")?.revisions().tree?.revisions.count == 1)
            try #expect(snapshot.document("doc-5")?.revisions().tree?.revisions.count == 2)
            try #expect(snapshot.document("doc-999")?.revisions().tree?.revisions.count == 2)
            var sequences: Set<UInt64> = []
            let cursor = try snapshot.scan(.default, ScanOptions(content: .metadata))
            while try cursor.next() { #expect(sequences.insert(cursor.sequence).inserted) }
            try #expect(sequences.max() == snapshot.lastSequence(of: .default))
        }
    }

    @Test func existingDocumentsCanBeLeftAlone() throws {
        let database = try Database(path: path, options: .create)
        try database.write { transaction in
            try transaction.bulk { try Self.save(0..<100, 1, in: $0, transaction) }
            let counts = try transaction.bulk(parent: .none) { bulk in
                try Self.save(50..<150, 2, in: bulk, transaction)
                return bulk
            }
            #expect(counts.createdCount == 50 && counts.refusedCount == 50)
            try #expect(transaction.document("doc-75")?.revisions().tree?.revisions.count == 1)
        }
    }

    @Test func aFailureLeavesNothingBehind() throws {
        let database = try Database(path: path, options: .create)
        #expect(throws: StoreError.self) {
            try database.write { transaction in
                try transaction.bulk { bulk in
                    try Self.save(0..<5000, 1, in: bulk, transaction)
                    try bulk.save(id: UnsafeRawBufferPointer(start: nil, count: 0), body: FleeceData.emptyDictionary.bytes)
                }
            }
        }
        try database.read { try #expect($0.counts(of: .default).live == 0) }
        try database.write { transaction in try transaction.bulk { try Self.save(0..<10, 1, in: $0, transaction) } }
        try database.read { try #expect($0.lastSequence(of: .default) == 10) }
    }
}
