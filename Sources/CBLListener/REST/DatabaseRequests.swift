import CBLBase
import CBLFleece
import CBLReplication
import CBLStore

/// Requests about a whole database, or a collection.
enum DatabaseRequests {
    static func create(_ call: RESTCall) throws {
        let databases = call.service.databases
        try checkIsAdministrator(call)
        let (name, collection) = try Keyspace.split(call.place.database)
        if let collection {
            guard let served = try databases.database(named: name) else { throw RESTError.notFound("no such database") }
            guard databases.rights.contains(.create) else { throw RESTError.forbidden("collections cannot be made here") }
            let isNew = try served.database.write { try $0.createCollection(collection) }
            guard isNew else { throw RESTError.exists("there is a collection of that name") }
        } else {
            try databases.create(name)
        }
        try call.answerOK(201, headers: ["Location": call.location()])
    }

    static func delete(_ call: RESTCall) throws {
        guard call.parameters["rev"] == nil else {
            throw RESTError.badRequest("a database has no revisions: the name of a document is missing in the URL")
        }
        let databases = call.service.databases
        try checkIsAdministrator(call)
        if try databases.database(named: call.place.database) != nil {
            call.service.replications.stop(of: call.place.database)
            try databases.delete(call.place.database)
        } else {
            let keyspace = try call.keyspace()
            guard !keyspace.collection.isDefault else { throw RESTError.badID("the default collection cannot be deleted") }
            guard databases.rights.contains(.delete) else { throw RESTError.forbidden("collections cannot be deleted here") }
            try keyspace.database.write { try $0.deleteCollection(keyspace.collection) }
        }
        try call.answerOK()
    }

    private static func checkIsAdministrator(_ call: RESTCall) throws {
        guard call.visitor.standing == .administrator else { throw RESTError.forbidden("this is for those with all rights") }
    }

    /// What 1.x, CouchDB and the listener of 2.x say of a database, together.
    static func information(_ call: RESTCall) throws {
        try information(call, call.keyspace(), as: call.place.database).withUnsafeBytes { try call.answer(json: $0) }
    }

    static func information(_ call: RESTCall, _ keyspace: Keyspace, as name: String) throws -> [UInt8] {
        let database = keyspace.database
        let size = try database.fileSize()
        var object = JSONObjectWriter()
        object.begin()
        try database.read { try describe(keyspace, $0, in: &object) }
        object.add("db_name", name)
        if let access = call.visitor.rights.access(to: keyspace.served.share) { object.add("access", access.rawValue) }
        object.add("disk_size", size)
        object.add(
            "sizes",
            object: { sizes in
                sizes.add("file", size)
                sizes.add("active", size)
            })
        object.add("compact_running", false)
        // A text, as CouchDB has it: its replicator compares it with what `_ensure_full_commit` says.
        object.add("instance_start_time", "\(keyspace.served.start)")
        object.end()
        return object.buffer.withBytes { Array($0) }
    }

    private static func describe(_ keyspace: Keyspace, _ snapshot: Snapshot, in object: inout JSONObjectWriter) throws {
        let counts = try keyspace.counts(snapshot)
        let sequence = try snapshot.lastSequence(of: keyspace.collection)
        object.add("db_uuid", snapshot.publicUUID?.hexadecimal ?? "")
        object.add("scope_name", keyspace.collection.scope)
        object.add("collection_name", keyspace.collection.name)
        object.add("doc_count", counts.live)
        object.add("doc_del_count", counts.deleted)
        object.add("update_seq", sequence)
        object.add("committed_update_seq", sequence)
        object.add("purge_seq", try snapshot.purgeCount(of: keyspace.collection))
        object.add("disk_format_version", snapshot.generation.rawValue)
        object.add("revs_limit", try snapshot.pruneDepth())
        try addScopes(to: &object, keyspace, snapshot)
    }

    private static func addScopes(to object: inout JSONObjectWriter, _ keyspace: Keyspace, _ snapshot: Snapshot) throws {
        guard keyspace.collection.isDefault else { return }
        let byScope = Dictionary(grouping: snapshot.collections(), by: \.scope)
        object.key("scopes")
        object.buffer.append("{")
        for (place, scope) in byScope.keys.sorted().enumerated() {
            if place > 0 { object.buffer.append(",") }
            JSONWriter.write(string: scope, to: &object.buffer)
            object.buffer.append(":{")
            for (place, name) in (byScope[scope] ?? []).enumerated() {
                if place > 0 { object.buffer.append(",") }
                JSONWriter.write(string: name.name, to: &object.buffer)
                object.buffer.append(":")
                var counts = JSONObjectWriter(capacity: 64)
                counts.begin()
                counts.add("doc_count", try snapshot.counts(of: name).live)
                counts.add("update_seq", try snapshot.lastSequence(of: name))
                counts.end()
                object.buffer.append(counts.buffer.bytes)
            }
            object.buffer.append("}")
        }
        object.buffer.append("}")
    }
}
