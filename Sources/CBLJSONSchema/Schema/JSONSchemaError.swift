import CBLFleece

/// Why a schema cannot be used, or why a value cannot be checked by it. A value that breaks the rules of a schema is no error: see
/// ``JSONSchema/Failure``.
package enum JSONSchemaError: Error, Equatable, Sendable {
    /// The text of the schema, or of the document with this URI, is not JSON.
    case notJSON(document: String, JSONError)
    /// What is at this place of the schema does not follow the draft.
    case invalid(place: String, reason: String)
    /// A reference leads nowhere. Nothing is fetched: documents that others refer to come from the caller.
    case unresolved(reference: String, place: String)
    /// `$schema` names a dialect that is not known.
    case unknownDialect(String, place: String)
    /// A reference leads back to itself without going into the value, at this place of the schema.
    case endless(place: String)
    /// Value and schema together are nested too deep.
    case tooDeep
    /// The schema asks for more steps than are allowed.
    case tooManySteps(Int)
    /// A regular expression took too long or too much memory.
    case pattern(place: String, reason: String)
}

extension JSONSchemaError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notJSON(let document, let error):
            document.isEmpty ? "the schema is not JSON: \(error)" : "the schema \(document) is not JSON: \(error)"
        case .invalid(let place, let reason): "the schema is invalid at \(place): \(reason)"
        case .unresolved(let reference, let place): "the schema refers at \(place) to \"\(reference)\", which is not there"
        case .unknownDialect(let uri, let place):
            "the schema says at \(place) that it is written in \"\(uri)\", which is none of the drafts 4, 6, 7, 2019-09 and 2020-12"
        case .endless(let place): "the schema refers at \(place) to itself again and again without end"
        case .tooDeep: "the schema and the value are nested too deep"
        case .tooManySteps(let limit): "to check the value takes more than \(limit) steps"
        case .pattern(let place, let reason): "the schema's pattern at \(place) cannot be applied: \(reason)"
        }
    }
}
