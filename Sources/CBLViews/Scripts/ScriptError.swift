/// Why a script did not do what it was for.
package struct ScriptError: Error, Equatable {
    package enum Kind: Sendable {
        /// The engine's library is not installed.
        case missingLibrary
        /// The text is not a function.
        case syntax
        /// The function threw something, or what it gave cannot be stored.
        case thrown
        case time
        case memory
        /// The engine gave up.
        case broken
    }

    package let kind: Kind
    /// The name of the function, as it was given.
    package let function: String
    /// What was thrown, in the engine's words.
    package let message: String
    /// The line of the function's text, from 1, if that is known.
    package let line: Int?

    package init(_ kind: Kind, function: String, message: String, line: Int? = nil) {
        self.kind = kind
        self.function = function
        self.message = message
        self.line = line
    }
}

extension ScriptError: CustomStringConvertible {
    package var description: String {
        if kind == .missingLibrary { return message }
        let place = line.map { ", line \($0)" } ?? ""
        return "\(function)\(place): \(message)"
    }
}
