import Glibc
import Synchronization

/// What another thread has to tell one that waits for it, and that looks after Ctrl-C meanwhile.
final class Mailbox<Letter: Sendable>: Sendable {
    private let letters = Mutex<[Letter]>([])
    private let readingEnd: Int32
    private let writingEnd: Int32

    init() throws {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw CommandError.system("a pipe", errno: errno) }
        (readingEnd, writingEnd) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(readingEnd)
        close(writingEnd)
    }

    /// How many wait to be read.
    var count: Int { letters.withLock { $0.count } }

    func put(_ letter: Letter) {
        let isFirst = letters.withLock { letters in
            letters.append(letter)
            return letters.count == 1
        }
        var byte: UInt8 = 0
        if isFirst { _ = write(writingEnd, &byte, 1) }
    }

    /// All that has come; waits for something no longer than that, and not beyond a signal.
    func take(milliseconds: Int32) -> [Letter] {
        var waiting = pollfd(fd: readingEnd, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, milliseconds) > 0 else { return [] }
        var byte: UInt8 = 0
        _ = read(readingEnd, &byte, 1)
        return letters.withLock { letters in
            defer { letters.removeAll(keepingCapacity: true) }
            return letters
        }
    }
}
