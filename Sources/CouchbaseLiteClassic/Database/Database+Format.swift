internal import CBLStore
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Database

extension Database {
    /// Opens a database, or makes it. With `keepingFormat` a file stays of the version it is, and a new one has revision trees, as databases had up
    /// to version 3: then a document can have any number of branches, and earlier programs read the file. Without, this is the same as
    /// `init(name:config:)`.
    public convenience init(name: String, config: DatabaseConfiguration = DatabaseConfiguration(), keepingFormat: Bool) throws {
        try self.init(name: name, config: config, upgrade: keepingFormat ? .none : .versionVectors)
    }

    /// Whether documents have revision trees. Otherwise they have version vectors, which remember the current revision, and of each remote the
    /// latest one.
    public var hasRevisionTrees: Bool {
        get throws {
            let core = try openCore()
            return try translatingErrors { try core.read { $0.versioning != .vectors } }
        }
    }
}
