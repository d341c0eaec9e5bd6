import CBLTransport

/// Which handler answers which request. HEAD is a GET whose body nobody reads.
enum RESTRoutes {
    /// Answers, and ends the exchange; or gives a feed that will.
    typealias Handler = @Sendable (RESTCall) throws -> (any HTTPFeed)?

    private struct Route {
        var handler: Handler
        /// Whether it changes nothing that is anybody else's.
        var isHarmless = false
    }

    private static func answer(_ handler: @escaping @Sendable (RESTCall) throws -> Void, isHarmless: Bool = false) -> Route {
        Route(
            handler: { call in
                try handler(call)
                return nil
            }, isHarmless: isHarmless)
    }

    private static func harmless(_ handler: @escaping @Sendable (RESTCall) throws -> Void) -> Route { answer(handler, isHarmless: true) }

    private static let table: [RESTPlace.Pattern: [String: Route]] = [
        .server: ["GET": answer(ServerRequests.welcome)],
        .serverOperation("_all_dbs"): ["GET": answer(ServerRequests.databases)],
        .serverOperation("_uuids"): ["GET": answer(ServerRequests.newIDs)],
        .serverOperation("_session"): ["GET": answer(ServerRequests.session)],
        .serverOperation("_up"): ["GET": answer(ServerRequests.up)],
        .database: [
            "GET": answer(DatabaseRequests.information), "PUT": answer(DatabaseRequests.create), "DELETE": answer(DatabaseRequests.delete),
            "POST": answer(DocumentWriting.post),
        ],
        .document: [
            "GET": answer(DocumentReading.get), "PUT": answer(DocumentWriting.put), "DELETE": answer(DocumentWriting.delete),
            "COPY": answer(DocumentWriting.copy),
        ],
        .attachment: [
            "GET": answer(AttachmentRequests.get), "PUT": answer(AttachmentRequests.put), "DELETE": answer(AttachmentRequests.delete),
        ],
        .designOperation("_view"): ["GET": answer(ViewRequests.query), "POST": harmless(ViewRequests.query)],
        .designOperation("_info"): ["GET": answer(ViewRequests.information)],
        .operation("_temp_view"): ["POST": harmless(ViewRequests.queryOnce)],
        .operation("_all_docs"): ["GET": answer(DocumentList.get), "POST": harmless(DocumentList.post)],
        .operation("_changes"): [
            "GET": Route(handler: Changes.answer, isHarmless: true), "POST": Route(handler: Changes.answer, isHarmless: true),
        ],
        .operation("_bulk_docs"): ["POST": answer(BulkDocuments.post)],
        .operation("_bulk_get"): ["POST": harmless(BulkGet.post)],
        .operation("_revs_diff"): ["POST": harmless(RevisionDifference.post)],
        .operation("_missing_revs"): ["POST": harmless(RevisionDifference.postMissing)],
        .operation("_purge"): ["POST": answer(Maintenance.purge)],
        .operation("_compact"): ["POST": answer(Maintenance.compact)],
        .operation("_view_cleanup"): ["POST": answer(Maintenance.cleanUp)],
        .operation("_ensure_full_commit"): ["POST": harmless(Maintenance.ensureCommit)],
        .operation("_revs_limit"): ["GET": answer(Maintenance.revisionLimit), "PUT": answer(Maintenance.setRevisionLimit)],
        .operation("_security"): ["GET": answer(Maintenance.security)],
        // What replicators note of themselves.
        .localDocument: [
            "GET": answer(BesideDocuments.get), "PUT": harmless(DocumentWriting.put), "DELETE": answer(BesideDocuments.delete),
        ],
    ]

    static func handler(for pattern: RESTPlace.Pattern, _ method: String, _ service: RESTService) throws(RESTError) -> Handler {
        if method == "OPTIONS" { return answer(ServerRequests.options).handler }
        guard let routes = table[pattern] else { throw .notFound() }
        let name = method == "HEAD" ? "GET" : method
        guard let route = routes[name] else { throw .methodNotAllowed }
        guard name == "GET" || route.isHarmless || !service.settings.isReadOnly else {
            throw .forbidden("the databases here can only be read")
        }
        return route.handler
    }
}
