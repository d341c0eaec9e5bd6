import CBLFleece

/// All rows of a result, kept.
package struct KeptRows: Sendable {
    package let titles: [String]
    package private(set) var blocks: [RowBlock] = []

    package init(titles: [String]) { self.titles = titles }

    /// Takes what is left of a query's rows.
    package init(_ rows: QueryRows) throws {
        self.init(titles: rows.titles)
        try append(rows)
    }

    mutating func append(_ rows: QueryRows) throws {
        var isMore = true
        while isMore {
            let block = RowBlock(columnCount: titles.count, keys: rows.sharedKeys, capacity: blocks.isEmpty ? 512 : RowBlock.byteLimit)
            isMore = try block.fill(from: rows)
            if block.count > 0 { blocks.append(block) }
        }
    }

    package var count: Int { blocks.reduce(0) { $0 + $1.count } }
}

extension KeptRows: Equatable {
    /// Whether they say the same, whatever way it is encoded.
    package static func == (one: KeptRows, other: KeptRows) -> Bool {
        guard one.titles == other.titles else { return false }
        if one.blocks.count == other.blocks.count, zip(one.blocks, other.blocks).allSatisfy({ $0 === $1 || $0.hasSameBytes(as: $1) }) {
            return true
        }
        guard one.count == other.count else { return false }
        let pairs = zip(one.places, other.places)
        return pairs.allSatisfy { $0.block.isRow($0.row, equalTo: $1.row, of: $1.block) }
    }

    private var places: some Sequence<(block: RowBlock, row: Int)> {
        blocks.lazy.flatMap { block in (0..<block.count).lazy.map { (block, $0) } }
    }
}
