import CBLFleece
import CBLQuery
import CBLReplication
import CBLStore
import CBLViews

/// Which changes a client wants to hear of.
final class ChangeFilter: @unchecked Sendable {
    // Sendable: who reads a feed is one thread after the other.

    private enum Kind {
        case documents(Set<String>)
        /// A function of a design document that says yes or no.
        case script(ScriptRunner, ScriptRunner.Function, [(name: String, value: String)])
        /// A map function that emits something or nothing.
        case map(ScriptRunner, ScriptRunner.Function)
        /// A condition on what a document says.
        case selector(DocumentExpression)
        /// Design documents.
        case designs
    }

    private let kind: Kind
    private let revision = UnsafeMutableRawBufferPointer.allocate(byteCount: RevisionID.maximumTextLength, alignment: 1)

    /// Nil if all are wanted.
    /// Edge Servers take IDs with commas between them, too.
    init?(_ parameters: RESTParameters, _ keyspace: Keyspace, isEdge: Bool = false) throws {
        switch parameters["filter"] {
        case nil, "": return nil
        case "_doc_ids": kind = .documents(try ChangeFilter.documentIDs(parameters, isEdge))
        case "doc_ids" where isEdge: kind = .documents(try ChangeFilter.documentIDs(parameters, isEdge))
        case "_design": kind = .designs
        case "_view":
            guard let name = parameters["view"] else { throw RESTError.badRequest("view is missing, the one that is to emit something") }
            let view = try keyspace.hasDesignDocuments ? keyspace.database.read { try $0.scriptedView(name) } : nil
            guard let view else { throw RESTError.notFound("no view \"\(name)\"") }
            let (runner, function) = try ChangeFilter.compile(view.map, name)
            kind = .map(runner, function)
        case "_selector":
            let condition = try (parameters.json("selector")).map { try $0.withRoot { try Selector.condition($0) } }
            guard let condition else { throw RESTError.badRequest("the selector is missing") }
            kind = .selector(try DocumentExpression(condition, .condition))
        case let name?:
            guard let source = try ChangeFilter.source(of: name, keyspace) else { throw RESTError.notFound("no filter \"\(name)\"") }
            let (runner, function) = try ChangeFilter.compile(source, name)
            kind = .script(runner, function, parameters.all)
        }
    }

