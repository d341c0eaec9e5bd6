import CBLReplication
import CBLTransport

/// Which handler answers which request where the server is one of Couchbase Edge Server's kind: its API, and what replicators of CouchDB's kind need
/// beside it. What else 1.x has is not there.
enum EdgeRoutes {
    typealias Route = RESTRoutes.Route

    private static func route(_ needs: RESTRoutes.Need, _ handler: @escaping @Sendable (RESTCall) throws -> Void) -> Route {
        Route(needs: needs) { call in
            try handler(call)
            return nil
        }
    }

    private static let tasks: [String: Route] = [
        "GET": route(.entrance, EdgeTasks.replication), "DELETE": route(.entrance, EdgeTasks.stop),
    ]

    private static let table: [RESTPlace.Pattern: [String: Route]] = [
        .server: ["GET": route(.nothing, EdgeServerRequests.welcome)],
        .serverOperation("_all_dbs"): ["GET": route(.entrance, EdgeServerRequests.databases)],
        .serverOperation("_active_tasks"): ["GET": route(.entrance, EdgeTasks.all)],
        .serverOperation("_replicate"): ["GET": route(.entrance, EdgeTasks.replications), "POST": route(.entrance, EdgeTasks.start)],
        .database: [
            "GET": route(.entrance, EdgeServerRequests.information), "POST": route(.writing, EdgeDocuments.post),
            "PUT": route(.writing, EdgeDocuments.post),
        ],
        .document: [
            "GET": route(.reading, EdgeDocuments.get), "PUT": route(.writing, EdgeDocuments.put),
            "DELETE": route(.writing, EdgeDocuments.delete),
        ],
        .attachment: [
            "GET": route(.reading, EdgeProperties.get), "PUT": route(.writing, EdgeProperties.put),
            "DELETE": route(.writing, EdgeProperties.delete),
        ],
        .operation("_all_docs"): ["GET": route(.reading, DocumentList.get), "POST": route(.reading, DocumentList.post)],
        .operation("_bulk_docs"): ["POST": route(.writing, BulkDocuments.post)],
        .operation("_changes"): [
            "GET": Route(needs: .reading, handler: Changes.answer), "POST": Route(needs: .reading, handler: Changes.answer),
        ],
        .operation("_query"): ["GET": route(.reading, EdgeQueries.get), "POST": route(.reading, EdgeQueries.post)],
        .operation("_session"): [
            "GET": route(.entrance, EdgeSessions.get), "POST": route(.entrance, EdgeSessions.post),
            "DELETE": route(.entrance, EdgeSessions.delete),
        ],
        // For replicators of CouchDB's kind.
        .operation("_bulk_get"): ["POST": route(.reading, BulkGet.post)],
        .operation("_revs_diff"): ["POST": route(.entrance, RevisionDifference.post)],
        .operation("_ensure_full_commit"): ["POST": route(.entrance, Maintenance.ensureCommit)],
        .localDocument: [
            "GET": route(.reading, BesideDocuments.get), "PUT": route(.writing, DocumentWriting.put),
            "DELETE": route(.writing, BesideDocuments.delete),
        ],
    ]

    static func route(for pattern: RESTPlace.Pattern, _ method: String) throws(RESTError) -> Route {
        if method == "OPTIONS" { return route(.nothing, ServerRequests.options) }
        guard let routes = routes(for: pattern) else { throw .notFound() }
        guard let route = routes[method == "HEAD" ? "GET" : method] else { throw .methodNotAllowed }
        return route
    }

    private static func routes(for pattern: RESTPlace.Pattern) -> [String: Route]? {
        if let routes = table[pattern] { return routes }
        guard case .serverOperation(let path) = pattern, path.hasPrefix("_replicate/") else { return nil }
        return tasks
    }
}
