import CBLSystemFiles
import Glibc

/// Bytes of the kernel's generator, of which many are asked for at once: a call takes longer than the bytes.
package struct RandomBytes {
    private var kept: [UInt8] = []
    private var used = 0
    private static let piece = 4080

    package init() {}

    /// Fills a few bytes with ones that were never given before.
    package mutating func fill(_ target: UnsafeMutableRawBufferPointer) {
        if used + target.count > kept.count {
            kept = [UInt8](repeating: 0, count: max(RandomBytes.piece, target.count))
            kept.withUnsafeMutableBytes { RandomBytes.ask($0) }
            used = 0
        }
        kept.withUnsafeBytes { target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[used..<used + target.count])) }
        used += target.count
    }

    /// Fills bytes at once. There is nothing that could be done without them.
    package static func ask(_ target: UnsafeMutableRawBufferPointer) {
        var rest = target[...]
        while !rest.isEmpty {
            let count = cblite_random_bytes(UnsafeMutableRawBufferPointer(rebasing: rest).baseAddress, UInt(rest.count))
            if count < 0, errno != EINTR { fatalError("the system gives no random numbers") }
            rest = rest.dropFirst(max(0, count))
        }
    }
}
