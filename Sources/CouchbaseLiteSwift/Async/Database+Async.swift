import Foundation

extension Database {
    /// The database for async code: the same calls, which let other tasks run while they wait.
    public var async: Async { Async(database: self) }

    /// What can be awaited of a database. What writes is done one after another, in the order of asking; a task that is cancelled before its turn
    /// writes nothing, and gets `CancellationError`.
    public struct Async: Sendable {
        let database: Database

        private func read<Value>(_ work: @escaping @Sendable (Database) throws -> Value) async throws -> sending Value {
            let database = database
            return try await database.asyncWork.read { try work(database) }
        }

        private func write<Value>(_ work: @escaping @Sendable (Database) throws -> Value) async throws -> sending Value {
            let database = database
            return try await database.asyncWork.write { try work(database) }
        }
    }
}

extension Database.Async {
    // MARK: Work

    /// Does all that the block does to this database in one transaction: all of it is committed, or, if the block throws, nothing. What it throws is
    /// thrown as it is. The block runs on a background thread, and makes the calls that wait: `collection.save(document:)`, not `collection.async`.
    ///
    ///     try await database.async.inBatch {
    ///         for document in documents { try collection.save(document: document) }
    ///     }
    @discardableResult
    public func inBatch<Value: Sendable>(using block: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await write { database in
            var result: Swift.Result<Value, any Error>?
            do {
                try database.inBatch {
                    result = Swift.Result(catching: block)
                    _ = try result?.get()
                }
            } catch {
                // The batch knows the block's errors by their texts alone.
                if case .failure(let error) = result { throw error }
                throw error
            }
            guard let result else { throw libraryError(CBLError.unexpectedError, "The batch was not run.") }
            return try result.get()
        }
    }

    /// Runs a statement that writes: see ``Database/execute(_:parameters:)``. The parameters must not be changed meanwhile.
    @discardableResult
    public func execute(_ statement: String, parameters: Parameters? = nil) async throws -> StatementResult {
        try await write { try $0.execute(statement, parameters: parameters) }
    }

    /// A query in SQL++. It is checked at once, against the collections and indexes that there are.
    public func createQuery(_ query: String) async throws -> Query { try await read { try $0.createQuery(query) } }

    /// Gives space back, checks, or helps queries to be planned.
    public func performMaintenance(type: MaintenanceType) async throws { try await write { try $0.performMaintenance(type: type) } }

    /// Stores a blob without a document. Compaction removes those that no document refers to.
    public func saveBlob(blob: Blob) async throws { try await write { try $0.saveBlob(blob: blob) } }

    /// Encrypts the database with another key, or with none.
    public func changeEncryptionKey(_ key: EncryptionKey?) async throws { try await write { try $0.changeEncryptionKey(key) } }

    // MARK: Collections

    /// The collections of a scope.
    public func collections(scope: String? = Database.defaultScopeName) async throws -> [Collection] {
        try await read { try $0.collections(scope: scope) }
    }

    /// A collection by its name; nil if there is none.
    public func collection(name: String, scope: String? = Database.defaultScopeName) async throws -> Collection? {
        try await read { try $0.collection(name: name, scope: scope) }
    }

    /// Makes a collection, or gives the one that is there.
    public func createCollection(name: String, scope: String? = Database.defaultScopeName) async throws -> Collection {
        try await write { try $0.createCollection(name: name, scope: scope) }
    }

    /// Deletes a collection with its documents and indexes. If there is none, nothing happens.
    public func deleteCollection(name: String, scope: String? = Database.defaultScopeName) async throws {
        try await write { try $0.deleteCollection(name: name, scope: scope) }
    }

    // MARK: Its end

    /// Stops replicators, listeners and live queries, waits for them and for what async callers have asked to be written before, and closes.
    public func close() async throws { try await write { try $0.close() } }

    /// Closes the database, behind what async callers have asked to be written before, and deletes its files.
    public func delete() async throws { try await write { try $0.delete() } }
}

extension Database {
    /// For async code, what has to do with files of databases that are not open.
    public static var async: AsyncFiles { AsyncFiles() }

    /// What can be awaited before there is a database.
    public struct AsyncFiles: Sendable {
        /// Opens a database, or makes it.
        public func open(name: String, config: DatabaseConfiguration = DatabaseConfiguration()) async throws -> Database {
            try await AsyncWork.files.read { try Database(name: name, config: config) }
        }

        /// Copies a database, with a new identity of its own, under a name that no other has.
        public func copy(fromPath path: String, toDatabase name: String, withConfig config: DatabaseConfiguration?) async throws {
            try await AsyncWork.files.read { try Database.copy(fromPath: path, toDatabase: name, withConfig: config) }
        }

        /// Deletes a database that is not open. If there is none, nothing happens.
        public func delete(withName name: String, inDirectory directory: String? = nil) async throws {
            try await AsyncWork.files.read { try Database.delete(withName: name, inDirectory: directory) }
        }
    }
}
