import CBLFleece
import CBLReplication
import CBLStore

/// `_all_docs`: a row for each document, with the document if that is wanted. Each page of it is read from one state of the database, and sent before
/// the next one is read. Hot: benchmark `_all_docs`.
final class DocumentList {
    static func get(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        let sequence = try keyspace.database.read { try $0.lastSequence(of: keyspace.collection) }
        guard try !call.isUnchanged("\(sequence)") else { return }
        let isEdge = call.service.settings.edge != nil
        var query = try DocumentListQuery(call.parameters, isEdge: isEdge)
        if isEdge { query.adaptToEdge(call.parameters, isPosted: false) }
        let list = try DocumentList(call.parameters, keyspace, query, JSONAnswer(call, headers: ["Etag": "\"\(sequence)\""]))
        try list.write(sequence)
        try list.answer.end()
    }

    /// `_design_docs` and `_local_docs`: the documents beside the others.
    static func besides(_ prefix: String) -> @Sendable (RESTCall) throws -> Void {
        { call in
            let keyspace = try call.keyspace()
            if call.request.method == "POST" {
                try call.objectIfAny()?.withRoot { root in if let members = root.dictionary { call.parameters.merge(members) } }
            }
            let list = try DocumentList(call.parameters, keyspace, DocumentListQuery(call.parameters), JSONAnswer(call))
            list.onlyBeside = prefix
            try list.write(0)
            try list.answer.end()
        }
    }

    static func post(_ call: RESTCall) throws {
        let keyspace = try call.keyspace()
        if call.place.rest == "queries" { return try postQueries(call, keyspace) }
        let isEdge = call.service.settings.edge != nil
        let query = try call.object().withRoot { root -> DocumentListQuery in
            let posted = root.dictionary?.value(forKey: "keys", nil)
            guard posted == nil || posted?.array != nil else { throw RESTError.badParameter("keys is an array") }
            if let members = root.dictionary { call.parameters.merge(members) }
            var query = try DocumentListQuery(call.parameters, keys: posted?.array, isEdge: isEdge)
            if isEdge { query.adaptToEdge(call.parameters, isPosted: true) }
            return query
        }
        let sequence = try keyspace.database.read { try $0.lastSequence(of: keyspace.collection) }
        let list = try DocumentList(call.parameters, keyspace, query, JSONAnswer(call))
        try list.write(sequence)
        try list.answer.end()
    }

    /// `{"queries":[{"limit":1},{"keys":["a"]}]}`: several lists in one answer.
    private static func postQueries(_ call: RESTCall, _ keyspace: Keyspace) throws {
        let sequence = try keyspace.database.read { try $0.lastSequence(of: keyspace.collection) }
        try call.answerQueries(call.object()) { parameters, answer in
            try DocumentList(parameters, keyspace, DocumentListQuery(parameters), answer).write(sequence)
        }
    }

    private let keyspace: Keyspace
    private let query: DocumentListQuery
    private let options: DocumentOptions
    private let answer: JSONAnswer
    @exclusivity(unchecked) private var toSkip: Int
    @exclusivity(unchecked) private var count = 0

    /// Of documents beside the others, only those with this in front.
    private var onlyBeside: String?

    private init(_ parameters: RESTParameters, _ keyspace: Keyspace, _ query: DocumentListQuery, _ answer: JSONAnswer) throws {
        self.keyspace = keyspace
        self.query = query
        self.answer = answer
        options = try DocumentOptions(parameters)
        toSkip = query.skip
    }

    private func write(_ sequence: UInt64) throws {
        answer.text.append("{\"rows\":[\n")
        answer.beginList()
        if let keys = query.keys { try write(keys) } else if let range = query.range { try write(range) }
        answer.text.append("\n],\"total_rows\":")
        answer.text.append(decimal: UInt64(query.omitsMissing ? count : try totalCount()))
        answer.text.append(",\"offset\":")
        answer.text.append(decimal: UInt64(query.skip))
        if query.tellsSequence {
            answer.text.append(",\"update_seq\":")
            answer.text.append(decimal: sequence)
        }
        answer.text.append("}")
    }

    private var isComplete: Bool { count >= query.limit }

    /// Of all documents, whichever were asked for. Who has seen them all need not count them again.
    private func totalCount() throws -> Int {
        if let onlyBeside {
            return try keyspace.hasDesignDocuments ? keyspace.database.read { try $0.besideDocumentIDs(with: onlyBeside).count } : 0
        }
        guard query.kind == .live else { return count }
        if query.isUnbounded, count < query.limit, toSkip == 0 { return count + query.skip }
        return try keyspace.database.read { try keyspace.counts($0).live }
    }

    /// Whether the next row is to be written.
    private func admit() -> Bool {
        guard toSkip == 0 else {
            toSkip -= 1
            return false
        }
        count += 1
        answer.separate()
        return true
    }

    // By keys.

