internal import CBLStore
import Foundation

extension Database {
    /// The scope `_default`, which is always there. Throws `notOpen` if the database is closed.
    public func defaultScope() throws -> Scope {
        _ = try openCore()
        return Scope(Database.defaultScopeName, self)
    }

    /// The scopes that have collections; the default one always.
    public func scopes() throws -> [Scope] {
        let names = try collectionNames()
        var scopes = [Database.defaultScopeName]
        for name in names where !scopes.contains(name.scope) { scopes.append(name.scope) }
        return scopes.map { Scope($0, self) }
    }

    /// A scope by its name; nil if it has no collections.
    public func scope(name: String) throws -> Scope? {
        let names = try collectionNames()
        return name == Database.defaultScopeName || names.contains { $0.scope == name } ? Scope(name, self) : nil
    }

    /// The collection `_default` of the scope `_default`, which every database has. In queries it is called `_`.
    public func defaultCollection() throws -> Collection {
        _ = try openCore()
        return Collection(.default, Scope(Database.defaultScopeName, self))
    }

    /// The collections of a scope, by default of the default one; none if there is no such scope.
    public func collections(scope: String? = defaultScopeName) throws -> [Collection] {
        let scope = Scope(scope ?? Database.defaultScopeName, self)
        return try collectionNames().filter { $0.scope == scope.name }.map { Collection($0, scope) }
    }

    /// Makes a collection, or gives the one that is there. Throws `invalidParameter` unless the name has 1 to 251 letters, digits, `_`, `-` and
    /// `%`, and begins with neither `_` nor `%`.
    public func createCollection(name: String, scope: String? = defaultScopeName) throws -> Collection {
        let core = try openCore()
        let name = try collectionName(name, scope)
        return try translatingErrors {
            try core.step { try $0.createCollection(name) }
            return Collection(name, Scope(name.scope, self))
        }
    }

    /// A collection by its name; nil if there is none. Without a scope it is looked for in the default one.
    public func collection(name: String, scope: String? = defaultScopeName) throws -> Collection? {
        let core = try openCore()
        guard let name = try? collectionName(name, scope) else { return nil }
        return try translatingErrors {
            try core.glance { $0.hasCollection(name) } ? Collection(name, Scope(name.scope, self)) : nil
        }
    }

    /// Deletes a collection with its documents and indexes. If there is none, nothing happens.
    public func deleteCollection(name: String, scope: String? = defaultScopeName) throws {
        let core = try openCore()
        let name = try collectionName(name, scope)
        guard !name.isDefault else { throw libraryError(CBLError.invalidParameter, "The default collection cannot be deleted.") }
        try translatingErrors {
            try core.step { transaction in
                if transaction.hasCollection(name) { try transaction.deleteCollection(name) }
            }
        }
    }

    private func collectionNames() throws -> [CollectionName] {
        let core = try openCore()
        return try translatingErrors { try core.glance { $0.collections() } }
    }

    private func collectionName(_ name: String, _ scope: String?) throws -> CollectionName {
        try translatingErrors { try CollectionName(scope: scope ?? Database.defaultScopeName, name: name) }
    }
}

/// A group of collections, of which names are unique only within it. It comes with its first collection and goes with its last one.
public final class Scope: @unchecked Sendable {
    /// `_default`: what the scope that is always there is called.
    public static let defaultScopeName = Database.defaultScopeName

    /// Its name. A scope comes with its first collection and goes with its last one.
    public let name: String
    /// The very object that it was taken from.
    public let database: Database

    init(_ name: String, _ database: Database) {
        self.name = name
        self.database = database
    }

    /// All collections of the scope.
    public func collections() throws -> [Collection] { try database.collections(scope: name) }

    /// A collection by its name; nil if there is none.
    public func collection(name: String) throws -> Collection? { try database.collection(name: name, scope: self.name) }
}
