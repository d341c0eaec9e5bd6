import CBLFleece
import CBLSQLite
import CBLTestSupport
import Testing

@testable import CBLViews

@Suite struct PackedTableTests {
    private func makeIndex() throws -> IndexConnection {
        let index = try IndexConnection(try Connection.inMemory(), path: "")
        try index.connection.execute(IndexSchema.makeTables(1, .unicode)[1])
        return index
    }

    private func add(_ table: PackedTable, _ entries: [(String, [UInt8])]) throws {
        for (place, content) in entries {
            try Array(place.utf8).withUnsafeBytes { place in try content.withUnsafeBytes { try table.add(place, $0) } }
        }
        try table.finish()
    }

    private func entries(_ index: IndexConnection) throws -> [String] {
        var all: [String] = []
        try PackedTable.read("documents_1", of: index.connection) {
            all.append(String(decoding: $0.place, as: UTF8.self) + " \($0.content.count)")
        }
        return all
    }

    /// Entries of all sizes come and go, and the table has what a dictionary has, in the order of the places.
    @Test(arguments: [1, 2, 3] as [UInt64]) func theTableHasWhatWasAddedAndNotTakenOut(_ seed: UInt64) throws {
        let index = try makeIndex()
        let table = try PackedTable(index, "documents_1", .bytes)
        var random = SeededRandom(seed)
        var model: [String: Int] = [:]
        for _ in 0..<40 {
            var added: [String: Int] = [:]
            for _ in 0..<random.below(120) {
                let place = "\(random.below(900))"
                if model[place] == nil { added[place] = random.below(20) == 0 ? random.below(9000) : random.below(60) }
            }
            try add(table, added.sorted { $0.key < $1.key }.map { ($0.key, [UInt8](repeating: 7, count: $0.value)) })
            model.merge(added) { $1 }
            // Some are asked for twice.
            for place in (0..<random.below(100)).map({ _ in "\(random.below(900))" }).sorted() {
                let wasThere = try Array(place.utf8).withUnsafeBytes { try table.take($0) }
                #expect(wasThere == (model[place] != nil))
                if wasThere { #expect(table.taken.count == model[place]) }
                model[place] = nil
            }
            try table.finish()
            #expect(try entries(index) == model.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
        }
        let count = try table.takeAll(of: index.connection) { $0.content.count > 30 }
        #expect(count == model.values.count { $0 > 30 })
        #expect(try entries(index) == model.filter { $0.value <= 30 }.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" })
    }

    @Test func manyEntriesShareARow() throws {
        let index = try makeIndex()
        let table = try PackedTable(index, "documents_1", .bytes)
        let entries = (10_000..<20_000).map { ("doc\($0)", [UInt8](repeating: 1, count: 20)) }
        try add(table, entries)
        let rows = try index.connection.integer("SELECT count(*) FROM documents_1") ?? 0
        #expect(rows > 100 && rows < 500)
        // One that comes later does not tear a row into small ones.
        try add(table, [("doc15000x", [1])])
        #expect(try index.connection.integer("SELECT count(*) FROM documents_1") == rows)
    }

    /// What a row has is cut off, turned over or anything: an error, or other entries, and never a crash.
    @Test func damagedEntriesAreAnErrorOrOtherEntries() throws {
        let index = try makeIndex()
        let table = try PackedTable(index, "documents_1", .bytes)
        try add(table, (0..<6).map { ("doc\($0)", [UInt8](repeating: 5, count: 3 + 70 * $0)) })
        let sound = try index.connection.withStatement("SELECT entries FROM documents_1") { row in
            try row.step() ? row.blob(0).map(Array.init) ?? [] : []
        }
        var random = SeededRandom(4)
        var damages = (0..<sound.count).map { Array(sound[..<$0]) }
        for bit in 0..<sound.count * 8 {
            var turned = sound
            turned[bit / 8] ^= 1 << (bit & 7)
            damages.append(turned)
        }
        for _ in 0..<500 { damages.append((0..<random.below(60)).map { _ in UInt8(random.below(256)) }) }
        var errors = 0
        for bytes in damages {
            try index.connection.execute("DELETE FROM documents_1")
            try index.connection.withStatement("INSERT INTO documents_1 VALUES ('doc0', ?)") { row in
                try row.bind(blob: bytes, 1)
                try row.run()
            }
            do {
                _ = try entries(index)
                let taking = try PackedTable(index, "documents_1", .bytes)
                _ = try Array("doc3".utf8).withUnsafeBytes { try taking.take($0) }
                try taking.finish()
                try add(try PackedTable(index, "documents_1", .bytes), [("doc2x", [1, 2])])
            } catch is SQLiteError { errors += 1 }
        }
        #expect(errors > 0)
    }

    @Test func positionsAndContentsSayWhatWasWritten() throws {
        var buffer = ByteBuffer()
        let key: [UInt8] = [2, 9, 9]
        for number in [0, 1, 127, 128, 70_000, .max] {
            buffer.truncate(to: 0)
            key.withUnsafeBytes { key in
                Array("an ID".utf8).withUnsafeBytes { RowPosition.write(key: key, number: number, id: $0, to: &buffer) }
            }
            let position = RowPosition(buffer.bytes)
            #expect(Array(position.key) == key && position.number == number && Array(position.id) == Array("an ID".utf8))
            buffer.truncate(to: 0)
            key.withUnsafeBytes { RowContent.write(sequence: UInt64(number), .encoded, $0, to: &buffer) }
            let content = try RowContent(buffer.bytes)
            #expect(content.sequence == UInt64(number) && content.kind == .encoded && Array(content.value) == key)
        }
    }
}
