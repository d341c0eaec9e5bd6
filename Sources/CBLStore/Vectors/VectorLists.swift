import CBLSQLite
import CBLVectors

/// The lists of an index in its table, for writing: entries come in blocks, and small blocks become large ones in time.
final class VectorLists {
    /// About as many bytes as a block may have. Larger ones are not read quicker, and take longer to write anew.
    static let blockSize = 96 * 1024
    /// A block is large if nothing is to be added to it.
    private static let largeSize = blockSize / 2
    /// How many small blocks a list may have before they become one.
    private static let mostSmallBlocks = 24

    private let connection: Connection
    private let id: Int64
    private let model: VectorModel

    init(_ connection: Connection, index: Int64, _ model: VectorModel) {
        self.connection = connection
        id = index
        self.model = model
    }

    /// How many bytes of fresh entries there may be before they go to their lists: some for each list, so that its page is written for several; and
    /// no more than a search reads beside what it looks for.
    var mostFresh: Int { min(max(16 * model.listCount * (model.codeSize + 16), 64 * 1024), 1 << 20) }

    /// Whether some more fresh entries are few enough to stay together.
    func hasRoom(forFresh size: Int) throws -> Bool {
        let range = VectorTables.places(index: id, list: model.freshList)
        return try connection.withStatement("SELECT sum(length(entries)) FROM vx_lists WHERE place BETWEEN ?1 AND ?2") { row in
            try row.bind(range.lowerBound, 1)
            try row.bind(range.upperBound, 2)
            return try row.step() && Int(clamping: row.int64(0)) + size <= mostFresh
        }
    }

    /// Takes out all fresh entries that are still of a document; returns how many were not.
    func takeFresh(
        isValid: (VectorID) throws -> Bool, _ take: (VectorID, UnsafeRawBufferPointer, _ list: Int) throws -> Void
    ) throws -> Int {
        var removed = 0
        for place in try places(VectorTables.places(index: id, list: model.freshList)) {
            try withBlock(place) { block in
                let isSound = try model.forEachEntry(of: block, list: model.freshList) { id, code, list in
                    if try isValid(id) { try take(id, code, list) } else { removed += 1 }
                }
                guard isSound else { throw VectorLists.damage }
            }
            try delete(place)
        }
        return removed
    }

    private static var damage: StoreError { StoreError(.corrupt, "a list of a vector index is damaged. A repair makes it anew") }

    /// Adds entries to a list. `isValid` tells which of those that are written anew are still of a document; returns how many were not.
    func append(_ entries: VectorBlockWriter, to list: Int, isValid: (VectorID) throws -> Bool) throws -> Int {
        let (small, next) = try smallBlocks(of: list)
        guard small.count >= VectorLists.mostSmallBlocks else {
            try insert(entries, list, part: next)
            return 0
        }
        // The first of them takes all.
        var merged = VectorBlockWriter()
        var removed = 0
        for place in small {
            try withBlock(place) { block in
                let before = merged.count
                try merged.append(block, where: isValid)
                removed += block.count - (merged.count - before)
            }
            try delete(place)
        }
        merged.append(entries)
        try insert(merged, list, part: VectorTables.part(ofPlace: small[0]))
        return removed
    }

    /// Rids all lists of what is no longer of a document; returns how many entries are left.
    func clean(isValid: (VectorID) throws -> Bool) throws -> Int {
        var left = 0
        for place in try places(VectorTables.places(index: id)) {
            var kept = VectorBlockWriter()
            var count = 0
            try withBlock(place) { block in
                count = block.count
                try kept.append(block, where: isValid)
            }
            left += kept.count
            guard kept.count < count else { continue }
            if kept.isEmpty {
                try delete(place)
            } else {
                try write(kept, "UPDATE vx_lists SET entries=?2 WHERE place=?1", place)
            }
        }
        return left
    }

    /// The blocks at the end of a list that are small, and the number of the next one.
    private func smallBlocks(of list: Int) throws -> ([Int64], next: Int) {
        let range = VectorTables.places(index: id, list: list)
        let sql = "SELECT place, length(entries) FROM vx_lists WHERE place BETWEEN ?1 AND ?2 ORDER BY place DESC LIMIT ?3"
        return try connection.withStatement(sql) { row in
            try row.bind(range.lowerBound, 1)
            try row.bind(range.upperBound, 2)
            try row.bind(Int64(VectorLists.mostSmallBlocks), 3)
            var small: [Int64] = []
            var next = 0
            var size: Int64 = 0
            while try row.step() {
                if small.isEmpty, next == 0 { next = VectorTables.part(ofPlace: row.int64(0)) + 1 }
                size += row.int64(1)
                guard row.int64(1) < VectorLists.largeSize, size <= VectorLists.blockSize else { break }
                small.append(row.int64(0))
            }
            guard next < VectorTables.mostParts else { throw StoreError(.corrupt, "a list of a vector index has too many blocks") }
            return (small.reversed(), next)
        }
    }

    private func places(_ range: ClosedRange<Int64>) throws -> [Int64] {
        try connection.withStatement("SELECT place FROM vx_lists WHERE place BETWEEN ?1 AND ?2 ORDER BY place") { row in
            try row.bind(range.lowerBound, 1)
            try row.bind(range.upperBound, 2)
            var places: [Int64] = []
            while try row.step() { places.append(row.int64(0)) }
            return places
        }
    }

    private func withBlock(_ place: Int64, _ body: (VectorBlock) throws -> Void) throws {
        try connection.withStatement("SELECT entries FROM vx_lists WHERE place=?") { row in
            try row.bind(place, 1)
            let codeSize = model.codeSize(ofList: VectorTables.list(ofPlace: place))
            guard try row.step(), let bytes = row.blob(0), let block = VectorBlock(bytes, codeSize: codeSize) else {
                throw VectorLists.damage
            }
            try body(block)
        }
    }

    private func insert(_ entries: VectorBlockWriter, _ list: Int, part: Int) throws {
        let place = VectorTables.place(index: id, list: list, part: part)
        try write(entries, "INSERT INTO vx_lists (place, entries) VALUES (?1, ?2)", place)
    }

    private func write(_ entries: VectorBlockWriter, _ sql: String, _ place: Int64) throws {
        try connection.withStatement(sql) { statement in
            try statement.bind(place, 1)
            try statement.bind(blob: entries.bytes(list: VectorTables.list(ofPlace: place)), 2)
            try statement.run()
        }
    }

    private func delete(_ place: Int64) throws {
        try connection.withStatement("DELETE FROM vx_lists WHERE place=?") { statement in
            try statement.bind(place, 1)
            try statement.run()
        }
    }
}
