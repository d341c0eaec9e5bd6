import CBLReplication

/// `_session` below a database: secrets by which a page in a browser lets its replicator in, which cannot send a password.
enum EdgeSessions {
    static func get(_ call: RESTCall) throws {
        let (user, _, _) = try person(call)
        try call.answer { object in
            object.add("ok", true)
            object.add("userCtx") { $0.add("name", user) }
        }
    }

    static func post(_ call: RESTCall) throws {
        let (user, database, edge) = try person(call)
        let isOnce = call.parameters.flag("one_time")
        let token = edge.sessions.begin(user, in: database, isOnce: isOnce, at: call.service.loopTime)
        try call.answer(headers: ["Cache-Control": "no-store"]) { object in
            object.add("ok", true)
            if isOnce { object.add("one_time_session_id", token) } else { object.add("session_id", token) }
        }
    }

    static func delete(_ call: RESTCall) throws {
        let (user, database, edge) = try person(call)
        guard edge.sessions.end(user, in: database, at: call.service.loopTime) else { throw RESTError.notFound("no session") }
        try call.answerOK()
    }

    private static func person(_ call: RESTCall) throws -> (user: String, database: String, EdgeSettings) {
        guard let user = call.visitor.user, call.visitor.authentication != "cookie" else {
            throw RESTError(401, "unauthorized", "a name and a password are needed")
        }
        let name = call.place.database
        guard let edge = call.service.settings.edge, let share = try call.service.databases.database(named: name)?.share,
            call.visitor.rights.access(to: share) != nil
        else { throw call.nothing(at: name) }
        return (user, name, edge)
    }
}
