import CBLFleece
import CBLQuery
import CBLReplication
import CBLStore

/// How conflicts are settled, in words: `default`, `local`, `remote`, `merge`, or an expression of SQL++ over the sides of a conflict.
///
///     let rule = try ConflictRule("CASE WHEN local.visits > remote.visits THEN local ELSE remote END")
///     collection.resolver = rule.resolution
package struct ConflictRule: Sendable {
    /// The expression gave what is neither an object nor NULL.
    package struct UnusableResult: Error, Equatable, CustomStringConvertible {
        /// `an array`
        package let result: String

        package init(result: String) { self.result = result }

        package var description: String { "the expression must give an object, or NULL to delete the document, and gave \(result)" }
    }

    package let resolution: SyncResolver

    /// Throws `QueryError` for an expression with mistakes.
    package init(_ text: String) throws {
        switch text.lowercased() {
        case "default": resolution = SyncResolution.standard
        case "local": resolution = { _ in .local }
        case "remote": resolution = { _ in .remote }
        case "merge": resolution = { try SyncResolution.merge($0) }
        default:
            let expression = try DocumentExpression(text, .value)
            resolution = { try ConflictRule.resolve($0, by: expression) }
        }
    }

    private enum Result {
        case deleted
        case properties(FleeceData)
        case unusable(String)
    }

    private static func resolve(_ conflict: SyncConflict, by expression: DocumentExpression) throws -> SyncResolution {
        let subject = DocumentExpression.Subject(id: conflict.documentID, body: try sides(of: conflict))
        let result = try expression.value(of: subject) { value -> Result in
            switch value {
            case .null: return .deleted
            case .missing: return .unusable("MISSING")
            case .collection(let object) where object.dictionary != nil:
                let encoder = FleeceEncoder()
                encoder.write(object, keys: nil)
                return .properties(try encoder.finish())
            case .collection: return .unusable("an array")
            case .text: return .unusable("a text")
            case .boolean: return .unusable("a truth value")
            case .integer, .unsigned, .double: return .unusable("a number")
            case .data: return .unusable("data")
            }
        }
        switch result {
        case .deleted: return .deleted
        case .properties(let properties): return SyncResolution(DocumentProperties(properties), of: conflict)
        case .unusable(let what): throw UnusableResult(result: what)
        }
    }

    /// `{"local": …, "remote": …, "base": …}`: what is deleted is null, and a base that is not kept is not there.
    private static func sides(of conflict: SyncConflict) throws -> FleeceData {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        for (name, properties) in [("local", conflict.local), ("remote", conflict.remote)] {
            encoder.writeKey(name)
            if let properties { properties.withRoot { encoder.write($0, keys: properties.keys) } } else { encoder.writeNull() }
        }
        if let base = conflict.base {
            encoder.writeKey("base")
            base.withRoot { encoder.write($0, keys: base.keys) }
        }
        encoder.endDictionary()
        return try encoder.finish()
    }
}
