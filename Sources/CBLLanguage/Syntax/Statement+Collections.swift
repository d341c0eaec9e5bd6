extension Statement {
    /// A path of a collection as it is meant; nil if it is meant as it is written.
    package typealias PathReading = (CollectionPath) -> CollectionPath?

    /// The same statement over the collections that are meant. Properties are called by what was written, as before.
    package func reading(paths read: PathReading) -> Statement {
        switch self {
        case .select(let select): return .select(select.reading(paths: read))
        case .insert(var insert):
            insert.collection = read(insert.collection) ?? insert.collection
            if case .select(let key, let value, let select) = insert.rows {
                insert.rows = .select(key: key, value: value, select.reading(paths: read))
            }
            return .insert(insert)
        case .update(var update):
            if let path = read(update.collection) {
                update.alias = update.alias ?? update.collection.name
                update.collection = path
            }
            return .update(update)
        case .delete(var delete):
            if let path = read(delete.collection) {
                delete.alias = delete.alias ?? delete.collection.name
                delete.collection = path
            }
            return .delete(delete)
        case .createIndex(var index):
            index.collection = read(index.collection) ?? index.collection
            return .createIndex(index)
        case .dropIndex(let name, let collection, let ifExists):
            return .dropIndex(name: name, collection: collection.map { read($0) ?? $0 }, ifExists: ifExists)
        // A new one is where it is said to be.
        case .createCollection: return self
        case .dropCollection(let path, let ifExists): return .dropCollection(read(path) ?? path, ifExists: ifExists)
        }
    }
}

extension Select {
    package func reading(paths read: Statement.PathReading) -> Select {
        var select = self
        for index in sources.indices {
            guard case .collection(let scope, let name?) = sources[index].origin,
                let path = read(Statement.CollectionPath(scope: scope, name: name, range: sources[index].range))
            else { continue }
            select.sources[index].origin = .collection(scope: path.scope, name: path.name)
            select.sources[index].alias = sources[index].alias ?? name
        }
        return select
    }
}
