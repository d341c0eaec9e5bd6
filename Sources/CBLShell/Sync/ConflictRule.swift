import CBLFleece
import CBLQuery
import CBLReplication
import CBLStore

/// What `--conflict` says: a word, or an expression over the sides of a conflict.
enum ConflictRule {
    static func resolver(_ text: String) throws -> SyncResolver {
        switch text.lowercased() {
        case "default": return SyncResolution.standard
        case "local": return { _ in .local }
        case "remote": return { _ in .remote }
        case "merge": return { try SyncResolution.merge($0) }
        default:
            let expression = try SyncFilters.compile(text, .value)
            return { try resolve($0, by: expression) }
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
        case .properties(let properties): return SyncResolution(properties, of: conflict)
        case .unusable(let what):
            throw CommandError.failed("the expression of --conflict must give an object, or NULL to delete the document, and gave \(what)")
        }
    }

    /// `{"local": …, "remote": …, "base": …}`: what is deleted is null, and a base that is not kept is not there.
    private static func sides(of conflict: SyncConflict) throws -> FleeceData {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        for (name, json) in [("local", conflict.local), ("remote", conflict.remote)] {
            encoder.writeKey(name)
            if let json { try JSONParser.parse(json, into: encoder) } else { encoder.writeNull() }
        }
        if let base = conflict.base {
            encoder.writeKey("base")
            try JSONParser.parse(base, into: encoder)
        }
        encoder.endDictionary()
        return try encoder.finish()
    }
}
