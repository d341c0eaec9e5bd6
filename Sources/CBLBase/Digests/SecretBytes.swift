import CBLSystemNettle
import Glibc

/// Bytes that nobody is to see: they are in no description and no core dump, are compared in a time that tells nothing of them, and are wiped when nobody
/// has them any more. What they are made of is the caller's to wipe.
package final class SecretBytes: Sendable, Equatable {
    // Sendable: nothing writes to it between `init` and `deinit`.
    private let memory: SecretMemory
    private var bytes: UnsafeMutableRawBufferPointer { memory.bytes }

    /// `fill` puts them into memory that has zeros.
    package init(count: Int, fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
        memory = SecretMemory(count: count)
        // Whatever throws here, `deinit` follows.
        try fill(memory.bytes)
    }

    package convenience init(_ content: UnsafeRawBufferPointer) {
        self.init(count: content.count) { $0.copyMemory(from: content) }
    }

    deinit { memory.free() }

    /// Overwrites what was secret. The compiler must not leave this out because nobody reads it.
    package static func wipe(_ bytes: UnsafeMutableRawBufferPointer) {
        if let start = bytes.baseAddress { explicit_bzero(start, bytes.count) }
    }

    package var count: Int { bytes.count }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try body(UnsafeRawBufferPointer(bytes))
    }

    package static func == (a: SecretBytes, b: SecretBytes) -> Bool {
        guard a.count == b.count, let first = a.bytes.baseAddress, let second = b.bytes.baseAddress else { return a.count == b.count }
        return nettle_memeql_sec(first, second, a.count) != 0
    }
}

extension SecretBytes: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "secret (not shown)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}
