/// Goes through an index of one column of texts, in its order, where its entries lie in their pages. Nothing is believed, as by `TableReader`.
///
/// Entries stand on the leaves, and one between each leaf and the next, on a page above them. Format: "B-tree Pages" in SQLite's description of
/// database files.
package final class IndexReader {
    package enum Step { case entry, end, damage }

    /// An entry that stands between two leaves.
    private struct Separator: BitwiseCopyable {
        var offset: Int
        var count: Int
        var row: Int64
    }

    private let source: PageSource
    private let reader: PageReader
    private var leaves: [UInt32]
    private var separators: [Separator] = []
    /// The texts of the separators.
    private var texts = UnsafeMutableRawBufferPointer.allocate(byteCount: 0, alignment: 1)
    /// No entry has more on its page.
    private let mostLocal: Int
    @exclusivity(unchecked) private var page: UnsafeRawPointer?
    @exclusivity(unchecked) private var place = -1
    @exclusivity(unchecked) private var cells = 0
    @exclusivity(unchecked) private var cell = 0
    @exclusivity(unchecked) private var isBeforeSeparator = false

    @exclusivity(unchecked) private var entryText = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) private var entryRow: Int64 = 0
    // As computed ones they are not checked in other modules.
    /// The text of the entry, valid until the next one.
    @inline(__always) package var text: UnsafeRawBufferPointer { entryText }
    /// The number of the row that it is of.
    @inline(__always) package var row: Int64 { entryRow }

    private static let leaf: UInt8 = 0x0A
    private static let interior: UInt8 = 0x02
    private static let mostDepth = 20

    /// Nil if there is no such index at `root`.
    package init?(at root: UInt32, in source: PageSource) {
        self.source = source
        reader = PageReader(source)
        leaves = [root]
        mostLocal = (source.usableSize - 12) * 64 / 255 - 23
        var bytes: [UInt8] = []
        for _ in 0..<IndexReader.mostDepth {
            guard root != 1, let page = reader.page(at: 0, of: leaves) else { return nil }
            if page.load(as: UInt8.self) == IndexReader.leaf {
                texts.deallocate()
                texts = .allocate(byteCount: bytes.count, alignment: 1)
                texts.copyBytes(from: bytes)
                return
            }
            guard descend(&bytes) else { return nil }
        }
        return nil
    }

    deinit { texts.deallocate() }

    /// Puts the pages below, and the entries between them, in the place of those that are known.
    private func descend(_ bytes: inout [UInt8]) -> Bool {
        var below: [UInt32] = []
        var between: [Separator] = []
        below.reserveCapacity(leaves.count * 50)
        between.reserveCapacity(leaves.count * 50)
        for index in leaves.indices {
            guard let page = reader.page(at: index, of: leaves), page.load(as: UInt8.self) == IndexReader.interior else { return false }
            let count = Int(PageBytes.bigEndian16(page, 3))
            guard 12 + 2 * count <= source.usableSize else { return false }
            for cell in 0..<count {
                let place = Int(PageBytes.bigEndian16(page, 12 + 2 * cell))
                guard place + 4 <= source.usableSize, readEntry(page, place + 4) else { return false }
                below.append(PageBytes.bigEndian32(page, place))
                between.append(Separator(offset: bytes.count, count: text.count, row: row))
                bytes.append(contentsOf: text)
            }
            below.append(PageBytes.bigEndian32(page, 8))
            if index < separators.count { between.append(separators[index]) }
            guard below.count <= source.mostPages else { return false }
        }
        leaves = below
        separators = between
        return true
    }

    /// Goes before the first entry.
    package func rewind() {
        place = -1
        cells = 0
        cell = 0
        isBeforeSeparator = false
    }

    @inline(__always)
    package func next() -> Step {
        guard cell < cells, let page else { return nextPage() }
        let place = Int(PageBytes.bigEndian16(page, 8 &+ 2 &* cell))
        cell &+= 1
        return readEntry(page, place) ? .entry : .damage
    }

    /// Goes to what is behind a leaf.
    private func nextPage() -> Step {
        while true {
            if isBeforeSeparator {
                isBeforeSeparator = false
                let separator = separators[place]
                entryText = UnsafeRawBufferPointer(rebasing: texts[separator.offset..<(separator.offset + separator.count)])
                entryRow = separator.row
                return .entry
            }
            guard place + 1 < leaves.count else { return .end }
            place += 1
            guard let page = reader.page(at: place, of: leaves), page.load(as: UInt8.self) == IndexReader.leaf else { return .damage }
            self.page = page
            cell = 0
            cells = Int(PageBytes.bigEndian16(page, 3))
            isBeforeSeparator = place < separators.count
            guard 8 + 2 * cells <= source.usableSize else { return .damage }
            if cells > 0 { return next() }
        }
    }

    /// Reads the text and the row's number. False for an entry that goes on elsewhere, too.
    private func readEntry(_ page: UnsafeRawPointer, _ place: Int) -> Bool {
        var position = place
        let end = source.usableSize
        guard let size = PageBytes.varint(page, &position, end), size <= UInt64(mostLocal) else { return false }
        let payload = page + position
        let payloadSize = Int(size)
        var head = 0
        guard position + payloadSize <= end, let headSize = PageBytes.varint(payload, &head, payloadSize), headSize <= size else {
            return false
        }
        let headEnd = Int(headSize)
        guard let type = PageBytes.varint(payload, &head, headEnd), let rowType = PageBytes.varint(payload, &head, headEnd),
            head == headEnd, type >= 13, type & 1 == 1, let count = PageBytes.size(ofType: type),
            let rowSize = PageBytes.size(ofType: rowType), head + count + rowSize == payloadSize,
            let row = PageBytes.integer(ofType: rowType, UnsafeRawBufferPointer(start: payload + head + count, count: rowSize))
        else { return false }
        entryText = UnsafeRawBufferPointer(start: payload + head, count: count)
        entryRow = row
        return true
    }
}
