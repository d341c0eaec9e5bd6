import CBLFleece
import CBLReplication
import CBLTransport

/// `_session`: who somebody is, and being known by a cookie instead of by a password with each request.
enum Sessions {
    static func get(_ call: RESTCall) throws {
        try call.answer { object in
            object.add("ok", true)
            add(call.visitor.user ?? call.visitor.certificate, roles(call.visitor.standing == .administrator), to: &object)
            object.add(
                "info",
                object: { info in
                    info.add("authentication_handlers", list: ["cookie", "default"])
                    if let authentication = call.visitor.authentication { info.add("authenticated", authentication) }
                })
        }
    }

    private static func add(_ name: String?, _ roles: [String], to object: inout JSONObjectWriter) {
        object.add(
            "userCtx",
            object: { user in
                user.key("name")
                if let name { JSONWriter.write(string: name, to: &user.buffer) } else { user.buffer.append("null") }
                user.add("roles", list: roles)
            })
    }

    private static func roles(_ isAdministrator: Bool) -> [String] { isAdministrator ? ["_admin"] : [] }

    static func post(_ call: RESTCall) throws {
        guard let admission = call.service.admission else { throw wrong }
        let credentials = try credentials(call)
        do throws(HTTPAnswer) {
            let (rights, cookie) = try admission.signIn(credentials, from: call.request.address)
            try? call.answer(headers: ["Set-Cookie": cookie, "Cache-Control": "no-store"]) { object in
                object.add("ok", true)
                object.add("name", credentials.user)
                object.add("roles", list: roles(rights == UserRights()))
            }
        } catch {
            guard error.status == 429 else { throw wrong }
            throw RESTError(429, "too_many_requests", error.reason)
        }
    }

    private static let wrong = RESTError(401, "unauthorized", "the name or the password is not right")

    // As JSON or as a form sends it.
    private static func credentials(_ call: RESTCall) throws -> Credentials {
        let isForm = call.request.headers["Content-Type"].flatMap { MediaType($0) }?.essence == "application/x-www-form-urlencoded"
        guard isForm else {
            return try call.object().withRoot { root in
                guard let name = member("name", of: root) ?? member("username", of: root), let password = member("password", of: root)
                else {
                    throw incomplete
                }
                return Credentials(user: name, password: password)
            }
        }
        let query = HTTPQuery(encoded: String(decoding: try call.body(), as: UTF8.self))
        guard let name = query?["name"] ?? query?["username"], let password = query?["password"] else { throw incomplete }
        return Credentials(user: name, password: password)
    }

    private static func member(_ name: String, of root: Value) -> String? { root.dictionary?.value(forKey: name, nil)?.string }

    private static let incomplete = RESTError.badRequest("a name and a password are needed")

    static func delete(_ call: RESTCall) throws {
        let headers: HTTPHeaders = call.service.admission.map { ["Set-Cookie": $0.signOut(call.request.headers)] } ?? [:]
        try call.answerOK(headers: headers)
    }
}
