import CBLBase
import CBLFleece
import CBLReplication
import CBLStore

/// Requests about the server and about its databases.
enum EdgeServerRequests {
    /// The release whose API this is: clients look at it.
    private static let release = "1.2.0"

    static func welcome(_ call: RESTCall) throws {
        try checkVersion(call)
        let version = call.service.settings.version
        try call.answer { object in
            object.add("couchdb", "Welcome")
            object.add("uuid", call.service.uuid)
            object.add(
                "vendor",
                object: { vendor in
                    vendor.add("name", "cblite")
                    vendor.add("version", "\(release) (0; cblite \(version))")
                })
            object.add("version", "cblite/\(version) CouchbaseEdgeServer/\(release) (0; )")
        }
    }

    /// A client may say for which version of the API it was made; there is one.
    private static func checkVersion(_ call: RESTCall) throws {
        guard let version = call.request.headers["API-Version"], version != "1.0" else { return }
        throw RESTError.badRequest("the API has the version 1.0")
    }

    static func databases(_ call: RESTCall) throws {
        let databases = call.service.databases
        let names = try databases.names().filter { name in
            guard let share = databases.openDatabase(named: name)?.share else { return false }
            return call.visitor.rights.access(to: share) != nil
        }
        var text = ByteBuffer()
        DocumentWriter.write(list: names, to: &text)
        call.audit(.allDatabasesRead)
        try call.answer(json: text.bytes)
    }

    /// Of a database with all of its collections, or of one of these.
    static func information(_ call: RESTCall) throws {
        let (name, collection) = try Keyspace.split(call.place.database)
        guard let served = try call.service.databases.database(named: name),
            call.visitor.rights.access(to: served.share) != nil
        else { throw call.nothing(at: name) }
        call.audit(.databaseRead)
        if collection != nil { return try describe(try call.keyspace(), call) }
        let rights = call.visitor.rights
        var object = JSONObjectWriter()
        object.begin()
        try served.database.read { snapshot in
            object.add("db_name", name)
            object.add("db_uuid", snapshot.publicUUID?.hexadecimal ?? "")
            object.key("collections")
            object.buffer.append("{")
            var needsComma = false
            for name in snapshot.collections().sorted(by: { $0.description < $1.description }) {
                guard served.share.contains(name), rights.access(to: served.share, name) != nil else { continue }
                if needsComma { object.buffer.append(",") }
                needsComma = true
                JSONWriter.write(string: "\(name.scope).\(name.name)", to: &object.buffer)
                object.buffer.append(":")
                var counts = JSONObjectWriter(capacity: 64)
                counts.begin()
                try EdgeServerRequests.addCounts(of: name, snapshot, to: &counts)
                counts.end()
                object.buffer.append(counts.buffer.bytes)
            }
            object.buffer.append("}")
            // As 1.x and CouchDB have it, for their replicators.
            if served.share.contains(.default) { try EdgeServerRequests.addCounts(of: .default, snapshot, to: &object) }
        }
        object.add("instance_start_time", "\(served.start)")
        object.end()
        try call.answer(json: object.buffer.bytes)
    }

    private static func describe(_ keyspace: Keyspace, _ call: RESTCall) throws {
        try call.answer { object in
            try keyspace.database.read { snapshot in
                object.add("db_name", keyspace.served.name)
                object.add("db_uuid", snapshot.publicUUID?.hexadecimal ?? "")
                object.add("scope_name", keyspace.collection.scope)
                object.add("collection_name", keyspace.collection.name)
                try addCounts(of: keyspace.collection, snapshot, to: &object)
            }
            object.add("instance_start_time", "\(keyspace.served.start)")
        }
    }

    private static func addCounts(of name: CollectionName, _ snapshot: Snapshot, to object: inout JSONObjectWriter) throws {
        object.add("doc_count", try snapshot.counts(of: name).live)
        object.add("update_seq", try snapshot.lastSequence(of: name))
    }
}
