import Foundation
import Synchronization

/// How strings are compared.
public protocol CollationProtocol {}

/// Makes ways to compare strings.
public final class Collation {
    private init() {}

    /// By the bytes of their encoding.
    public static func ascii() -> ASCII { ASCII() }

    /// As people of a language do.
    public static func unicode() -> Unicode { Unicode() }

    /// By the bytes of their encoding.
    public final class ASCII: CollationProtocol, @unchecked Sendable {
        private let ignoresCase = Mutex(false)

        fileprivate init() {}

        /// Whether the case of ASCII letters does not count.
        public func ignoreCase(_ ignoreCase: Bool) -> Self {
            ignoresCase.withLock { $0 = ignoreCase }
            return self
        }

        fileprivate var built: QueryJSON {
            .object([
                ("UNICODE", .boolean(false)), ("LOCALE", .null), ("CASE", .boolean(!ignoresCase.withLock { $0 })), ("DIAC", .boolean(true)),
            ])
        }
    }

    /// As people of a language do.
    public final class Unicode: CollationProtocol, @unchecked Sendable {
        private struct Options {
            var ignoresCase = false
            var ignoresAccents = false
            var locale: String? = Collation.processLocale
        }

        private let options = Mutex(Options())

        fileprivate init() {}

        /// Whether case does not count.
        public func ignoreCase(_ ignoreCase: Bool) -> Self {
            options.withLock { $0.ignoresCase = ignoreCase }
            return self
        }

        /// Whether accents do not count.
        public func ignoreAccents(_ ignoreAccents: Bool) -> Self {
            options.withLock { $0.ignoresAccents = ignoreAccents }
            return self
        }

        /// The language, such as `se`. Without one it is that of the process; nil is none.
        public func locale(_ locale: String?) -> Self {
            options.withLock { $0.locale = locale }
            return self
        }

        fileprivate var built: QueryJSON {
            let options = options.withLock { $0 }
            return .object([
                ("UNICODE", .boolean(true)), ("LOCALE", options.locale.map { .string($0) } ?? .null),
                ("CASE", .boolean(!options.ignoresCase)), ("DIAC", .boolean(!options.ignoresAccents)),
            ])
        }
    }

    /// Nil where the process has none that says a language.
    fileprivate static var processLocale: String? {
        let language = Locale.current.identifier
        return language.isEmpty || language.hasPrefix("C") || language.hasPrefix("POSIX") ? nil : language
    }
}

extension CollationProtocol {
    var json: QueryJSON {
        switch self {
        case let collation as Collation.ASCII: collation.built
        case let collation as Collation.Unicode: collation.built
        default: programmerError(.invalidArgument, "\(type(of: self)) is no collation: only those that Collation makes are.")
        }
    }
}
