internal import CBLLanguage
internal import CBLQuery
import Foundation

extension QueryError: CoreErrorTranslation {
    var libraryError: NSError {
        let code =
            switch kind {
            case .syntax, .meaning, .unsupported: CBLError.invalidQuery
            case .missingIndex: CBLError.missingIndex
            case .unknownParameter: CBLError.invalidQueryParam
            }
        let messages = diagnostics.map { $0.message + ($0.hint.map { " (\($0))" } ?? "") }
        return CouchbaseLiteSwift.libraryError(code, messages.joined(separator: "; "))
    }
}

extension QueryFailure: CoreErrorTranslation {
    var libraryError: NSError {
        switch self {
        case .cancelled, .timeLimit: CouchbaseLiteSwift.libraryError(CBLError.unexpectedError, description)
        case .refused: CouchbaseLiteSwift.libraryError(CBLError.invalidQuery, description)
        case .evaluation(let message, _):
            NSError(domain: sqliteErrorDomain, code: 1, userInfo: [NSLocalizedDescriptionKey: message])
        }
    }
}
