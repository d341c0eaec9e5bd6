internal import CBLStore
import CouchbaseLiteSwift
import Foundation

import class CouchbaseLiteSwift.Database

extension Database {
    /// Puts a prebuilt database, of 1.x or any later version, in the place of the one of this name, or where there is none. It gets an identity of its
    /// own, and one of 1.x is converted. Until all of it is there, the old one stays; a program that is killed leaves one of the two. Throws `busy`
    /// while this program has the old one open.
    ///
    /// What is at `path` is left as it is: a `.cblite2` folder, or the `.cblite` file of 1.0 beside its folder of attachments.
    public static func replace(
        name: String, withDatabaseAt path: String, config: DatabaseConfiguration = DatabaseConfiguration()
    ) throws {
        guard !name.isEmpty else { throw libraryError(CBLError.invalidParameter, "A database must have a name.") }
        try config.makeDirectory()
        try translatingErrors {
            let source = try CBLStore.Database(path: path, options: config.options(.readOnly))
            defer { source.close() }
            _ = try source.replace(config.path(ofDatabase: name))
        }
    }
}
