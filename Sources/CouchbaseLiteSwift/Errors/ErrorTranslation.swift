internal import CBLFleece
internal import CBLQuery
internal import CBLSQLite
internal import CBLStore
import Foundation

/// An error of this library.
package func libraryError(_ code: Int, _ message: String) -> NSError {
    NSError(
        domain: CBLError.domain, code: code,
        userInfo: [NSLocalizedDescriptionKey: message, NSLocalizedFailureReasonErrorKey: message])
}

func systemError(_ code: Int32, _ message: String) -> NSError {
    NSError(domain: NSPOSIXErrorDomain, code: Int(code), userInfo: [NSLocalizedDescriptionKey: message])
}

/// Does something with the core, whose errors become the library's.
package func translatingErrors<Result>(_ work: () throws -> Result) throws -> Result {
    do { return try work() } catch { throw translated(error) }
}

/// Of what SQLite refuses.
let sqliteErrorDomain = "CouchbaseLite.SQLite"

/// Whatever the core has thrown, as the library's users know it.
func translated(_ error: any Error) -> NSError {
    switch error {
    case let error as StoreError: error.modelFailure.map(translated) ?? libraryError(code(error), error.description)
    case let error as JSONError: libraryError(CBLError.invalidJSON, "\(error)")
    case let error as SQLiteError:
        NSError(domain: sqliteErrorDomain, code: Int(error.code), userInfo: [NSLocalizedDescriptionKey: error.message])
    case let error as FleeceError:
        NSError(domain: "CouchbaseLite.Fleece", code: code(error), userInfo: [NSLocalizedDescriptionKey: "\(error)"])
    case let error as any CoreErrorTranslation: error.libraryError
    // What was thrown by the program's own code stays what it is. A pattern with this type would not match Swift's own errors here.
    default: error as NSError
    }
}

/// For errors of other parts of the core, next to what uses them.
protocol CoreErrorTranslation: Error {
    var libraryError: NSError { get }
}

/// The numbers are those of the vendor's encoder.
private func code(_ error: FleeceError) -> Int {
    switch error {
    case .tooLarge: 1
    case .damaged, .tooDeep, .endless, .notANumber: 3
    case .duplicateKey, .misuse: 4
    case .badSharedKeys: 9
    }
}

extension StoreError {
    /// What a predictive model said to a trigger, or that there is none: to the vendor's library that is SQLite's error.
    fileprivate var modelFailure: SQLiteError? {
        guard let cause, cause.code == 1, code == .inputOutput || cause.message.hasPrefix("Unknown ML model name") else { return nil }
        return cause
    }
}

private func code(_ error: StoreError) -> Int {
    switch error.code {
    case .notFound: CBLError.notFound
    case .exists: CBLError.invalidParameter
    case .conflict: CBLError.conflict
    case .busy: CBLError.busy
    case .notOpen: CBLError.notOpen
    case .corrupt, .foreignSchema: CBLError.corruptData
    case .notADatabase, .needsKey, .wrongKey: CBLError.unreadableDatabase
    case .version1, .tooOld: CBLError.databaseTooOld
    case .tooNew: CBLError.databaseTooNew
    case .readOnly: CBLError.notWriteable
    case .refused: CBLError.httpForbidden
    case .invalidName: CBLError.invalidParameter
    case .invalidDocument: CBLError.badDocID
    case .invalidRevision, .fromFuture: CBLError.badRevisionID
    case .unsupported: CBLError.unsupported
    case .diskFull, .inputOutput: CBLError.ioError
    case .interrupted: CBLError.unexpectedError
    case .transactionOpen: CBLError.transactionNotClosed
    case .noTransaction: CBLError.notInTransaction
    }
}
