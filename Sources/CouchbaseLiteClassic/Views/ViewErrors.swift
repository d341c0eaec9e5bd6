internal import CBLViews
import CouchbaseLiteSwift

/// Does something with views, whose errors become the library's.
func translatingViewErrors<Result>(_ work: () throws -> Result) throws -> Result {
    try translatingErrors {
        do { return try work() } catch let error as ViewError {
            throw libraryError(code(error), error.description)
        } catch let error as ScriptError {
            throw libraryError(error.kind == .missingLibrary ? CBLError.unsupported : CBLError.invalidQuery, error.description)
        }
    }
}

private func code(_ error: ViewError) -> Int {
    switch error {
    case .badRequest: CBLError.invalidParameter
    case .notIndexed: CBLError.notFound
    case .index: CBLError.ioError
    case .cancelled: CBLError.unexpectedError
    case .closed: CBLError.notOpen
    }
}
