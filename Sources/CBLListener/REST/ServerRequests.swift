import CBLBase
import CBLFleece
import CBLReplication
import CBLStore

/// Requests about the server itself.
enum ServerRequests {
    static func welcome(_ call: RESTCall) throws {
        let version = call.service.settings.version
        try call.answer { object in
            object.add("couchdb", "Welcome")
            object.add("CouchbaseLite", "Welcome")
            object.add("uuid", call.service.uuid)
            object.add("version", version)
            object.add(
                "vendor",
                object: { vendor in
                    vendor.add("name", "cblite")
                    vendor.add("version", version)
                })
        }
    }

    static func databases(_ call: RESTCall) throws {
        var text = ByteBuffer()
        text.append("[")
        let names = try visibleDatabases(call)
        for (place, name) in names.enumerated() {
            if place > 0 { text.append(",") }
            JSONWriter.write(string: name, to: &text)
        }
        text.append("]")
        try call.answer(json: text.bytes)
    }

    /// `_dbs_info`: what there is to say of all databases, or of those that are named.
    static func databaseInformation(_ call: RESTCall) throws {
        let named =
            call.request.method == "POST"
            ? try call.object().withRoot { try $0.dictionary?.value(forKey: "keys", nil)?.array?.strings("keys") } : nil
        guard named != nil || call.isReading else { throw RESTError.badRequest("keys is an array with the names of databases") }
        let names = try named ?? visibleDatabases(call)
        let answer = JSONAnswer(call)
        answer.text.append("[")
        for name in names {
            answer.separate()
            answer.text.append("{\"key\":")
            JSONWriter.write(string: name, to: &answer.text)
            if let keyspace = try? call.service.databases.keyspace(named: name),
                call.visitor.rights.access(to: keyspace.served.share) != nil
            {
                answer.text.append(",\"info\":")
                try DatabaseRequests.information(call, keyspace, as: name).withUnsafeBytes { answer.text.append($0) }
                answer.text.append("}")
            } else {
                answer.text.append(",\"error\":\"not_found\"}")
            }
            try answer.flush()
        }
        answer.text.append("]")
        try answer.end()
    }

    private static func visibleDatabases(_ call: RESTCall) throws -> [String] {
        try call.service.databases.names().filter { call.visitor.rights.databases?.contains($0) ?? true }
    }

    /// There is one node, this one.
    static func membership(_ call: RESTCall) throws {
        try call.answer { object in
            object.add("all_nodes", list: ["cblite@127.0.0.1"])
            object.add("cluster_nodes", list: ["cblite@127.0.0.1"])
        }
    }

    private static let mostIDs = 1000

    static func newIDs(_ call: RESTCall) throws {
        let count = min(call.parameters.integer("count") ?? 1, mostIDs)
        try call.answer { $0.add("uuids", list: (0..<count).map { _ in RESTService.newID() }) }
    }

    static func up(_ call: RESTCall) throws { try call.answer { $0.add("status", "ok") } }

    static func options(_ call: RESTCall) throws { try call.answerOK() }
}

extension RESTService {
    /// `-` and 22 characters, as 1.x makes IDs of documents.
    static func newID() -> String { "-" + DocumentRules.newID().dropFirst() }
}
