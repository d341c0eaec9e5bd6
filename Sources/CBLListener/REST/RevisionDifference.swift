import CBLFleece
import CBLReplication
import CBLStore

/// `_revs_diff` and `_missing_revs`: which of the revisions that a client has are not here.
enum RevisionDifference {
    static func post(_ call: RESTCall) throws {
        try answer(call) { missing, ancestors, text in
            text.append("{\"missing\":")
            DocumentWriter.write(list: missing, to: &text)
            if !ancestors.isEmpty {
                text.append(",\"possible_ancestors\":")
                DocumentWriter.write(list: ancestors, to: &text)
            }
            text.append("}")
        }
    }

    static func postMissing(_ call: RESTCall) throws {
        try answer(call, inside: "{\"missing_revs\":") { missing, _, text in DocumentWriter.write(list: missing, to: &text) }
    }

    private static func answer(
        _ call: RESTCall, inside opening: StaticString? = nil, _ write: ([String], [String], inout ByteBuffer) -> Void
    ) throws {
        let keyspace = try call.keyspace()
        let request = try call.object()
        var text = ByteBuffer(capacity: 1024)
        if let opening { text.append(opening) }
        text.append("{")
        var needsComma = false
        try request.withRoot { root in
            guard let members = root.dictionary else { return }
            try keyspace.database.read { snapshot in
                for (key, value) in members {
                    guard let id = key.string, let names = value.array else {
                        throw RESTError.badRequest("each document has a list of revisions")
                    }
                    let (missing, ancestors) = try compare(id, names.strings("the list of revisions"), keyspace, snapshot)
                    guard !missing.isEmpty else { continue }
                    if needsComma { text.append(",") }
                    needsComma = true
                    JSONWriter.write(string: id, to: &text)
                    text.append(":")
                    write(missing, ancestors, &text)
                }
            }
        }
        text.append(opening == nil ? "}" : "}}")
        try call.answer(json: text.bytes)
    }

    /// What is not here, and what is that may be an ancestor of it.
    private static func compare(
        _ id: String, _ names: [String], _ keyspace: Keyspace, _ snapshot: Snapshot
    ) throws -> (missing: [String], ancestors: [String]) {
        if try keyspace.isBeside(id) {
            let stored =
                id.hasPrefix(DesignDocuments.prefix)
                ? try snapshot.design(String(id.dropFirst(DesignDocuments.prefix.count)))?.document : try snapshot.besideDocument(id)
            let current = stored.flatMap { try? RevisionID(name: $0.revision) }
            let missing = names.filter { name in
                guard let current, let revision = try? RevisionID(name: name) else { return true }
                return current < revision
            }
            return (missing, missing.isEmpty ? [] : current.map { [$0.name] } ?? [])
        }
        // What is damaged is known by no name.
        guard let document = try? snapshot.document(id, in: keyspace.collection), let known = try? KnownRevisions(document) else {
            return (names, [])
        }
        let missing = names.filter { name in
            guard let revision = snapshot.revision(named: name) else { return true }
            return known[revision] == nil && !((try? document.revisions().currentDescends(from: revision)) ?? false)
        }
        guard !missing.isEmpty else { return ([], []) }
        let highest = missing.compactMap { UInt32($0.prefix { $0 != "-" }) }.max() ?? .max
        let older = known.all.filter { $0.id.isVersion || $0.id.generation < highest }
        let leaves = older.filter { $0.flags.contains(.leaf) }
        return (missing, (leaves.isEmpty ? older : leaves).map(\.id.name))
    }
}
