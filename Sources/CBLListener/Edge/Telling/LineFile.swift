import CBLBase
import Glibc
import Synchronization

/// A file of lines that several threads add to, each line in one piece. It is begun anew.
final class LineFile: Sendable {
    private let descriptor: Int32
    private let failure = Mutex<Int32?>(nil)

    /// `isSecret` if it is its owner's alone.
    init(_ path: String, isSecret: Bool) throws(ConfigurationError) {
        descriptor = SystemCall.retrying {
            open(path, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC | O_NOFOLLOW, isSecret ? 0o600 : 0o644)
        }
        guard descriptor >= 0 else { throw ConfigurationError(path, SystemCall.message(errno)) }
    }

    deinit { close(descriptor) }

    /// Why a line could not be written, the first time.
    var problem: String? { failure.withLock { $0.map(SystemCall.message) } }

    func write(_ line: UnsafeRawBufferPointer) {
        var bytes = Array(line)
        bytes.append(UInt8(ascii: "\n"))
        failure.withLock { failure in
            if !bytes.withUnsafeBytes({ SystemCall.writeAll($0, to: descriptor) }) { failure = failure ?? errno }
        }
    }
}
