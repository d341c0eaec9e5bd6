import CBLBase
import CBLLanguage
import CBLStore

/// What names of collections without a scope mean: `_` is the current collection, and other names are looked for in its scope first, and in the
/// default one then.
struct CollectionSearch {
    let current: CollectionName
    let snapshot: Snapshot

    /// The collection that a bare name means; nil if it means what it says.
    func collection(_ name: String) -> CollectionName? {
        if name == "_" { return current }
        guard current.scope != CollectionName.defaultName, let sibling = try? CollectionName(scope: current.scope, name: name),
            snapshot.hasCollection(sibling)
        else { return nil }
        return sibling
    }

    /// A list of names, as flags and arguments have them, with their scopes.
    func names(_ list: String) -> String {
        let parts = list.unicodeScalars.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
        return parts.map { collection($0)?.description ?? $0 }.joined(separator: ",")
    }

    /// A path in SQL++, likewise.
    func path(_ path: CBLLanguage.Statement.CollectionPath) -> CBLLanguage.Statement.CollectionPath? {
        guard path.scope == nil, let meant = collection(path.name), !meant.isDefault else { return nil }
        return .init(scope: meant.scope, name: meant.name, range: path.range)
    }
}

extension ParsedCommand {
    /// The same command with the collections that the names mean in its flags and arguments.
    func searching(_ search: CollectionSearch) -> ParsedCommand { replacing(.collection, by: search.names) }
}

extension Invocation {
    /// What names mean in a query: `--collection` comes before the current collection.
    func search(in snapshot: Snapshot) throws -> CollectionSearch { try CollectionSearch(current: collectionName(), snapshot: snapshot) }
}
