/// Counts the rows of a table by an index that has an entry for each: by the heads of its pages alone, of which SQLite reads and keeps the whole. Hot: the
/// benchmark `count`.
///
/// Nothing is believed, as by `TableReader`.
package enum EntryCount {
    private static let leaf: UInt8 = 0x0A
    private static let interior: UInt8 = 0x02
    private static let mostDepth = 20
    private static let leafHeadSize = 8
    private static let interiorHeadSize = 12

    /// Of so many leaves the others are estimated.
    private static let sample = 500
    /// It is asked so often whether to go on.
    private static let step = 64

    /// Nil if there is no index at `root`.
    package static func entries(ofIndexAt root: UInt32, in source: PageSource) -> Int? {
        entries(ofIndexAt: root, in: source) { true }?.count
    }

    /// The same, but only as long as `goesOn` says so: how many more there are is then estimated, by leaves from everywhere.
    package static func entries(ofIndexAt root: UInt32, in source: PageSource, while goesOn: () -> Bool) -> (count: Int, isExact: Bool)? {
        let reader = PageReader(source)
        var pages = [root]
        var count = 0
        for depth in 0..<mostDepth {
            guard let first = pages.first, first != 1, let head = source.head(of: first) else { return nil }
            if head.kind == leaf {
                guard let found = cells(of: pages, source, while: goesOn) else { return nil }
                return (count + found.count, found.isExact)
            }
            // A damaged page may lead back up.
            guard depth + 1 < mostDepth, let below = children(of: pages, reader, source, &count) else { return nil }
            pages = below
        }
        return nil
    }

    private static func cells(of leaves: [UInt32], _ source: PageSource, while goesOn: () -> Bool) -> (count: Int, isExact: Bool)? {
        var count = 0
        for place in leaves.indices {
            let left = leaves.count - place
            if place % step == step - 1, left > sample, !goesOn() {
                var some = 0
                for number in 0..<sample {
                    guard let cells = cells(ofLeaf: leaves[place + number * left / sample], source) else { return nil }
                    some += cells
                }
                return (count + some * left / sample, false)
            }
            guard let cells = cells(ofLeaf: leaves[place], source) else { return nil }
            count += cells
        }
        return (count, true)
    }

    private static func cells(ofLeaf page: UInt32, _ source: PageSource) -> Int? {
        guard let head = source.head(of: page), head.kind == leaf, fits(head.cells, leafHeadSize, source) else { return nil }
        return head.cells
    }

    /// The pages below; an entry stands between each and the next of one page.
    private static func children(of pages: [UInt32], _ reader: PageReader, _ source: PageSource, _ count: inout Int) -> [UInt32]? {
        var below: [UInt32] = []
        below.reserveCapacity(pages.count * 100)
        for number in pages {
            guard let page = reader.page(number), page.load(as: UInt8.self) == interior else { return nil }
            let cells = Int(PageBytes.bigEndian16(page, 3))
            guard fits(cells, interiorHeadSize, source) else { return nil }
            for cell in 0..<cells {
                let place = Int(PageBytes.bigEndian16(page, interiorHeadSize + 2 * cell))
                guard place + 4 <= source.usableSize else { return nil }
                below.append(PageBytes.bigEndian32(page, place))
            }
            below.append(PageBytes.bigEndian32(page, 8))
            count += cells
            guard below.count <= source.mostPages else { return nil }
        }
        return below
    }

    private static func fits(_ cells: Int, _ headSize: Int, _ source: PageSource) -> Bool { headSize + 2 * cells <= source.usableSize }
}
