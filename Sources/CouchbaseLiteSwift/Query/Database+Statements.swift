internal import CBLLanguage
internal import CBLQuery
internal import CBLStore
import Foundation

/// What a statement that writes has come to.
public struct StatementResult: Hashable, Sendable {
    /// How many documents are new.
    public let inserted: Int
    /// How many documents have new content.
    public let updated: Int
    /// How many documents were deleted.
    public let deleted: Int

    /// How many documents were written.
    public var count: Int { inserted + updated + deleted }
}

extension Database {
    /// Runs a statement of SQL++ that writes: `INSERT`, `UPSERT`, `UPDATE`, `DELETE`, or one that makes or drops a collection or an index. Each
    /// document is saved as any other change would save it. All of it is done, or nothing.
    ///
    ///     let city = Parameters().setString("Kiel", forName: "city")
    ///     try database.execute("UPDATE hotels SET stars = stars + 1 WHERE city = $city", parameters: city)
    @discardableResult
    public func execute(_ statement: String, parameters: Parameters? = nil) throws -> StatementResult {
        let core = try openCore()
        return try translatingErrors {
            let statement = try CBLLanguage.Statement(sqlpp: statement)
            if case .select = statement {
                throw libraryError(CBLError.invalidQuery, "A SELECT changes nothing: run it with createQuery(_:).")
            }
            let parameters = try parameters?.encoded(for: self) ?? .none
            let outcome = try core.write { try StatementRunner($0, parameters: parameters).run(statement) }
            return StatementResult(outcome)
        }
    }
}

extension StatementResult {
    fileprivate init(_ outcome: StatementOutcome) {
        if case .documents(let inserted, let updated, let deleted) = outcome {
            self.init(inserted: inserted, updated: updated, deleted: deleted)
        } else {
            self.init(inserted: 0, updated: 0, deleted: 0)
        }
    }
}
