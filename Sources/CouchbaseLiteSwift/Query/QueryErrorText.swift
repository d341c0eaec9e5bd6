internal import CBLFleece
internal import CBLLanguage

/// What is wrong with the text or the JSON of a query.
enum QueryErrorText {
    /// Nil if it is the database's trouble and no mistake in the query.
    static func ofMistake(_ error: any Error) -> String? {
        switch error {
        case let error as QueryError where error.kind != .missingIndex: error.libraryError.localizedDescription
        case let error as JSONError: "\(error)"
        default: nil
        }
    }
}
