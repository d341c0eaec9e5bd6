import CBLFleece
import CBLReplication
import CBLStore
import CBLViews
import Synchronization

/// What the design documents of a database say of what may be stored in it: the `validate_doc_update` of each. It is asked of documents that come by
/// HTTP, as CouchDB does; design documents and local ones are stored unasked.
final class DocumentValidation: Sendable {
    /// The functions as they are compiled, and by what it shows that they are still the same.
    private struct Compiled {
        var marks: [String] = []
        /// Nil if there are none.
        var functions: Result<ScriptFunctions, RESTError>?
    }

    /// Only whoever has the lock uses it.
    private struct ScriptFunctions: @unchecked Sendable {
        let runner: ScriptRunner
        let all: [(design: String, function: ScriptRunner.Function)]
    }

    private let compiled = Mutex(Compiled())

    /// What is to be stored, or was: its properties, and what clients see beside them.
    struct Version {
        let body: Value
        let keys: SharedKeys?
        let revision: String
        let isDeleted: Bool
    }

    /// Whether there is anything to be asked.
    func isNeeded(_ snapshot: Snapshot) throws -> Bool {
        try compiled.withLock { compiled in
            try update(&compiled, snapshot)
            return compiled.functions != nil
        }
    }

    private func update(_ compiled: inout Compiled, _ snapshot: Snapshot) throws {
        let marks = try snapshot.designMarks()
        guard marks != compiled.marks else { return }
        compiled.functions = try DocumentValidation.compile(snapshot)
        compiled.marks = marks
    }

    private static func compile(_ snapshot: Snapshot) throws -> Result<ScriptFunctions, RESTError>? {
        var sources: [(design: String, source: String)] = []
        for design in try snapshot.designDocumentNames() {
            // One that cannot be read has no function that could be asked.
            guard let json = try snapshot.designDocument(design), let data = try? RESTCall.parse(json) else { continue }
            let source = data.withRoot { root -> String? in
                let language = root.dictionary?.value(forKey: "language", nil)?.string ?? "javascript"
                return language == "javascript" ? root.dictionary?.value(forKey: "validate_doc_update", nil)?.string : nil
            }
            if let source { sources.append((design, source)) }
        }
        guard !sources.isEmpty else { return nil }
        do throws(ScriptError) {
            let runner = try ScriptRunner()
            var all: [(design: String, function: ScriptRunner.Function)] = []
            for (design, source) in sources {
                all.append((design, try runner.add(try .validation(source, name: "validate_doc_update of _design/\(design)"))))
            }
            return .success(ScriptFunctions(runner: runner, all: all))
        } catch {
            return .failure(failure(error))
        }
    }

    // What cannot be asked has not agreed.
    private static func failure(_ error: ScriptError) -> RESTError {
        error.kind == .missingLibrary ? .unsupported("\(error)") : RESTError(500, "Application callback block failed", "\(error)")
    }

    /// Throws what the functions have against it.
    func check(
        _ new: Version, replacing old: Version?, as id: String, of database: String, by visitor: Visitor, _ snapshot: Snapshot
    ) throws {
        try compiled.withLock { compiled in
            try update(&compiled, snapshot)
            guard let functions = try compiled.functions?.get() else { return }
            for (_, function) in functions.all {
                let refusal = try DocumentValidation.withScript(new, id) { new in
                    try DocumentValidation.withScript(ifAny: old, id) { old in
                        do throws(ScriptError) {
                            return try functions.runner.validate(
                                function, new, replacing: old, user: { visitor.write(to: $0, database: database) })
                        } catch {
                            throw DocumentValidation.failure(error)
                        }
                    }
                }
                guard let refusal else { continue }
                throw refusal.isUnauthorized ? RESTError(401, "unauthorized", refusal.message) : RESTError.forbidden(refusal.message)
            }
        }
    }

    /// Refuses what a replicator brings and the functions have something against.
    func filter(of keyspace: Keyspace, _ visitor: Visitor) -> SyncFilter {
        { [self] revision in
            guard !revision.losesAccess else { return true }
            try keyspace.database.read { snapshot in
                guard try isNeeded(snapshot) else { return }
                let stored = try snapshot.document(revision.documentID, in: keyspace.collection)
                try revision.properties.withRoot { properties in
                    let new = Version(
                        body: properties, keys: revision.keys, revision: revision.revision?.name ?? "", isDeleted: revision.isDeleted)
                    func check(_ old: Version?) throws {
                        do {
                            try self.check(
                                new, replacing: old, as: revision.documentID, of: keyspace.served.name, by: visitor, snapshot)
                        } catch let error as RESTError {
                            throw SyncError(.webSocket, error.status == 401 ? 403 : error.status, error.reason ?? error.name)
                        }
                    }
                    guard let stored else { return try check(nil) }
                    try stored.body.withRoot {
                        try check(
                            Version(body: $0, keys: snapshot.sharedKeys, revision: stored.revision.name, isDeleted: stored.isDeleted))
                    }
                }
            }
            return true
        }
    }

    private static func withScript<Answer>(_ version: Version, _ id: String, _ work: (ScriptDocument) throws -> Answer) throws -> Answer {
        var (id, revision) = (id, version.revision)
        return try id.withUTF8 { id in
            try revision.withUTF8 { revision in
                try work(
                    ScriptDocument(
                        body: version.body, keys: version.keys, id: UnsafeRawBufferPointer(id), revision: UnsafeRawBufferPointer(revision),
                        isDeleted: version.isDeleted))
            }
        }
    }

    private static func withScript<Result>(ifAny version: Version?, _ id: String, _ work: (ScriptDocument?) throws -> Result) throws
        -> Result
    {
        guard let version else { return try work(nil) }
        return try withScript(version, id) { try work($0) }
    }
}

extension Visitor {
    /// The `userCtx` of CouchDB.
    fileprivate func write(to arguments: ScriptArguments, database: String) {
        arguments.beginObject()
        arguments.writeKey("db")
        arguments.write(database)
        arguments.writeKey("name")
        if let name { arguments.write(name) } else { arguments.writeNull() }
        arguments.writeKey("roles")
        arguments.beginArray()
        if standing == .administrator { arguments.write("_admin") }
        arguments.endArray()
        arguments.endObject()
    }
}
