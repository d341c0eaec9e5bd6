internal import CBLFleece
internal import CBLStore

/// Properties as they lie in a file or in a row of a result: the memory that containers read in place, the table of its keys, and the database
/// that has its blobs.
final class StoredValues: @unchecked Sendable {
    // Sendable: nothing of it changes.

    let data: FleeceData
    let keys: SharedKeys?
    let database: Database?

    init(_ data: FleeceData, keys: SharedKeys?, database: Database?) {
        self.data = data
        self.keys = keys
        self.database = database
    }

    /// Valid as long as this object.
    var root: Value { data.root }

    /// What JSON text says; no database has it yet.
    static func parsing(_ json: String) throws -> StoredValues {
        let encoder = FleeceEncoder()
        do {
            try JSONParser.parse(json, into: encoder)
            return StoredValues(try encoder.finish(), keys: nil, database: nil)
        } catch {
            throw libraryError(CBLError.invalidJSON, "The text is not JSON: \(error)")
        }
    }
}
