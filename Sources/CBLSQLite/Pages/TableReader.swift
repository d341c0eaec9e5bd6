import CBLBase

/// Goes through the rows of a table where they lie in its pages, without SQLite's machine: that takes a third of the time to go from one row to the
/// next. Reads tables whose rows are numbered and have plain columns, without one that stands for the number.
///
/// Nothing is believed: whatever does not fit ends it, and SQLite may say what is wrong. Format: "B-tree Pages" and "Record Format" in SQLite's
/// description of database files.
package final class TableReader {
    /// What a table of documents has in each release.
    package static let columnCount = 5

    package enum Step { case row, end, damage }

    private struct Column: BitwiseCopyable {
        var type: UInt64 = 0
        var offset = 0
        var size = 0
    }

    private let source: PageSource
    private let leaves: PageReader
    private let rest: PageReader
    private let columnCount: Int
    @exclusivity(unchecked) private var page: UnsafeRawPointer?
    @exclusivity(unchecked) private var cells = 0
    @exclusivity(unchecked) private var cell = 0
    /// Which of the table's leaves it is, if a row was looked for.
    @exclusivity(unchecked) private var leafPlace = -1
    @exclusivity(unchecked) private var jumpCount = 0
    @exclusivity(unchecked) private var hasTurnedPage = false
    // The row.
    @exclusivity(unchecked) private var rowNumber: Int64 = 0
    @exclusivity(unchecked) private var payload: UnsafeRawPointer
    @exclusivity(unchecked) private var payloadSize = 0
    @exclusivity(unchecked) private var localSize = 0
    @exclusivity(unchecked) private var overflow: UInt32 = 0
    private let columns: UnsafeMutablePointer<Column>
    /// What of a row does not fit on its page is put together here.
    @exclusivity(unchecked) private var whole: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var wholeCapacity = 1 << 12
    @exclusivity(unchecked) private var wholeCount = 0

    /// The columns that are looked at are the first of a row.
    package init(_ source: PageSource, columnCount: Int = TableReader.columnCount) {
        self.source = source
        self.columnCount = columnCount
        leaves = PageReader(source)
        rest = PageReader(source)
        columns = .allocate(capacity: columnCount)
        columns.initialize(repeating: Column(), count: columnCount)
        whole = .allocate(byteCount: wholeCapacity, alignment: 16)
        payload = UnsafeRawPointer(whole)
    }

    deinit {
        columns.deallocate()
        whole.deallocate()
    }

    // What another module asks for each row: a stored property's access would be checked there, whatever it is declared as.

    /// How often a row that was looked for was neither on the page of the last one nor on the next.
    @inline(__always) package var jumps: Int { jumpCount }
    /// Whether the row that was looked for is on another page than the one before.
    @inline(__always) package var isOnNewPage: Bool { hasTurnedPage }
    @inline(__always) package var number: Int64 { rowNumber }

    // Rows

    /// The pages that will be begun with, in this order.
    package func expect(_ pages: ArraySlice<UInt32>) { leaves.expect(pages) }

    /// Reads the pages of rows that will be looked for next, in this order, as many as there is room for. Gives how many of the rows that are; nil if a page
    /// cannot be read.
    package func gather(_ rows: ArraySlice<Int64>, in leaves: TableLeaves) -> Int? {
        var (pages, place, count): ([UInt32], Int, Int) = ([], -1, 0)
        for row in rows {
            let next = leaves.place(of: row, near: place)
            guard next < leaves.pages.count else { return nil }
            if next != place {
                guard pages.count < self.leaves.mostGathered else { break }
                pages.append(leaves.pages[next])
                place = next
            }
            count += 1
        }
        // The page that was here makes room.
        (cells, cell, leafPlace) = (0, 0, -1)
        return self.leaves.gather(pages[...]) ? count : nil
    }

    /// Goes before the first row of a page; false if that is none with rows of a table.
    package func begin(_ leaf: UInt32) -> Bool {
        cells = 0
        cell = 0
        leafPlace = -1
        guard let page = leaves.page(leaf), leaf != 1, page.load(as: UInt8.self) == TableLeaves.leaf else { return false }
        let count = Int(PageBytes.bigEndian16(page, 3))
        guard 8 + 2 * count <= source.usableSize else { return false }
        self.page = page
        cells = count
        return true
    }

    @inline(__always)
    package func next() -> Step {
        guard cell < cells, let page else { return .end }
        let place = Int(PageBytes.bigEndian16(page, 8 &+ 2 &* cell))
        cell &+= 1
        var position = place
        let end = source.usableSize
        guard let size = PageBytes.varint(page, &position, end), let number = PageBytes.varint(page, &position, end),
            size <= source.mostBytes
        else { return .damage }
        rowNumber = Int64(bitPattern: number)
        payload = page + position
        payloadSize = Int(size)
        wholeCount = 0
        let room = end &- 35
        if payloadSize <= room {
            localSize = payloadSize
            guard position &+ localSize <= end else { return .damage }
        } else {
            let least = (end &- 12) &* 32 / 255 &- 23
            let fitting = least &+ (payloadSize &- least) % (end &- 4)
            localSize = fitting <= room ? fitting : least
            guard position &+ localSize &+ 4 <= end else { return .damage }
            overflow = PageBytes.bigEndian32(page, position &+ localSize)
        }
        return readHeader() ? .row : .damage
    }

    /// Goes to the row of a number, wherever that is; false if it cannot be read.
    package func find(_ wanted: Int64, in leaves: TableLeaves) -> Bool {
        // Most often it is the one behind the last.
        hasTurnedPage = false
        if cell < cells, let page, number(of: cell, page) == wanted { return next() == .row }
        let place = leaves.place(of: wanted, near: leafPlace)
        guard place < leaves.pages.count else { return false }
        if place != leafPlace {
            if place != leafPlace + 1 { jumpCount += 1 }
            guard begin(leaves.pages[place]) else { return false }
            leafPlace = place
            hasTurnedPage = true
        }
        guard let page else { return false }
        var low = 0
        var high = cells
        while low < high {
            let middle = (low + high) / 2
            guard let number = number(of: middle, page) else { return false }
            if number < wanted { low = middle + 1 } else { high = middle }
        }
        cell = low
        return next() == .row && rowNumber == wanted
    }

    private func number(of cell: Int, _ page: UnsafeRawPointer) -> Int64? {
        var position = Int(PageBytes.bigEndian16(page, 8 &+ 2 &* cell))
        let end = source.usableSize
        guard PageBytes.varint(page, &position, end) != nil, let number = PageBytes.varint(page, &position, end) else { return nil }
        return Int64(bitPattern: number)
    }

    @inline(__always)
    private func readHeader() -> Bool {
        var position = 0
        guard let headerSize = PageBytes.varint(payload, &position, localSize), headerSize <= UInt64(localSize) else { return false }
        let end = Int(headerSize)
        var offset = end
        for index in 0..<columnCount {
            // Columns that were added later are not there in rows before.
            guard position < end else {
                columns[index] = Column()
                continue
            }
            guard let type = PageBytes.varint(payload, &position, end), let size = PageBytes.size(ofType: type) else { return false }
            columns[index] = Column(type: type, offset: offset, size: size)
            offset &+= size
            guard offset <= payloadSize else { return false }
        }
        return true
    }

    // Columns

    package enum Kind { case null, integer, real, text, blob }

    @inline(__always)
    package func kind(_ column: Int) -> Kind {
        switch columns[column].type {
        case 0: .null
        case 7: .real
        case 1...9: .integer
        case let type: type & 1 == 0 ? .blob : .text
        }
    }

    /// The bytes of a column, valid until the next row; nil if they cannot be read.
    @inline(__always)
    package func bytes(_ column: Int) -> UnsafeRawBufferPointer? {
        let (offset, size) = (columns[column].offset, columns[column].size)
        if offset &+ size <= localSize { return UnsafeRawBufferPointer(start: payload + offset, count: size) }
        guard gather(offset &+ size) else { return nil }
        return UnsafeRawBufferPointer(start: whole + offset, count: size)
    }

    /// How many bytes a column has, which can be told without reading them.
    package func size(_ column: Int) -> Int { columns[column].size }

    /// The integer of a column that has one; nil if it cannot be read.
    @inline(__always)
    package func integer(_ column: Int) -> Int64? {
        guard let bytes = bytes(column) else { return nil }
        return PageBytes.integer(ofType: columns[column].type, bytes)
    }

    /// Puts the row together up to so many bytes.
    private func gather(_ wanted: Int) -> Bool {
        guard wholeCount < wanted else { return true }
        if wholeCount == 0 {
            // For all columns at once: bytes of one that were given stay where they are.
            let last = columns[columnCount - 1]
            reserve(max(localSize, last.offset + last.size + source.usableSize))
            whole.copyMemory(from: payload, byteCount: localSize)
            wholeCount = localSize
        }
        let each = source.usableSize - 4
        while wholeCount < wanted {
            guard overflow > 0, let page = rest.page(overflow) else { return false }
            let count = min(each, payloadSize - wholeCount)
            reserve(wholeCount + count)
            (whole + wholeCount).copyMemory(from: page + 4, byteCount: count)
            wholeCount += count
            overflow = PageBytes.bigEndian32(page, 0)
        }
        return true
    }

    private func reserve(_ count: Int) {
        guard count > wholeCapacity else { return }
        let larger = UnsafeMutableRawPointer.allocate(byteCount: max(count, 2 * wholeCapacity), alignment: 16)
        larger.copyMemory(from: whole, byteCount: wholeCount)
        whole.deallocate()
        whole = larger
        wholeCapacity = max(count, 2 * wholeCapacity)
    }
}
