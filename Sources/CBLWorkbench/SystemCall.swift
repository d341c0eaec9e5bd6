import Glibc

/// What the C library says about a failed call.
package enum SystemCall {
    package static func message(_ code: Int32) -> String { strerror(code).map { String(cString: $0) } ?? "error \(code)" }

    /// Repeats a call that a signal interrupted.
    package static func retrying(_ call: () -> Int) -> Int {
        while true {
            let result = call()
            if result >= 0 || errno != EINTR { return result }
        }
    }
}
