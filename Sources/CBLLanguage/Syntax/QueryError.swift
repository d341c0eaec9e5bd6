/// What is wrong with a query. Independent mistakes are all in `diagnostics`, first that which the vendor's
/// library reports: it looks at FROM before the results.
package struct QueryError: Error, Sendable {
    package enum Kind: Sendable {
        /// The text cannot be parsed.
        case syntax
        /// It can, and makes no sense.
        case meaning
        /// A full-text or vector index that the query needs is not there.
        case missingIndex
        /// A parameter was given that the query does not have.
        case unknownParameter
        /// Something in the text is Couchbase Server's and has no counterpart here; the message names it.
        case unsupported
    }

    package struct Diagnostic: Sendable, Equatable {
        package var message: String
        package var range: SourceRange
        /// A sentence that may help, such as `Did you mean "hotels"?`. The message itself is the vendor's where it has one.
        package var hint: String?

        package init(_ message: String, range: SourceRange = .none, hint: String? = nil) {
            self.message = message
            self.range = range
            self.hint = hint
        }
    }

    package var kind: Kind
    package var diagnostics: [Diagnostic]
    /// The byte offset that the vendor's parser would report for a syntax error.
    package var errorPosition: Int?

    package init(_ kind: Kind, _ diagnostics: [Diagnostic], errorPosition: Int? = nil) {
        self.kind = kind
        self.diagnostics = diagnostics
        self.errorPosition = errorPosition
    }

    package init(_ kind: Kind, _ message: String, range: SourceRange = .none) {
        self.init(kind, [Diagnostic(message, range: range)])
    }
}
