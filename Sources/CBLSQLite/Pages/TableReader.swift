import CBLBase

/// Goes through the rows of a table where they lie in its pages, without SQLite's machine: that takes a third of the time to go from one row to the
/// next. Reads tables whose rows are numbered and have plain columns, without one that stands for the number.
///
/// Nothing is believed: whatever does not fit ends it, and SQLite may say what is wrong. Format: "B-tree Pages" and "Record Format" in SQLite's
/// description of database files.
package final class TableReader {
    /// The columns that are looked at are the first of a row.
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
    @exclusivity(unchecked) private var page: UnsafeRawPointer?
    @exclusivity(unchecked) private var cells = 0
    @exclusivity(unchecked) private var cell = 0
    // The row.
    @exclusivity(unchecked) private var payload: UnsafeRawPointer
    @exclusivity(unchecked) private var payloadSize = 0
    @exclusivity(unchecked) private var localSize = 0
    @exclusivity(unchecked) private var overflow: UInt32 = 0
    private let columns: UnsafeMutablePointer<Column>
    /// What of a row does not fit on its page is put together here.
    @exclusivity(unchecked) private var whole: UnsafeMutableRawPointer
    @exclusivity(unchecked) private var wholeCapacity = 1 << 12
    @exclusivity(unchecked) private var wholeCount = 0

    private static let leaf: UInt8 = 0x0D
    private static let interior: UInt8 = 0x05
    private static let mostDepth = 20

    package init(_ source: PageSource) {
        self.source = source
        leaves = PageReader(source)
        rest = PageReader(source)
        columns = .allocate(capacity: TableReader.columnCount)
        columns.initialize(repeating: Column(), count: TableReader.columnCount)
        whole = .allocate(byteCount: wholeCapacity, alignment: 16)
        payload = UnsafeRawPointer(whole)
    }

    deinit {
        columns.deallocate()
        whole.deallocate()
    }

    // Pages

    /// The pages that have the rows of a table, in the order of the rows' numbers. Nil if they are not what a table has.
    package static func leaves(ofTableAt root: UInt32, in source: PageSource) -> [UInt32]? {
        let reader = PageReader(source)
        var pages = [root]
        for _ in 0..<mostDepth {
            guard let first = pages.first, let page = reader.page(first) else { return nil }
            let kind = page.load(fromByteOffset: first == 1 ? 100 : 0, as: UInt8.self)
            if kind == leaf { return pages }
            var children: [UInt32] = []
            children.reserveCapacity(pages.count * 100)
            for number in pages {
                guard let page = reader.page(number), appendChildren(of: number, page, source, to: &children),
                    children.count <= source.mostPages
                else { return nil }
            }
            pages = children
        }
        return nil
    }

    private static func appendChildren(of number: UInt32, _ page: UnsafeRawPointer, _ source: PageSource, to children: inout [UInt32])
        -> Bool
    {
        let header = number == 1 ? 100 : 0
        guard page.load(fromByteOffset: header, as: UInt8.self) == interior else { return false }
        let count = Int(bigEndian16(page, header + 3))
        guard header + 12 + 2 * count <= source.usableSize else { return false }
        for cell in 0..<count {
            let place = Int(bigEndian16(page, header + 12 + 2 * cell))
            guard place + 4 <= source.usableSize else { return false }
            children.append(bigEndian32(page, place))
        }
        children.append(bigEndian32(page, header + 8))
        return true
    }

    @inline(__always)
    private static func bigEndian16(_ page: UnsafeRawPointer, _ offset: Int) -> UInt16 {
        UInt16(bigEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt16.self))
    }

    @inline(__always)
    private static func bigEndian32(_ page: UnsafeRawPointer, _ offset: Int) -> UInt32 {
        UInt32(bigEndian: page.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }

    // Rows

    /// Goes before the first row of a page; false if that is none with rows of a table.
    package func begin(_ leaf: UInt32) -> Bool {
        cells = 0
        cell = 0
        guard let page = leaves.page(leaf), leaf != 1, page.load(as: UInt8.self) == TableReader.leaf else { return false }
        let count = Int(TableReader.bigEndian16(page, 3))
        guard 8 + 2 * count <= source.usableSize else { return false }
        self.page = page
        cells = count
        return true
    }

    @inline(__always)
    package func next() -> Step {
        guard cell < cells, let page else { return .end }
        let place = Int(TableReader.bigEndian16(page, 8 &+ 2 &* cell))
        cell &+= 1
        var position = place
        let end = source.usableSize
        guard let size = varint(page, &position, end), varint(page, &position, end) != nil, size <= source.mostBytes else {
            return .damage
        }
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
            overflow = TableReader.bigEndian32(page, position &+ localSize)
        }
        return readHeader() ? .row : .damage
    }

    /// One that begins before `end`, which is moved behind it.
    @inline(__always)
    private func varint(_ bytes: UnsafeRawPointer, _ position: inout Int, _ end: Int) -> UInt64? {
        guard position < end else { return nil }
        let first = bytes.load(fromByteOffset: position, as: UInt8.self)
        if first < 0x80 {
            position &+= 1
            return UInt64(first)
        }
        return longVarint(bytes, &position, end)
    }

    private func longVarint(_ bytes: UnsafeRawPointer, _ position: inout Int, _ end: Int) -> UInt64? {
        var result: UInt64 = 0
        for index in 0..<9 {
            guard position < end else { return nil }
            let byte = bytes.load(fromByteOffset: position, as: UInt8.self)
            position &+= 1
            if index == 8 { return result << 8 | UInt64(byte) }
            result = result << 7 | UInt64(byte & 0x7F)
            if byte < 0x80 { return result }
        }
        return nil
    }

    @inline(__always)
    private func readHeader() -> Bool {
        var position = 0
        guard let headerSize = varint(payload, &position, localSize), headerSize <= UInt64(localSize) else { return false }
        let end = Int(headerSize)
        var offset = end
        for index in 0..<TableReader.columnCount {
            // Columns that were added later are not there in rows before.
            guard position < end else {
                columns[index] = Column()
                continue
            }
            guard let type = varint(payload, &position, end), let size = TableReader.size(ofType: type) else { return false }
            columns[index] = Column(type: type, offset: offset, size: size)
            offset &+= size
            guard offset <= payloadSize else { return false }
        }
        return true
    }

    @inline(__always)
    private static func size(ofType type: UInt64) -> Int? {
        if type >= 12 { return type <= UInt64(Int32.max) ? Int((type &- 12) >> 1) : nil }
        switch type {
        case 0, 8, 9: return 0
        case 1: return 1
        case 2: return 2
        case 3: return 3
        case 4: return 4
        case 5: return 6
        case 6, 7: return 8
        default: return nil
        }
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

    /// The integer of a column that has one; nil if it cannot be read.
    package func integer(_ column: Int) -> Int64? {
        switch columns[column].type {
        case 8: return 0
        case 9: return 1
        default:
            guard let bytes = bytes(column), let first = bytes.first else { return nil }
            return bytes.dropFirst().reduce(Int64(Int8(bitPattern: first))) { $0 << 8 | Int64($1) }
        }
    }

    /// Puts the row together up to so many bytes.
    private func gather(_ wanted: Int) -> Bool {
        guard wholeCount < wanted else { return true }
        if wholeCount == 0 {
            reserve(localSize)
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
            overflow = TableReader.bigEndian32(page, 0)
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
