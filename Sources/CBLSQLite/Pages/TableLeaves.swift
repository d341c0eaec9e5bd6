/// The pages that have the rows of a table, in the order of the rows' numbers.
package struct TableLeaves: Sendable {
    package private(set) var pages: [UInt32]
    /// For each of them a number that none of its rows exceeds.
    private var lastNumbers: [Int64]

    static let leaf: UInt8 = 0x0D
    private static let interior: UInt8 = 0x05
    private static let mostDepth = 20

    /// Nil if they are not what a table has.
    package init?(ofTableAt root: UInt32, in source: PageSource) {
        let reader = PageReader(source)
        pages = [root]
        lastNumbers = [.max]
        for _ in 0..<TableLeaves.mostDepth {
            guard let first = pages.first, let page = reader.page(at: 0, of: pages) else { return nil }
            if page.load(fromByteOffset: first == 1 ? 100 : 0, as: UInt8.self) == TableLeaves.leaf { return }
            guard descend(reader, source) else { return nil }
        }
        return nil
    }

    /// Puts the pages below in the place of those that are known.
    private mutating func descend(_ reader: PageReader, _ source: PageSource) -> Bool {
        let (parents, bounds) = (pages, lastNumbers)
        pages.removeAll(keepingCapacity: true)
        pages.reserveCapacity(parents.count * 100)
        lastNumbers.removeAll(keepingCapacity: true)
        lastNumbers.reserveCapacity(parents.count * 100)
        for (place, bound) in bounds.enumerated() {
            let header = parents[place] == 1 ? 100 : 0
            guard let page = reader.page(at: place, of: parents), page.load(fromByteOffset: header, as: UInt8.self) == TableLeaves.interior
            else {
                return false
            }
            let count = Int(PageBytes.bigEndian16(page, header + 3))
            guard header + 12 + 2 * count <= source.usableSize else { return false }
            for cell in 0..<count {
                let place = Int(PageBytes.bigEndian16(page, header + 12 + 2 * cell))
                var position = place + 4
                guard position <= source.usableSize, let last = PageBytes.varint(page, &position, source.usableSize) else { return false }
                pages.append(PageBytes.bigEndian32(page, place))
                lastNumbers.append(Int64(bitPattern: last))
            }
            pages.append(PageBytes.bigEndian32(page, header + 8))
            lastNumbers.append(bound)
            guard pages.count <= source.mostPages else { return false }
        }
        return true
    }

    /// All pages in groups of so many at most. A group with pages of others between its own has fewer, so that no more than so many lie from its first to
    /// its last, and reading and decrypting them leaves no odd few; unless its pages are all over the file.
    package func groups(ofAtMost most: Int) -> [Range<Int>] {
        var groups: [Range<Int>] = []
        groups.reserveCapacity(pages.count / most + 1)
        var start = 0
        for place in pages.indices {
            let isScattered = place - start < most / 2
            let isFull = place - start == most || pages[place] > pages[start] && Int(pages[place] - pages[start]) >= most && !isScattered
            guard isFull else { continue }
            groups.append(start..<place)
            start = place
        }
        if start < pages.count { groups.append(start..<pages.count) }
        return groups
    }

    /// Which of the pages has the row of a number, if there is one. It is first looked for near another page.
    package func place(of number: Int64, near: Int) -> Int {
        for place in near...(near + 1) where lastNumbers.indices.contains(place) {
            if lastNumbers[place] >= number, place == 0 || lastNumbers[place - 1] < number { return place }
        }
        var low = 0
        var high = lastNumbers.count
        while low < high {
            let middle = (low + high) / 2
            if lastNumbers[middle] < number { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
