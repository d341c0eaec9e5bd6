import Glibc

/// A file descriptor that becomes readable when somebody rings, on whatever thread, and stays so until it is reset.
package final class Bell: Sendable {
    package let descriptor: Int32
    private let cord: Int32

    /// There were no descriptors left, or the like.
    package struct Failure: Error { public let errno: Int32 }

    package init() throws(Failure) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(errno: errno) }
        (descriptor, cord) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
        }
    }

    deinit {
        close(descriptor)
        close(cord)
    }

    /// If the pipe is full, it is ringing already. A signal's handler may ring: what was going on does not see another `errno`.
    package func ring() {
        let before = errno
        var byte: UInt8 = 0
        _ = write(cord, &byte, 1)
        errno = before
    }

    package func reset() {
        var bytes = (0 as UInt64, 0 as UInt64)
        while read(descriptor, &bytes, MemoryLayout.size(ofValue: bytes)) > 0 {}
    }
}
