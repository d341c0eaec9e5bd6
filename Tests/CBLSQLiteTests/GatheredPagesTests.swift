import CBLTestSupport
import Testing

@testable import CBLSQLite

@Suite struct GatheredPagesTests {
    private static let page = 4096

    private func write(_ pages: inout GatheredPages, _ file: WrittenFile, page: Int) -> Int32 {
        let content = [UInt8](repeating: UInt8(truncatingIfNeeded: page + 1), count: Self.page)
        return pages.write(content, Self.page, at: Int64(page * Self.page), file.write)
    }

    @Test func pagesThatFollowOneAnotherGoInOnePiece() {
        let file = WrittenFile()
        var pages = GatheredPages()
        pages.begin(upTo: Int64(40 * Self.page))
        for page in [0, 1, 2, 5, 6, 9] + Array(10..<40) { #expect(write(&pages, file, page: page) == 0) }
        // Two ends of rows, and as much as it keeps at a time: the last page has not waited.
        #expect(file.writes == 4)
        #expect([0, 2, 5, 9, 39].allSatisfy { file.bytes[$0 * Self.page + 7] == UInt8($0 + 1) })
        #expect(pages.finish(file.write) == 0 && file.writes == 4)
    }

    @Test func nothingIsKeptBackWhoseEndIsNotKnown() {
        let file = WrittenFile()
        var pages = GatheredPages()
        for page in 0..<3 { #expect(write(&pages, file, page: page) == 0 && file.writes == page + 1) }
        pages.begin(upTo: Int64(2 * Self.page))
        #expect(write(&pages, file, page: 0) == 0 && file.writes == 3)
        // Further than it was said.
        #expect(write(&pages, file, page: 7) == 0 && file.writes == 5)
    }

    @Test func aFailureIsToldAndNothingWaitsAnyMore() {
        let file = WrittenFile()
        var pages = GatheredPages()
        pages.begin(upTo: Int64(9 * Self.page))
        #expect(write(&pages, file, page: 0) == 0)
        file.code = 778
        #expect(write(&pages, file, page: 2) == 778)
        file.code = 0
        #expect(pages.finish(file.write) == 0 && file.writes == 1)
        #expect(write(&pages, file, page: 3) == 0 && file.writes == 2)
    }

    /// A log with 5,000 frames, of which the second part of its index tells.
    @Test func theLastPageIsKnown() {
        let size = Int(LogIndex.regionSize)
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 2 * size, alignment: 16)
        defer { memory.deallocate() }
        memory.initializeMemory(as: UInt8.self, repeating: 0)
        func set(_ offset: Int, _ value: UInt32) { memory.storeBytes(of: value, toByteOffset: offset, as: UInt32.self) }
        func place(ofFrame frame: Int) -> Int { frame < 4062 ? 136 + 4 * frame : size + 4 * (frame - 4062) }
        for frame in 0..<5000 { set(place(ofFrame: frame), UInt32(1 + frame * 7 % 3000)) }
        memory.storeBytes(of: 4096, toByteOffset: 14, as: UInt16.self)
        for (offset, value) in [(16, 5000), (20, 9000), (96, 0), (128, 5000)] as [(Int, UInt32)] { set(offset, value) }
        let index = LogIndex { $0 < 2 ? memory.baseAddress! + Int($0) * size : nil }
        #expect(index.endOfMoving() == Int64(3000 * 4096))
        set(place(ofFrame: 4999), 8000)
        #expect(index.endOfMoving() == Int64(8000 * 4096))
        // Cut off since.
        set(20, 100)
        #expect(index.endOfMoving() == Int64(100 * 4096))
        // Somebody still reads an older state, or everything is there already, or the index is another's.
        set(128, 4999)
        #expect(index.endOfMoving() == nil)
        set(128, 5000)
        set(96, 5000)
        #expect(index.endOfMoving() == nil)
        set(96, 0)
        #expect(LogIndex { $0 == 0 ? memory.baseAddress : nil }.endOfMoving() == nil)
    }
}
