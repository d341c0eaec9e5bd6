import CBLReplication
import CBLStore
import CBLTransport

/// Which handler answers which request. HEAD is a GET whose body nobody reads.
enum RESTRoutes {
    /// Answers, and ends the exchange; or gives a feed that will.
    typealias Handler = @Sendable (RESTCall) throws -> (any HTTPFeed)?

    /// What a visitor has to be allowed in the database.
    enum Need {
        case nothing
        /// To be let in; replicators ask for it in both directions.
        case entrance
        case reading
        case writing
        case everything

        /// What is to be said to somebody who may do only that; nil if it is enough.
        func missing(in access: Share.Access) -> String? {
            let isEnough =
                switch self {
                case .nothing, .entrance: true
                case .reading: access.allowsPull
                case .writing: access.allowsPush
                case .everything: access == .readWrite
                }
            guard !isEnough else { return nil }
            return access == .readOnly ? "this database can only be read" : "documents can only be stored in this database"
        }
    }

    struct Route {
        var needs: Need
        var handler: Handler
    }

    private static func route(_ needs: Need, _ handler: @escaping @Sendable (RESTCall) throws -> Void) -> Route {
        Route(needs: needs) { call in
            try handler(call)
            return nil
        }
    }

    private static func open(_ handler: @escaping @Sendable (RESTCall) throws -> Void) -> Route { route(.nothing, handler) }
    private static func enter(_ handler: @escaping @Sendable (RESTCall) throws -> Void) -> Route { route(.entrance, handler) }
    private static func read(_ handler: @escaping @Sendable (RESTCall) throws -> Void) -> Route { route(.reading, handler) }
    private static func write(_ handler: @escaping @Sendable (RESTCall) throws -> Void) -> Route { route(.writing, handler) }
    private static func change(_ handler: @escaping @Sendable (RESTCall) throws -> Void) -> Route { route(.everything, handler) }

    private static let table: [RESTPlace.Pattern: [String: Route]] = [
        .server: ["GET": enter(ServerRequests.welcome)],
        .serverOperation("_all_dbs"): ["GET": enter(ServerRequests.databases)],
        .serverOperation("_uuids"): ["GET": enter(ServerRequests.newIDs)],
        .serverOperation("_session"): [
            "GET": open(Sessions.get), "POST": open(Sessions.post), "DELETE": open(Sessions.delete),
        ],
        .serverOperation("_dbs_info"): [
            "GET": enter(ServerRequests.databaseInformation), "POST": enter(ServerRequests.databaseInformation),
        ],
        .serverOperation("_membership"): ["GET": enter(ServerRequests.membership)],
        .serverOperation("_browse"): ["GET": open(BrowsePage.get)],
        .serverOperation("_up"): ["GET": open(ServerRequests.up)],
        .serverOperation("_replicate"): ["POST": Route(needs: .entrance, handler: ReplicateRequests.post)],
        .serverOperation("_facebook_token"): ["POST": enter(LoginTokens.postFacebook)],
        .serverOperation("_persona_assertion"): ["POST": enter(LoginTokens.postPersona)],
        .serverOperation("_active_tasks"): ["GET": Route(needs: .entrance, handler: ReplicateRequests.tasks)],
        .database: [
            "GET": enter(DatabaseRequests.information), "PUT": change(DatabaseRequests.create), "DELETE": change(DatabaseRequests.delete),
            "POST": write(DocumentWriting.post),
        ],
        .document: [
            "GET": read(DocumentReading.get), "PUT": write(DocumentWriting.put), "DELETE": write(DocumentWriting.delete),
            "COPY": change(DocumentWriting.copy),
        ],
        .attachment: [
            "GET": read(AttachmentRequests.get), "PUT": write(AttachmentRequests.put), "DELETE": write(AttachmentRequests.delete),
        ],
        .designOperation("_view"): ["GET": read(ViewRequests.query), "POST": read(ViewRequests.query)],
        .designOperation("_info"): ["GET": read(ViewRequests.information)],
        .operation("_temp_view"): ["POST": read(ViewRequests.queryOnce)],
        .operation("_all_docs"): ["GET": read(DocumentList.get), "POST": read(DocumentList.post)],
        .operation("_design_docs"): [
            "GET": read(DocumentList.besides(DesignDocuments.prefix)), "POST": read(DocumentList.besides(DesignDocuments.prefix)),
        ],
        .operation("_local_docs"): [
            "GET": read(DocumentList.besides(LocalDocuments.prefix)), "POST": read(DocumentList.besides(LocalDocuments.prefix)),
        ],
        .operation("_query"): ["GET": read(QueryRequests.get), "POST": read(QueryRequests.post)],
        .operation("_find"): ["POST": read(FindRequests.find)],
        .operation("_explain"): ["POST": read(FindRequests.explain)],
        .operation("_index"): [
            "GET": read(IndexRequests.list), "POST": change(IndexRequests.create), "DELETE": change(IndexRequests.delete),
        ],
        .operation("_changes"): [
            "GET": Route(needs: .reading, handler: Changes.answer), "POST": Route(needs: .reading, handler: Changes.answer),
        ],
        .operation("_bulk_docs"): ["POST": write(BulkDocuments.post)],
        .operation("_bulk_get"): ["POST": read(BulkGet.post)],
        .operation("_revs_diff"): ["POST": enter(RevisionDifference.post)],
        .operation("_missing_revs"): ["POST": enter(RevisionDifference.postMissing)],
        .operation("_purge"): ["POST": change(Maintenance.purge)],
        .operation("_compact"): ["POST": change(Maintenance.compact)],
        .operation("_view_cleanup"): ["POST": change(Maintenance.cleanUp)],
        .operation("_ensure_full_commit"): ["POST": enter(Maintenance.ensureCommit)],
        .operation("_revs_limit"): ["GET": enter(Maintenance.revisionLimit), "PUT": change(Maintenance.setRevisionLimit)],
        .operation("_security"): ["GET": enter(Maintenance.security)],
        // What replicators note of themselves.
        .localDocument: [
            "GET": enter(BesideDocuments.get), "PUT": enter(DocumentWriting.put), "DELETE": write(BesideDocuments.delete),
        ],
    ]

    static func route(for pattern: RESTPlace.Pattern, _ method: String) throws(RESTError) -> Route {
        if method == "OPTIONS" { return open(ServerRequests.options) }
        guard let routes = table[pattern] else { throw .notFound() }
        guard let route = routes[method == "HEAD" ? "GET" : method] else { throw .methodNotAllowed }
        return route
    }
}
