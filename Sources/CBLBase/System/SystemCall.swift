import Glibc

/// Calls of the C library.
@usableFromInline package enum SystemCall {
    /// What it says about a failed call.
    package static func message(_ code: Int32) -> String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

    /// Repeats a call that a signal interrupted.
    @inlinable
    package static func retrying<Result: SignedInteger>(_ call: () -> Result) -> Result {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
