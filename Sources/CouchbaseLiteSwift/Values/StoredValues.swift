internal import CBLFleece
internal import CBLStore
import Synchronization

/// Properties as they lie in a file or in a row of a result: the memory that containers read in place, the table of its keys, and the database
/// that has its blobs.
final class StoredValues: @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    let data: FleeceData
    let keys: SharedKeys?
    private let origin: Database?
    /// The one that they were saved in, if they came from none.
    private let adopter = Mutex<Database?>(nil)

    init(_ data: FleeceData, keys: SharedKeys?, database: Database?) {
        self.data = data
        self.keys = keys
        origin = database
    }

    var database: Database? { origin ?? adopter.withLock { $0 } }

    /// From now on, blobs that are named here are looked for in this database.
    func adopt(_ database: Database) {
        if origin == nil { adopter.withLock { if $0 == nil { $0 = database } } }
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
