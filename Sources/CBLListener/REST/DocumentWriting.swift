import CBLBase
import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// Requests that change a document.
enum DocumentWriting {
    static func put(_ call: RESTCall) throws { try store(call, as: call.place.document) }

    /// A document whose ID is in its body, or is made here.
    static func post(_ call: RESTCall) throws { try store(call, as: nil) }

    private static func store(_ call: RESTCall, as named: String?) throws {
        let keyspace = try call.keyspace()
        let upload = try DocumentUpload(call, keyspace)
        let isEdit = call.parameters.flag("new_edits", default: true)
        let expiration = try call.expiration()
        let (id, revision, isDeleted) = try upload.document.withRoot { root in
            let document = try IncomingDocument(root)
            let id = try self.id(of: document, named, call)
            let parent = isEdit ? try call.parentRevision(document.revision) : nil
            let revision = try keyspace.database.write { transaction in
                let editor = try DocumentEditor(transaction, keyspace, for: call, uploads: upload.attachments)
                let revision = try isEdit ? editor.save(document, as: id, parent: parent) : editor.insert(document, as: id)
                if let expiration, try !keyspace.isBeside(id, transaction) {
                    try transaction.setExpiration(id, in: keyspace.collection, expiration)
                }
                return revision
            }
            if isEdit { call.audit(.edit(of: document, parent: parent), document: id) }
            return (id, revision, document.isDeleted)
        }
        // Who does not wait for the commit is not told what it came to; here it is done all the same.
        if call.parameters["batch"] == "ok" {
            return try call.answer(202) { object in
                object.add("ok", true)
                object.add("id", id)
            }
        }
        let headers: HTTPHeaders = ["Etag": "\"\(revision)\""]
        try answer(
            call, isDeleted ? 200 : 201, id, revision, headers, location: isDeleted ? nil : .some(named == nil ? id : nil),
            expiration: expiration)
    }

    private static func id(of document: IncomingDocument, _ named: String?, _ call: RESTCall) throws -> String {
        if let named {
            guard document.id == nil || document.id == named else { throw RESTError.badID("the _id is not that of the URL") }
            return named
        }
        if let id = document.id { return id }
        guard !document.isDeleted else { throw RESTError.badRequest("a deletion has the _id of a document") }
        return call.service.newDocumentID()
    }

    /// `location` is what is behind the URL of the request; nil for no location at all.
    static func answer(
        _ call: RESTCall, _ status: Int, _ id: String, _ revision: String, _ headers: HTTPHeaders = [:], location: String?? = nil,
        expiration: Int64? = nil
    ) throws {
        var headers = headers
        if let location { headers.add("Location", call.location(location)) }
        try call.answer(status, headers: headers) { object in
            object.add("ok", true)
            object.add("id", id)
            object.add("rev", revision)
            if let expiration { object.add("expires", expiration / 1000) }
        }
    }

    static func delete(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let id = call.place.document
        if try keyspace.isBeside(id) { return try BesideDocuments.delete(call) }
        try keyspace.check(id: id)
        let parent = try call.parentRevision()
        let expiration = try call.expiration()
        let revision = try keyspace.database.write { transaction in
            guard let document = try transaction.document(id, in: keyspace.collection) else { throw RESTError.missing }
            guard !document.isDeleted || parent != document.revision.name else { throw RESTError.deleted }
            let deletion = try RESTCall.parse(Array("{\"_deleted\":true}".utf8))
            let revision = try deletion.withRoot { root in
                try DocumentEditor(transaction, keyspace, for: call).save(IncomingDocument(root), as: id, parent: parent)
            }
            if let expiration { try transaction.setExpiration(id, in: keyspace.collection, expiration) }
            return revision
        }
        call.audit(.documentDeleted, document: id)
        try answer(call, 200, id, revision, ["Etag": "\"\(revision)\""], expiration: expiration)
    }

    /// `COPY /db/a` with `Destination: b?rev=2-…`
    static func copy(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let id = call.place.document
        guard let header = call.request.headers["Destination"], let target = HTTPRequest("COPY", target: "/" + header),
            let name = target.path.first, target.path.count <= 2
        else { throw RESTError.badRequest("the header Destination has the ID of a document") }
        let targetID = ([name] + target.path.dropFirst()).joined(separator: "/")
        guard try !keyspace.isBeside(id), try !keyspace.isBeside(targetID) else { throw RESTError.badRequest("\(id) cannot be copied") }
        let saved = try keyspace.database.write { transaction in
            let found = try DocumentReading.find(call, id, in: keyspace, transaction)
            guard let body = found.body else { throw RESTError.missing }
            let parent = try target.query["rev"].map { name in
                guard let revision = transaction.revision(named: name) else { throw RESTError.conflict() }
                return revision
            }
            let editor = try DocumentEditor(transaction, keyspace, for: call)
            try body.withRoot { root in
                try editor.validate(
                    DocumentValidation.Version(body: root, keys: transaction.sharedKeys, revision: parent?.name ?? "", isDeleted: false),
                    as: targetID, replacing: parent, of: transaction.document(targetID, in: keyspace.collection))
            }
            return try transaction.saveAsVersion1(targetID, in: keyspace.collection, after: parent, body: body)
        }
        try answer(call, 201, targetID, saved.id.name, ["Etag": "\"\(saved.id.name)\""])
    }
}