    private func write(_ keys: [DocumentListQuery.Key]) throws {
        var rest = (query.isDescending ? keys.reversed() : keys)[...]
        while !rest.isEmpty, !isComplete {
            try keyspace.database.read { snapshot in
                while !answer.isFull, !isComplete, let key = rest.popFirst() {
                    if query.omitsMissing, try !leadsToSomething(key, snapshot) { continue }
                    if admit() { try write(key, snapshot) }
                }
            }
            try answer.flush()
        }
    }

    private func leadsToSomething(_ key: DocumentListQuery.Key, _ snapshot: Snapshot) throws -> Bool {
        guard case .id(let id) = key else { return false }
        return try snapshot.document(id, in: keyspace.collection).map { !$0.isDeleted } ?? false
    }

    private func write(_ key: DocumentListQuery.Key, _ snapshot: Snapshot) throws {
        switch key {
        case .other(let json):
            answer.text.append("{\"key\":")
            answer.text.append(json)
            answer.text.append(",\"error\":\"not_found\"}")
        case .id(let id):
            if try keyspace.isBeside(id), onlyBeside == LocalDocuments.prefix || !id.hasPrefix(LocalDocuments.prefix),
                let stored = try snapshot.besideDocument(id)
            {
                return try write(stored, id)
            }
            do {
                guard let document = try snapshot.document(id, in: keyspace.collection) else { return writeError("not_found", id) }
                try write(document, snapshot)
            } catch let error as StoreError where error.code == .corrupt {
                writeError(RESTError.damaged("").name, id)
            }
        }
    }

    private func writeError(_ name: String, _ id: String) {
        answer.text.append("{\"key\":")
        JSONWriter.write(string: id, to: &answer.text)
        answer.text.append(",\"error\":")
        JSONWriter.write(string: name, to: &answer.text)
        answer.text.append("}")
    }

    // By a range.

    /// What begins with an underscore is not in the collection, but stands in the middle of it.
    private static let besides = "_"

    private func write(_ range: (first: ScanOptions.Bound?, last: ScanOptions.Bound?)) throws {
        if let onlyBeside { return try keyspace.hasDesignDocuments ? writeBesides(onlyBeside, range) : () }
        guard keyspace.hasDesignDocuments, try !keyspace.database.read({ $0.generation.isVersion1 }) else { return try writePages(range) }
        let below = { [self] in
            guard range.first.map({ $0.id.utf8.lexicographicallyPrecedes(DocumentList.besides.utf8) }) ?? true else { return }
            let isNearer = range.last.map { $0.id.utf8.lexicographicallyPrecedes(DocumentList.besides.utf8) } ?? false
            try writePages((range.first, isNearer ? range.last : .init(DocumentList.besides, isIncluded: false)))
        }
        let above = { [self] in
            guard range.last.map({ DocumentList.besides.utf8.lexicographicallyPrecedes($0.id.utf8) }) ?? true else { return }
            let isNearer = range.first.map { DocumentList.besides.utf8.lexicographicallyPrecedes($0.id.utf8) } ?? false
            try writePages((isNearer ? range.first : .init(DocumentList.besides, isIncluded: false), range.last))
        }
        try query.isDescending ? above() : below()
        try writeBesides(DesignDocuments.prefix, range)
        try query.isDescending ? below() : above()
    }

    private func writeBesides(_ prefix: String, _ range: (first: ScanOptions.Bound?, last: ScanOptions.Bound?)) throws {
        guard query.kind != .onlyConflicts else { return }
        try keyspace.database.read { snapshot in
            let ids = try snapshot.besideDocumentIDs(with: prefix)
            for id in query.isDescending ? ids.reversed() : ids where !isComplete {
                guard range.first?.admits(asFirst: id) ?? true, range.last?.admits(asLast: id) ?? true else { continue }
                if let stored = try snapshot.besideDocument(id) {
                    if admit() { try write(stored, id) }
                } else if let document = try snapshot.document(id, in: keyspace.collection), admit() {
                    try write(document, snapshot)
                }
            }
        }
        try answer.flush()
    }

    private var content: ScanOptions.Content {
        guard query.includesDocuments else { return .metadata }
        return options.needsRelatives ? .everything : .body
    }

    private func writePages(_ range: (first: ScanOptions.Bound?, last: ScanOptions.Bound?)) throws {
        var options = ScanOptions(order: .id, content: content)
        options.isDescending = query.isDescending
        options.includesDeleted = query.kind == .withDeleted
        options.onlyConflicts = query.kind == .onlyConflicts
        (options.firstID, options.lastID) = range
        while !isComplete {
            let last = try keyspace.database.read { try writePage(options, $0) }
            try answer.flush()
            guard let last else { return }
            if query.isDescending {
                options.lastID = .init(last, isIncluded: false)
            } else {
                options.firstID = .init(last, isIncluded: false)
            }
        }
    }

