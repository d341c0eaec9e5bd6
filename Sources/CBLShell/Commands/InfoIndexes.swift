import CBLBase
import CBLFleece
import CBLLanguage
import CBLStore

/// `info indexes` and `info index NAME`
enum InfoIndexes {
    static let listDeclaration = CommandDeclaration(
        "indexes", group: .looking,
        summary: "List the indexes and what they are made from",
        discussion: "Lists the indexes of all collections, or with --collection those of one.",
        database: .reads,
        examples: [.init("cblite info indexes travel.cblite2", "The indexes of all collections.")],
        run: list)

    static let entriesDeclaration = CommandDeclaration(
        "index", group: .looking,
        summary: "Print what is in an index",
        discussion: """
            Prints a line for each entry, in the order of the index: the values and the document that they lead to; for a full-text index \
            each term with the numbers of documents and of places it occurs in.
            """,
        database: .reads,
        flags: [Flag("limit", value: "N", .count, "Stop after N entries")],
        arguments: [Argument("NAME", .index, .required, "The index, also as COLLECTION.NAME")],
        examples: [.init("cblite info index travel.cblite2 byName", "Every entry of the index byName.")],
        run: printEntries)

    @Sendable private static func list(_ invocation: Invocation) throws -> ExitCode {
        try invocation.database().read { snapshot in
            var indexes = try snapshot.indexes()
            if invocation.session.options.collection != nil {
                let name = try invocation.collection(in: snapshot)
                indexes = indexes.filter { $0.collection == name }
            }
            var table = Table([.left("Index"), .left("Kind"), .left("Of")])
            for index in indexes.sorted(by: StoredIndex.isListedBefore) {
                if invocation.wantsJSON {
                    try writeFacts(index, try snapshot.indexSQL(index), invocation.session)
                } else {
                    table.add([index.fullName, index.kindName, index.definition])
                }
            }
            if indexes.isEmpty {
                invocation.session.notice("(No indexes)")
            } else if !invocation.wantsJSON {
                try table.write(to: invocation.session)
            }
            return .success
        }
    }

    private static func writeFacts(_ index: StoredIndex, _ sql: String?, _ session: Session) throws {
        try session.writeFacts { line in
            line.add("collection", index.collection?.description ?? index.keyStore)
            line.add("name", index.name)
            line.add("kind", index.kindName)
            line.add("expression", index.source)
            if let path = index.unnestedPath { line.add("unnest", path) }
            line.add("language", index.isJSON ? "json" : "sql++")
            if let condition = index.condition { line.add("where", condition) }
            if let sql { line.add("sql", sql) }
        }
    }

    @Sendable private static func printEntries(_ invocation: Invocation) throws -> ExitCode {
        try invocation.database().read { snapshot in
            let index = try find(invocation.argument("NAME"), snapshot)
            guard let entries = try snapshot.entries(of: index) else {
                throw CommandError.failed("the entries of \(index.kindName) index \"\(index.name)\" cannot be read")
            }
            try write(entries, snapshot, invocation)
            return .success
        }
    }

    /// An index by its name, or by `collection.name`.
    static func find(_ name: String, _ snapshot: Snapshot) throws -> StoredIndex {
        let indexes = try snapshot.indexes()
        if let index = indexes.first(where: { $0.name == name || $0.fullName == name }) { return index }
        let suggestion = Suggestion.sentence(for: name, in: indexes.map(\.name), quoted: true)
        throw CommandError.failed("no index \"\(name)\".\(suggestion)", hint: "'cblite info indexes' lists the indexes.")
    }

    private static func write(_ entries: IndexEntries, _ snapshot: Snapshot, _ invocation: Invocation) throws {
        let row = entries.statement
        let session = invocation.session
        let limit = invocation.int("limit") ?? Int.max
        var count = 0
        while try row.step() {
            if count == limit {
                session.notice("(Stopping after \(count) \(count == 1 ? "entry" : "entries"))")
                break
            }
            count += 1
            try Interruption.check()
            try session.writeJSON { buffer in
                if invocation.wantsJSON { buffer.append("{\"key\":") }
                let missing: StaticString = invocation.wantsJSON ? "null" : "MISSING"
                SQLRow.append(row, indexed: 0..<entries.keyCount, missing: missing, snapshot.sharedKeys, to: &buffer)
                for (offset, heading) in entries.headings.enumerated() {
                    if invocation.wantsJSON {
                        buffer.append(",")
                        JSONWriter.write(string: heading, to: &buffer)
                        buffer.append(":")
                    } else {
                        buffer.append(offset == 0 ? "  " : " ")
                    }
                    SQLRow.append(row, entries.keyCount + Int32(offset), snapshot.sharedKeys, to: &buffer)
                }
                if invocation.wantsJSON { buffer.append("}") }
            }
        }
        if count == 0 { session.notice("(The index is empty)") }
    }
}

extension StoredIndex {
    /// `collection.index`
    var fullName: String { "\(collection?.description ?? keyStore).\(name)" }

    var kindName: String {
        switch kind {
        case .value: "value"
        case .fullText: "full-text"
        case .array: "array"
        case .predictive: "predictive"
        case .vector: "vector"
        case nil: "unknown (\(type))"
        }
    }

    /// A letter behind the name of all but the usual kind.
    var kindMark: String {
        switch kind {
        case .value: ""
        case .fullText: " [F]"
        case .array: " [A]"
        case .predictive: " [P]"
        case .vector: " [V]"
        case nil: " [?]"
        }
    }

    /// Whether the expression is written in JSON. Newer releases say so in front of it.
    var isJSON: Bool { expression.map { IndexSpecification.Source.parts(of: $0).language == .json } ?? false }

    /// All that the index is made from, on one line.
    var definition: String {
        if let prediction {
            let outputs = prediction.outputs.map(\.text).joined(separator: ", ")
            return "PREDICTION(\(prediction.model), \(prediction.input.jsonForm()))" + (outputs.isEmpty ? "" : ": " + outputs)
        }
        let unnest = unnestedPath.map { source.isEmpty || source == "[]" ? "UNNEST \($0)" : "UNNEST \($0): " } ?? ""
        let expression = unnestedPath != nil && source == "[]" ? "" : source
        return unnest + expression + (condition.map { " WHERE \($0)" } ?? "")
    }

    /// What a predictive index asks its model.
    private var prediction: PredictionCall? {
        guard kind == .predictive, isJSON, let call = try? QueryExpression.list(json: source).first else { return nil }
        return PredictionCall(call)
    }

    /// The path of the array that an array index looks into.
    var unnestedPath: String? {
        guard kind == .array, let tableName, let marker = tableName.firstRange(of: ":unnest:") else { return nil }
        // The table's name has a backslash before each capital.
        return String(tableName[marker.upperBound...].filter { $0 != "\\" })
    }

    static func isListedBefore(_ a: StoredIndex, _ b: StoredIndex) -> Bool {
        guard let first = a.collection, let second = b.collection, first != second else { return a.name < b.name }
        return first < second
    }

    /// The expression as it was given.
    var source: String { expression.map { IndexSpecification.Source.parts(of: $0).text } ?? "" }
}
