import CBLTestSupport
import Testing

@testable import CBLSQLite

/// A file in memory that counts how often it is read.
private final class CountedFile {
    var bytes: [UInt8]
    var reads = 0
    var fails = false

    init(_ count: Int, seed: UInt64) {
        // Each place of a page, and each page, has its own.
        bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ ($0 >> 9) &* 7 &+ Int(truncatingIfNeeded: seed)) }
    }

    func read(_ target: UnsafeMutableRawPointer, _ count: Int, _ offset: Int64) -> Bool {
        reads += 1
        guard !fails, Int(offset) + count <= bytes.count else { return false }
        bytes.withUnsafeBytes { target.copyMemory(from: $0.baseAddress! + Int(offset), byteCount: count) }
        return true
    }
}

@Suite struct ReadAheadTests {
    private static let page = 512

    /// Reads as the layer does: from what is here, else with what follows, else alone.
    private func read(_ ahead: inout ReadAhead, _ file: CountedFile, _ count: Int, at offset: Int) -> [UInt8]? {
        var target = [UInt8](repeating: 0, count: count)
        let isRead = target.withUnsafeMutableBytes { target in
            let (memory, place) = (target.baseAddress!, Int64(offset))
            if ahead.take(memory, count, at: place) { return true }
            let isHere = ahead.fetch(count, at: place, measure: { Int64(file.bytes.count) }, read: file.read)
            return isHere && ahead.take(memory, count, at: place) || file.read(memory, count, place)
        }
        return isRead ? target : nil
    }

    /// A transaction after the other that reads the same few pages, from back to front, gets them and no others.
    @Test func fewPagesAreReadAlone() {
        let file = CountedFile(4096 * Self.page, seed: 1)
        var ahead = ReadAhead()
        defer { ahead.free() }
        for _ in 0..<50 {
            var bytes = 0
            for page in [400, 399, 8, 2000, 1999] {
                var target = [UInt8](repeating: 0, count: Self.page)
                target.withUnsafeMutableBytes { target in
                    let place = Int64(page * Self.page)
                    if ahead.take(target.baseAddress!, Self.page, at: place) { return }
                    _ = ahead.fetch(Self.page, at: place, measure: { Int64(file.bytes.count) }) { memory, count, offset in
                        bytes += count
                        return file.read(memory, count, offset)
                    }
                }
            }
            #expect(bytes == 0)
            ahead.drop()
        }
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func whatIsReadIsWhatIsThere(seed: UInt64) {
        var random = SeededRandom(seed)
        let file = CountedFile(Int.random(in: 1...100, using: &random) * Self.page + Int.random(in: 0...1, using: &random) * 77, seed: seed)
        var ahead = ReadAhead()
        defer { ahead.free() }
        var (place, step) = (0, 1)
        for _ in 0..<1000 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0: place = Int.random(in: 0...file.bytes.count / Self.page, using: &random)
            case 1: place += Int.random(in: 0...10, using: &random)
            case 2:
                ahead.drop()
                // Now it may change, in length, too.
                let count = Int.random(in: 1...100, using: &random) * Self.page
                file.bytes = CountedFile(count, seed: random.next()).bytes
            case 3: file.fails.toggle()
            case 4: step = -step
            default: place = max(0, place + step)
            }
            let offset = place * Self.page
            let isThere = offset + Self.page <= file.bytes.count
            let found = read(&ahead, file, Self.page, at: offset)
            if let found {
                #expect(isThere && found.elementsEqual(file.bytes[offset..<offset + Self.page]))
            } else {
                #expect(!isThere || file.fails)
                place = 0
            }
        }
    }

    @Test func frontToBackIsReadInLargePieces() {
        let file = CountedFile(100 * 4096, seed: 1)
        var ahead = ReadAhead()
        defer { ahead.free() }
        for page in 0..<100 { _ = read(&ahead, file, 4096, at: page * 4096) }
        // Two alone, four, eight, and then sixteen at a time.
        #expect(file.reads == 10)
        file.reads = 0
        for page in stride(from: 99, through: 0, by: -1) { _ = read(&ahead, file, 4096, at: page * 4096) }
        // What was here of the end, and the rest in larger and larger pieces.
        #expect((1...4).contains(file.reads))
    }

    @Test func backToFrontIsReadInLargerPieces() {
        let file = CountedFile(1000 * 4096, seed: 1)
        var ahead = ReadAhead()
        defer { ahead.free() }
        for page in stride(from: 999, through: 0, by: -1) {
            #expect(
                read(&ahead, file, 4096, at: page * 4096).map { $0.elementsEqual(file.bytes[(page * 4096)..<(page + 1) * 4096]) } == true)
            // Its index, somewhere else.
            if page % 100 == 0 { _ = read(&ahead, file, 4096, at: 500 * 4096) }
        }
        // Two alone, and then 4, 8, 16, 32 and at last 64 at a time; the others are ten.
        #expect(file.reads < 40)
    }

    @Test func scatteredPagesAreReadAlone() {
        let file = CountedFile(200 * 4096, seed: 2)
        var ahead = ReadAhead()
        defer { ahead.free() }
        for place in 0..<200 { _ = read(&ahead, file, 4096, at: place * 37 % 200 * 4096) }
        #expect(file.reads == 200)
    }
}
