import CBLSystemSQLite

/// Where the pages of one state of a database lie: those that are newer in its log, the others in its main file.
///
/// It shows the state that a connection's transaction sees, for as long as that is open: as long as SQLite holds its lock for reading, nobody moves
/// pages into the main file that are newer, and nobody begins the log anew.
package final class PageSource: @unchecked Sendable {
    // Sendable: nothing of it changes, and SQLite's files are read at places that are told, which any number of threads may do.

    /// How far the log goes in that state.
    package struct Log: Sendable {
        package var frameCount: UInt32
        /// What tells this log from those before it, as the file has it.
        package var salts: UInt64

        package init(frameCount: UInt32, salts: UInt64) {
            self.frameCount = frameCount
            self.salts = salts
        }
    }

    package let pageSize: Int
    /// How much of each page is SQLite's.
    @exclusivity(unchecked) package private(set) var usableSize = 0
    /// How many pages the main file has.
    @exclusivity(unchecked) package private(set) var pageCount: UInt32 = 0
    /// No row has more: chains of pages can be made to go round in circles.
    @exclusivity(unchecked) private(set) var mostBytes: UInt64 = 0
    private let main: LayeredFile.Pointer
    private let log: LayeredFile.Pointer?
    /// The last frame that each page has in the log.
    @exclusivity(unchecked) private var frames: [UInt32: UInt32] = [:]

    private static let isUTF8: UInt8 = 1
    private static let leastUsable = 480
    private static let headSize = 8
    private static let logHeaderSize = 32
    private static let frameHeaderSize = 24
    /// The headers of longer logs take too long to read one by one.
    private static let mostFrames: UInt32 = 1 << 14

    /// Nil where the pages cannot be read so; there is always SQLite.
    package init?(_ connection: Connection, log extent: Log?) {
        guard let main = LayeredFile.main(of: connection.handle), let size = LayeredFile.size(of: main) else { return nil }
        self.main = main
        guard let pageSize = try? connection.integer("PRAGMA page_size"), (512...65536).contains(pageSize), pageSize.nonzeroBitCount == 1
        else { return nil }
        self.pageSize = Int(pageSize)
        pageCount = UInt32(clamping: size / pageSize)
        var needsLog = false
        if let extent {
            guard let hold = LayeredFile.hold(of: main) else { return nil }
            // Who found all of the log in the main file holds that alone, and the log may be begun anew. Who did not needs the log even when all of it
            // was moved: of a page that somebody has written since, no older frame is.
            needsLog = hold == .mainFileAndLog && extent.frameCount > 0
        }
        log = needsLog ? LayeredFile.log(of: connection.handle) : nil
        if let extent, needsLog {
            guard let log, extent.frameCount <= PageSource.mostFrames, !LayeredFile.isEncrypted(main),
                let frames = PageSource.frames(extent, log, self.pageSize)
            else { return nil }
            self.frames = frames
        }
        let page = UnsafeMutableRawPointer.allocate(byteCount: self.pageSize, alignment: 16)
        defer { page.deallocate() }
        guard read(1, 1, into: page) else { return nil }
        let header = UnsafeRawBufferPointer(start: page, count: 100)
        guard header.starts(with: "SQLite format 3\0".utf8), header[56..<60].elementsEqual([0, 0, 0, PageSource.isUTF8]) else { return nil }
        usableSize = self.pageSize - Int(header[20])
        guard usableSize >= PageSource.leastUsable else { return nil }
        mostBytes = UInt64(mostPages) * UInt64(self.pageSize)
    }

    private static func frames(_ extent: Log, _ log: LayeredFile.Pointer, _ pageSize: Int) -> [UInt32: UInt32]? {
        var frames: [UInt32: UInt32] = [:]
        return withUnsafeTemporaryAllocation(byteCount: frameHeaderSize, alignment: 8) { header in
            guard let start = header.baseAddress else { return nil }
            for frame in 1...extent.frameCount {
                guard LayeredFile.readAsItIs(log, start, frameHeaderSize, place(of: frame, pageSize)),
                    start.load(fromByteOffset: 8, as: UInt64.self) == extent.salts
                else { return nil }
                frames[UInt32(bigEndian: start.load(as: UInt32.self))] = frame
            }
            return frames
        }
    }

    /// Where a frame lies in the log, and behind its header the page.
    private static func place(of frame: UInt32, _ pageSize: Int) -> Int64 {
        Int64(logHeaderSize) + Int64(frame - 1) * Int64(frameHeaderSize + pageSize)
    }

    private static func place(ofPageIn frame: UInt32, _ pageSize: Int) -> Int64 { place(of: frame, pageSize) + Int64(frameHeaderSize) }

    /// No table has more.
    var mostPages: Int { Int(pageCount) + frames.count }

    var hasFrames: Bool { !frames.isEmpty }

    /// Whether a page is in the log.
    func isInLog(_ page: UInt32) -> Bool { frames[page] != nil }

    /// What the first bytes of a page of a tree say: its kind, and how many cells it has. Nil if it cannot be read.
    func head(of page: UInt32) -> (kind: UInt8, cells: Int)? {
        // Of an encrypted page the end is needed as well.
        let size = LayeredFile.isEncrypted(main) ? pageSize : PageSource.headSize
        return withUnsafeTemporaryAllocation(byteCount: size, alignment: 16) { memory in
            guard let start = memory.baseAddress else { return nil }
            if let log, let frame = frames[page] {
                guard LayeredFile.readAsItIs(log, start, size, PageSource.place(ofPageIn: frame, pageSize)) else { return nil }
            } else {
                guard page > 0, page <= pageCount, LayeredFile.readHead(main, memory, page, Int64(page - 1) * Int64(pageSize)) else {
                    return nil
                }
            }
            return (memory[0], Int(PageBytes.bigEndian16(UnsafeRawPointer(start), 3)))
        }
    }

    /// Reads pages wherever they lie, one behind the other: encrypted ones are decrypted together, in the time of one.
    func read(_ pages: ArraySlice<UInt32>, into target: UnsafeMutableRawPointer) -> Bool {
        var place = pages.startIndex
        while place < pages.endIndex {
            let page = pages[place]
            let memory = target + (place - pages.startIndex) * pageSize
            if hasFrames, isInLog(page) {
                guard read(page, 1, into: memory) else { return false }
                place += 1
                continue
            }
            var end = place + 1
            while end < pages.endIndex, pages[end] == page &+ UInt32(end - place), !hasFrames || !isInLog(pages[end]) { end += 1 }
            let count = end - place
            guard page > 0, Int(page) - 1 + count <= Int(pageCount),
                LayeredFile.readAsItIs(main, memory, count * pageSize, Int64(page - 1) * Int64(pageSize))
            else { return false }
            place = end
        }
        // Of an encrypted file nothing is in the log here.
        guard LayeredFile.isEncrypted(main) else { return true }
        return pages.withUnsafeBufferPointer {
            LayeredFile.decryptPages(main, UnsafeMutableRawBufferPointer(start: target, count: pages.count * pageSize), $0)
        }
    }

    /// Reads pages that follow one another, none but the first of which may be in the log.
    func read(_ page: UInt32, _ count: Int, into target: UnsafeMutableRawPointer) -> Bool {
        if hasFrames, let log, let frame = frames[page] {
            return count == 1 && LayeredFile.readAsItIs(log, target, pageSize, PageSource.place(ofPageIn: frame, pageSize))
        }
        guard page > 0, count > 0, Int(page) - 1 + count <= Int(pageCount) else { return false }
        return LayeredFile.readPages(main, target, count * pageSize, Int64(page - 1) * Int64(pageSize))
    }
}