    /// Gives the ID that the next page follows; nil if there is none.
    private func writePage(_ options: ScanOptions, _ snapshot: Snapshot) throws -> String? {
        let cursor = try snapshot.scan(keyspace.collection, options)
        cursor.onDamage = { [self] damaged in
            if let id = damaged.id, admit() { writeError(RESTError.damaged("").name, id) }
        }
        // The next page is read by the same statement.
        defer { cursor.close() }
        let writer = DocumentWriter(self.options, snapshot, keyspace.database.blobs)
        while !isComplete, try cursor.next() {
            if query.kind == .onlyConflicts, try conflicts(of: cursor.id, snapshot).isEmpty { continue }
            guard admit() else { continue }
            let start = answer.text.count
            do { try write(cursor, writer, snapshot) } catch let error as StoreError where error.code == .corrupt {
                answer.text.truncate(to: start)
                writeError(RESTError.damaged("").name, cursor.id)
            } catch let error as RESTError where error.status == 500 {
                answer.text.truncate(to: start)
                writeError(error.name, cursor.id)
            }
            if answer.isFull { return cursor.id }
        }
        return nil
    }

    // Rows.

    private func write(_ cursor: DocumentCursor, _ writer: DocumentWriter, _ snapshot: Snapshot) throws {
        let id = cursor.id
        let flags = cursor.flags
        let revision = try cursor.revision()
        beginRow(cursor.idBytes)
        try writeValue(revision, isDeleted: flags.contains(.deleted), id, flags, snapshot)
        if query.includesDocuments {
            answer.text.append(",\"doc\":")
            if options.needsRelatives {
                try writer.write(cursor.document(), to: &answer.text)
            } else {
                let subject = DocumentWriter.Subject(
                    id: id, revision: revision, isDeleted: flags.contains(.deleted), hasAttachments: flags.contains(.hasAttachments),
                    sequence: options.showsSequence ? cursor.sequence : 0, expiration: options.showsExpiration ? cursor.expiration : nil)
                try writer.write(subject, cursor.body, nil, to: &answer.text)
            }
        }
        answer.text.append("}")
    }

    private func write(_ document: Document, _ snapshot: Snapshot) throws {
        var id = document.id
        id.withUTF8 { beginRow(UnsafeRawBufferPointer($0)) }
        try writeValue(document.revision, isDeleted: document.isDeleted, document.id, document.flags, snapshot)
        if query.includesDocuments {
            answer.text.append(",\"doc\":")
            if document.isDeleted {
                answer.text.append("null")
            } else {
                try DocumentWriter(options, snapshot, keyspace.database.blobs).write(document, to: &answer.text)
            }
        }
        answer.text.append("}")
    }

    private func write(_ stored: RawDocument, _ id: String) throws {
        var id = id
        id.withUTF8 { beginRow(UnsafeRawBufferPointer($0)) }
        answer.text.append("{\"rev\":")
        JSONWriter.write(string: stored.revision, to: &answer.text)
        answer.text.append("}")
        if query.includesDocuments {
            answer.text.append(",\"doc\":")
            try BesideDocuments.write(stored, as: id, options, to: &answer.text)
        }
        answer.text.append("}")
    }

    private func beginRow(_ id: UnsafeRawBufferPointer) {
        answer.text.append("{\"key\":")
        JSONWriter.write(string: id, to: &answer.text)
        answer.text.append(",\"id\":")
        JSONWriter.write(string: id, to: &answer.text)
        answer.text.append(",\"value\":")
    }

    private func writeValue(_ revision: RevisionID, isDeleted: Bool, _ id: String, _ flags: DocumentFlags, _ snapshot: Snapshot) throws {
        answer.text.append("{\"rev\":\"")
        revision.appendName(to: &answer.text)
        answer.text.append(isDeleted ? "\",\"deleted\":true" : "\"")
        if query.kind == .withConflicts || query.kind == .onlyConflicts, flags.contains(.conflicted) {
            let others = try conflicts(of: id, snapshot)
            if !others.isEmpty {
                answer.text.append(",\"_conflicts\":")
                DocumentWriter.write(list: others, to: &answer.text)
            }
        }
        answer.text.append("}")
    }

    /// The live leaves beside the current revision.
    private func conflicts(of id: String, _ snapshot: Snapshot) throws -> [String] {
        guard let document = try snapshot.document(id, in: keyspace.collection) else { return [] }
        return try KnownRevisions(document).leaves.filter { !$0.isDeleted && !$0.isCurrent }.map(\.id.name)
    }
}

extension Snapshot {
    /// The IDs of design documents, or of local ones, sorted. In a file of 1.x the first are documents as others are.
    fileprivate func besideDocumentIDs(with prefix: String) throws -> [String] {
        prefix == DesignDocuments.prefix
            ? try designDocumentNames().map { prefix + $0 } : try rawDocumentKeys(in: LocalDocuments.keyStore).map { prefix + $0 }
    }
}

extension ScanOptions.Bound {
    fileprivate func admits(asFirst other: String) -> Bool {
        id.utf8.lexicographicallyPrecedes(other.utf8) || isIncluded && id.utf8.elementsEqual(other.utf8)
    }

    fileprivate func admits(asLast other: String) -> Bool {
        other.utf8.lexicographicallyPrecedes(id.utf8) || isIncluded && id.utf8.elementsEqual(other.utf8)
    }
}