    /// A function of a design document.
    init(named name: String, parameters: [String: String], _ keyspace: Keyspace) throws {
        guard let source = try ChangeFilter.source(of: name, keyspace) else { throw RESTError.notFound("no filter \"\(name)\"") }
        let (runner, function) = try ChangeFilter.compile(source, name)
        kind = .script(runner, function, parameters.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) })
    }

    deinit { revision.deallocate() }

    /// An array in JSON, or IDs with commas between them.
    private static func documentIDs(_ parameters: RESTParameters, _ isEdge: Bool) throws(RESTError) -> Set<String> {
        guard let text = parameters["doc_ids"] else { return [] }
        guard isEdge, !text.hasPrefix("[") else { return Set(try parameters.strings("doc_ids") ?? []) }
        return Set(text.split(separator: ",").map { String($0.drop { $0 == " " }) })
    }

    /// `DESIGN/FILTER`
    private static func source(of name: String, _ keyspace: Keyspace) throws -> String? {
        guard keyspace.hasDesignDocuments, let slash = name.lastIndex(of: "/") else { return nil }
        let (design, filter) = (String(name[..<slash]), String(name[name.index(after: slash)...]))
        guard let json = try keyspace.database.read({ try $0.designDocument(design) }) else { return nil }
        return try RESTCall.parse(json).withRoot { root in
            root.dictionary?.value(forKey: "filters", nil)?.dictionary?.value(forKey: filter, nil)?.string
        }
    }

    private static func compile(_ source: String, _ name: String) throws -> (ScriptRunner, ScriptRunner.Function) {
        do throws(ScriptError) {
            let runner = try ScriptRunner()
            return (runner, try runner.add(try ScriptProgram(source, name: name)))
        } catch {
            if error.kind == .missingLibrary { throw RESTError.unsupported("\(error)") }
            throw RESTError(500, "Application callback block failed", "\(error)")
        }
    }

    /// Whether it has to see what a document says.
    var needsBodies: Bool {
        switch kind {
        case .script, .map, .selector: true
        case .documents, .designs: false
        }
    }

    func admits(_ cursor: DocumentCursor, _ keys: SharedKeys) throws -> Bool {
        switch kind {
        case .documents(let ids): return ids.contains(cursor.id)
        case .designs: return cursor.id.hasPrefix(DesignDocuments.prefix)
        case .script(let runner, let function, let parameters):
            return try decide { try runner.filter(function, document(cursor, keys), parameters: parameters) }
        case .selector(let condition):
            let document = try cursor.document()
            return try condition.isTrue(
                of: .init(
                    id: document.id, revision: document.revision, sequence: document.sequence, isDeleted: document.isDeleted,
                    body: document.body, keys: keys))
        case .map(let runner, let function):
            return try ask {
                var emits = false
                try runner.map(function, document(cursor, keys)) { _ in emits = true }
                return emits
            }
        }
    }

    func admits(_ design: StoredDesign) throws -> Bool {
        switch kind {
        case .documents(let ids): return ids.contains(design.id)
        case .designs: return true
        case .script(let runner, let function, let parameters):
            return try withDocument(design) { script in try decide { try runner.filter(function, script, parameters: parameters) } }
        case .selector(let condition):
            guard let revision = try? RevisionID(name: design.revision) else { return false }
            return try condition.isTrue(
                of: .init(
                    id: design.id, revision: revision, sequence: design.sequence ?? 0, isDeleted: design.isDeleted,
                    body: ChangeFilter.body(of: design), keys: nil))
        case .map(let runner, let function):
            return try withDocument(design) { script in
                try ask {
                    var emits = false
                    try runner.map(function, script) { _ in emits = true }
                    return emits
                }
            }
        }
    }

    /// Whether a revision that is to be pushed is one of those, by a function.
    func admits(_ pushed: SyncRevision) throws -> Bool {
        guard case .script(let runner, let function, let parameters) = kind else { return true }
        var (id, revision) = (pushed.documentID, pushed.revision?.name ?? "")
        return try pushed.properties.withRoot { body in
            try id.withUTF8 { id in
                try revision.withUTF8 { revision in
                    let document = ScriptDocument(
                        body: body, keys: pushed.keys, id: UnsafeRawBufferPointer(id), revision: UnsafeRawBufferPointer(revision),
                        sequence: 0, isDeleted: pushed.isDeleted)
                    return try decide { try runner.filter(function, document, parameters: parameters) }
                }
            }
        }
    }

    private static func body(of design: StoredDesign) -> FleeceData {
        // It may be anything, in a file of a stranger.
        guard let body = try? RESTCall.parse(design.document.body), body.withRoot({ $0.dictionary != nil }) else { return .emptyDictionary }
        return body
    }

    private func withDocument(_ design: StoredDesign, _ work: (ScriptDocument) throws -> Bool) throws -> Bool {
        var (id, revision) = (design.id, design.revision)
        return try ChangeFilter.body(of: design).withRoot { body in
            try id.withUTF8 { id in
                try revision.withUTF8 { revision in
                    let document = ScriptDocument(
                        body: body, keys: nil, id: UnsafeRawBufferPointer(id), revision: UnsafeRawBufferPointer(revision),
                        sequence: design.sequence ?? 0, isDeleted: design.isDeleted)
                    return try work(document)
                }
            }
        }
    }

    // Who leaves out what a filter cannot decide about tells too little, and nobody learns of it.
    private func decide(_ body: () throws -> Bool) throws -> Bool {
        do { return try body() } catch { throw RESTError(500, "Application callback block failed", "\(error)") }
    }

    // A map function that throws emits nothing. One that takes too long would take long for each document.
    private func ask(_ body: () throws -> Bool) throws -> Bool {
        do { return try body() } catch let error as ScriptError where error.kind == .thrown { return false } catch {
            throw RESTError(500, "Application callback block failed", "\(error)")
        }
    }

    private func document(_ cursor: DocumentCursor, _ keys: SharedKeys) -> ScriptDocument {
        let count = revision.baseAddress.map { RevisionID.writeText(ofColumn: cursor.versionBytes, to: $0) } ?? 0
        return ScriptDocument(
            body: cursor.body, keys: keys, id: cursor.idBytes,
            revision: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(revision)[..<count]), sequence: cursor.sequence,
            isDeleted: cursor.isDeleted)
    }
}
