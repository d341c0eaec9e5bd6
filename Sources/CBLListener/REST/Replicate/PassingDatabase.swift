import CBLBase
import CBLReplication
import CBLStore

/// A database between two others, for as long as a replication from one to the other takes. Nobody else can read it.
final class PassingDatabase: Sendable {
    let database: Database
    private let folder: PrivateFolder

    private static let purpose = "passing"

    init() throws {
        PrivateFolder.removeStale(of: PassingDatabase.purpose)
        do { folder = try PrivateFolder(for: PassingDatabase.purpose) } catch {
            throw RESTError(500, "Database error!", "\(error.path): \(SystemCall.message(error.errno))")
        }
        do { database = try Database(path: folder.path + "/passing.cblite2", options: .create) } catch {
            folder.remove()
            throw error
        }
    }

    deinit {
        database.close()
        folder.remove()
    }
}
