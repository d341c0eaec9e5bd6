import CBLBase
import CBLFleece
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
        let names = try call.service.databases.names().filter { call.visitor.rights.databases?.contains($0) ?? true }
        for (place, name) in names.enumerated() {
            if place > 0 { text.append(",") }
            JSONWriter.write(string: name, to: &text)
        }
        text.append("]")
        try call.answer(json: text.bytes)
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
