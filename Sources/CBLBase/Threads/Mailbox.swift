import Glibc
import Synchronization

/// What other threads have to tell one that waits for it, and that looks after signals meanwhile.
package final class Mailbox<Letter: Sendable>: Sendable {
    private let letters = Mutex<[Letter]>([])
    private let bell: Bell

    package init() throws(Bell.Failure) { bell = try Bell() }

    /// How many wait to be read.
    package var count: Int { letters.withLock { $0.count } }

    package func put(_ letter: Letter) {
        let isFirst = letters.withLock { letters in
            letters.append(letter)
            return letters.count == 1
        }
        if isFirst { bell.ring() }
    }

    /// All that has come; waits for something no longer than that, and not beyond a signal. Below zero it waits as long as it takes.
    package func take(milliseconds: Int32) -> [Letter] {
        var waiting = pollfd(fd: bell.descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&waiting, 1, milliseconds) > 0 else { return [] }
        return takeAll()
    }

    /// What can be waited at for something to come.
    package var descriptor: Int32 { bell.descriptor }

    /// All that has come, if anything has.
    package func takeAll() -> [Letter] {
        bell.reset()
        return letters.withLock { letters in
            defer { letters.removeAll(keepingCapacity: true) }
            return letters
        }
    }
}
