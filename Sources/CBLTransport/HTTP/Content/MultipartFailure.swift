/// Why a body of several parts cannot be read.
package struct MultipartFailure: Error, Hashable, Sendable {
    package enum Kind: Sendable {
        case malformed
        case cutOff
        /// It goes beyond a limit.
        case tooMuch
    }

    package let kind: Kind
    package let reason: String

    static func malformed(_ reason: String) -> MultipartFailure { MultipartFailure(kind: .malformed, reason: reason) }
    static func tooMuch(_ reason: String) -> MultipartFailure { MultipartFailure(kind: .tooMuch, reason: reason) }
}
