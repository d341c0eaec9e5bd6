import CBLBase
import Glibc
import Synchronization

/// What another thread has to tell one that waits for it, and that looks after Ctrl-C meanwhile.
final class Mailbox<Letter: Sendable>: Sendable {
    private let letters = Mutex<[Letter]>([])
    private let bell: Bell

    init() throws {
        do { bell = try Bell() } catch { throw CommandError.system("a pipe", errno: error.errno) }
    }

    /// How many wait to be read.
    var count: Int { letters.withLock { $0.count } }

    func put(_ letter: Letter) {
        let isFirst = letters.withLock { letters in
            letters.append(letter)
            return letters.count == 1
        }
        if isFirst { bell.ring() }
    }

    /// All that has come; waits for something no longer than that, and not beyond a signal.
    func take(milliseconds: Int32) -> [Letter] {
        var waiting = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, milliseconds) > 0 else { return [] }
        return takeAll()
    }

    /// All that has come; waits for something as long as it takes, or until Ctrl-C.
    func take() -> [Letter] {
        Interruption.wait(for: bell.descriptor)
        return takeAll()
    }

    private func takeAll() -> [Letter] {
        bell.reset()
        return letters.withLock { letters in
            defer { letters.removeAll(keepingCapacity: true) }
            return letters
        }
    }
}
