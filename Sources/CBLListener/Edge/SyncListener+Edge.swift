import CBLReplication

extension SyncListener {
    /// Begins what a configuration has this server do by itself. Throws what keeps one of them from being begun.
    package func start(_ replications: [EdgeReplication]) throws {
        guard let service, let edge = settings.rest?.edge else { return }
        var watched: [String: [(Int, EdgeReplication)]] = [:]
        for replication in replications {
            let number = try service.replications.start(try plan(replication, edge))
            if let path = replication.watchedFile { watched[path, default: []].append((number, replication)) }
        }
        guard !watched.isEmpty else { return }
        let list = watched
        service.watch = TokenWatch(list.keys.sorted()) { [weak self] path in
            guard let self else { return }
            for (number, replication) in list[path] ?? [] {
                // A file that is just being written has nothing in it: it will change again.
                if let plan = try? self.plan(replication, edge) { service.replications.restart(number, plan) }
            }
        }
    }

    private func plan(_ replication: EdgeReplication, _ edge: EdgeSettings) throws -> ReplicationPlan {
        guard let served = try databases.database(named: replication.local) else {
            throw ConfigurationError("replications", "there is no database \"\(replication.local)\"")
        }
        return try replication.plan(served.database, .files(edge.loader))
    }
}
