import CBLTestSupport
import Testing

@testable import CBLSQLite

@Suite struct LogTailTests {
    private static let page = 512
    private static let frame = page + 24

    /// What SQLite writes of a frame, which commits if it says how many pages there are.
    private func write(_ tail: inout LogTail, _ log: WrittenFile, frame: Int, commits: Bool, _ content: UInt8) -> Int32 {
        var header = [UInt8](repeating: content, count: 24)
        header.replaceSubrange(4..<8, with: [0, 0, 0, commits ? 9 : 0])
        let code = tail.write(header, 24, at: Int64(32 + frame * Self.frame), log.write)
        guard code == 0 else { return code }
        return tail.write([UInt8](repeating: content, count: Self.page), Self.page, at: Int64(32 + frame * Self.frame + 24), log.write)
    }

    private func start(_ tail: inout LogTail, _ log: WrittenFile) {
        #expect(tail.write([UInt8](repeating: 1, count: 32), 32, at: 0, log.write) == 0)
        log.writes = 0
    }

    @Test func aCommitIsWrittenInOnePiece() {
        let log = WrittenFile()
        var tail = LogTail()
        defer { tail.free() }
        start(&tail, log)
        for frame in 0..<3 { #expect(write(&tail, log, frame: frame, commits: frame == 2, UInt8(frame + 2)) == 0) }
        #expect(log.writes == 1 && log.bytes.count == 32 + 3 * Self.frame)
        for frame in 3..<253 { #expect(write(&tail, log, frame: frame, commits: frame == 252, 7) == 0) }
        // As much as it keeps at a time.
        #expect(log.writes == 4 && log.bytes.count == 32 + 253 * Self.frame)
    }

    @Test func whatIsGivenUpIsNeverWritten() {
        let log = WrittenFile()
        var tail = LogTail()
        defer { tail.free() }
        start(&tail, log)
        #expect(write(&tail, log, frame: 0, commits: true, 2) == 0)
        let committed = log.bytes
        #expect(write(&tail, log, frame: 1, commits: false, 3) == 0)
        tail.discard()
        #expect(tail.flush(log.write) == 0 && log.bytes == committed)
        // Somebody else may have written there meanwhile.
        #expect(write(&tail, log, frame: 1, commits: false, 4) == 0 && write(&tail, log, frame: 2, commits: true, 5) == 0)
        #expect(log.bytes[32 + Self.frame + 100] == 4 && log.bytes[32 + 2 * Self.frame + 100] == 5)
    }

    @Test func whatIsKeptBackCanBeRead() {
        let log = WrittenFile()
        var tail = LogTail()
        defer { tail.free() }
        start(&tail, log)
        #expect(write(&tail, log, frame: 0, commits: true, 2) == 0 && write(&tail, log, frame: 1, commits: false, 3) == 0)
        var target = [UInt8](repeating: 0, count: Self.page)
        let kept = Int64(32 + Self.frame + 24)
        #expect(tail.take(&target, Self.page, at: kept) == true && target.allSatisfy { $0 == 3 })
        #expect(tail.take(&target, Self.page, at: 56) == false)
        // A part of it is elsewhere.
        #expect(tail.take(&target, Self.page, at: kept - 100) == nil && tail.take(&target, Self.page, at: kept + 1) == nil)
    }

    @Test func aFailureIsToldToTheWriteThatMeetsIt() {
        let log = WrittenFile()
        var tail = LogTail()
        defer { tail.free() }
        start(&tail, log)
        log.code = 13
        #expect(write(&tail, log, frame: 0, commits: false, 2) == 0)
        #expect(write(&tail, log, frame: 1, commits: true, 3) == 13)
        log.code = 0
        #expect(tail.flush(log.write) == 0 && log.bytes.count == 32)
        #expect(write(&tail, log, frame: 0, commits: true, 4) == 0 && log.bytes.count == 32 + Self.frame)
        #expect(log.bytes[100] == 4)
    }

    /// Against a log that is written at once: everything that somebody else may read, and everything that SQLite itself reads, is the same.
    @Test(arguments: 0..<30 as Range<UInt64>) func nothingIsDifferentForOthers(seed: UInt64) {
        var random = SeededRandom(seed)
        let (log, plain) = (WrittenFile(), WrittenFile())
        var tail = LogTail()
        defer { tail.free() }
        start(&tail, log)
        _ = plain.write([UInt8](repeating: 1, count: 32), 32, 0)
        var (committed, next) = (0, 0)
        for _ in 0..<300 {
            let content: UInt8 = random.next()
            switch Int.random(in: 0..<12, using: &random) {
            case 0:
                // Given up.
                tail.discard()
                next = committed
            case 1 where next > committed:
                // A page that is changed again, before the commit.
                let frame = Int.random(in: committed..<next, using: &random)
                _ = write(&tail, log, frame: frame, commits: false, content)
                writeAtOnce(plain, frame, false, content)
            case 2 where committed > 0:
                // Checksums of frames are written anew.
                let header = [UInt8](repeating: content, count: 24)
                let place = Int64(32 + Int.random(in: 0..<committed, using: &random) * Self.frame)
                #expect(tail.write(header, 24, at: place, log.write) == 0)
                _ = plain.write(header, 24, place)
            case 3 where committed == next:
                (committed, next) = (0, 0)
                start(&tail, log)
                _ = plain.write([UInt8](repeating: 1, count: 32), 32, 0)
            default:
                let commits = Int.random(in: 0..<4, using: &random) == 0
                #expect(write(&tail, log, frame: next, commits: commits, content) == 0)
                writeAtOnce(plain, next, commits, content)
                next += 1
                if commits { committed = next }
            }
            #expect(log.bytes.prefix(32 + committed * Self.frame) == plain.bytes.prefix(32 + committed * Self.frame))
            guard next > 0 else { continue }
            let place = 32 + Int.random(in: 0..<next, using: &random) * Self.frame + 24
            var target = [UInt8](repeating: 0, count: Self.page)
            if tail.take(&target, Self.page, at: Int64(place)) != true { target = Array(log.bytes[place..<place + Self.page]) }
            #expect(target.elementsEqual(plain.bytes[place..<place + Self.page]))
        }
    }

    private func writeAtOnce(_ log: WrittenFile, _ frame: Int, _ commits: Bool, _ content: UInt8) {
        var direct = LogTail()
        _ = write(&direct, log, frame: frame, commits: commits, content)
        _ = direct.flush(log.write)
        direct.free()
    }
}
