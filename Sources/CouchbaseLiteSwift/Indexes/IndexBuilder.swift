import Foundation
import Synchronization

/// An index that `IndexBuilder` makes.
public protocol Index {}

/// An index over values: what is equal to something, or in a range, is found by it.
public final class ValueIndex: Index, Sendable {
    let items: [QueryJSON]

    init(_ items: [QueryJSON]) { self.items = items }
}

/// A column of a value index.
public final class ValueIndexItem: Sendable {
    let json: QueryJSON

    private init(_ json: QueryJSON) { self.json = json }

    /// A property, by its path.
    public class func property(_ property: String) -> ValueIndexItem { expression(Expression.property(property)) }

    /// An expression.
    public class func expression(_ expression: ExpressionProtocol) -> ValueIndexItem { ValueIndexItem(expression.json) }
}

/// An index over the words of texts.
public final class FullTextIndex: Index, Sendable {
    struct Options {
        var ignoresAccents = FullTextIndexConfiguration.defaultIgnoreAccents
        /// Nil for none.
        var language = IndexLanguage.ofProcess
    }

    let items: [QueryJSON]
    private let state = Mutex(Options())

    init(_ items: [QueryJSON]) { self.items = items }

    var options: Options { state.withLock { $0 } }

    /// Whether `cafe` finds `café`.
    public func ignoreAccents(_ ignoreAccents: Bool) -> Self {
        state.withLock { $0.ignoresAccents = ignoreAccents }
        return self
    }

    /// Whose words are reduced to their stems, as a code such as `en`. By default that of the process; nil or an empty text is none.
    public func language(_ language: String?) -> Self {
        state.withLock { $0.language = language.flatMap { $0.isEmpty ? nil : $0 } }
        return self
    }
}

/// A text that is in a full-text index.
public class FullTextIndexItem: @unchecked Sendable {
    let json: QueryJSON

    private init(_ json: QueryJSON) { self.json = json }

    /// A property, by its path.
    public class func property(_ property: String) -> FullTextIndexItem { FullTextIndexItem(Expression.property(property).json) }
}

/// Makes indexes of expressions.
public class IndexBuilder {
    private init() {}

    /// An index over values.
    public static func valueIndex(items: ValueIndexItem...) -> ValueIndex { valueIndex(items: items) }

    /// An index over values.
    public static func valueIndex(items: [ValueIndexItem]) -> ValueIndex { ValueIndex(items.map(\.json)) }

    /// An index over the words of texts.
    public static func fullTextIndex(items: FullTextIndexItem...) -> FullTextIndex { fullTextIndex(items: items) }

    /// An index over the words of texts.
    public static func fullTextIndex(items: [FullTextIndexItem]) -> FullTextIndex { FullTextIndex(items.map(\.json)) }
}

enum IndexLanguage {
    /// Nil where the process has none.
    static var ofProcess: String? {
        guard let code = Locale.current.language.languageCode?.identifier, !code.isEmpty, code != "c", code != "posix" else { return nil }
        return code
    }
}
