import CBLFleece
import CBLStore

/// `cblite ls DATABASE [PATTERN]`
enum ListDocumentsCommand {
    static let declaration = CommandDeclaration(
        "ls", group: .looking,
        summary: "List documents",
        discussion: """
            Prints the IDs of a collection's documents, or with -l a line for each with its revision, flags (d deleted, c conflicted, \
            a attachments), sequence and body size.

            Local and design documents, which 1.x has and which an upgrade keeps, are listed by patterns that begin as their IDs do, _local/ and \
            _design/.

            With --json, prints one JSON object per document, with its body if --body is given too.
            """,
        database: .reads,
        flags: [
            Flag("long", short: "l", "A line for each document: revision, flags, sequence and size"),
            Flag("offset", value: "N", .count, "Skip the first N documents"),
            Flag("limit", value: "N", .count, "Stop after N documents"),
            Flag("desc", "Go backwards"),
            Flag("seq", "In order of sequence instead of ID"),
            Flag("del", "Deleted documents too"),
            Flag("deleted", "Only deleted documents: those that undelete may bring back"),
            Flag("conf", "Only documents that are in conflict"),
            Flag("body", "Print the documents themselves"),
            Flag("raw", "Do not cut revision IDs; print each body on one line"),
            Flag("json5", "Print the documents as JSON5, which leaves out the quotes of keys"),
            Flag("collections", short: "c", "List the collections instead, as lscoll does"),
        ],
        arguments: [Argument("PATTERN", .document, .optional, "Only IDs that match: * stands for any characters, ? for one")],
        examples: [
            .init("cblite ls travel.cblite2", "The IDs of all documents."),
            .init("cblite ls -l travel.cblite2 'hotel_*' -C inventory.hotel", "What is known of the hotels."),
            .init("cblite ls -l --seq --desc --limit 10 travel.cblite2", "The ten documents that changed last."),
            .init("cblite ls travel.cblite2 '*trip*'", "Those whose ID contains a word."),
            .init("cblite ls --json --del travel.cblite2", "Every document, deleted or not, as a line of JSON."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        if invocation.flag("collections") { return try ListCollectionsCommand.run(invocation) }
        return try invocation.read { snapshot, collection in
            if try listBesides(invocation, snapshot) { return .success }
            try Listing(invocation, snapshot, collection).write()
            return .success
        }
    }
}

extension ListDocumentsCommand {
    /// Documents beside the collections, which only a pattern that begins as their IDs do asks for: `_local/*`, `_design/*`.
    fileprivate static func listBesides(_ invocation: Invocation, _ snapshot: Snapshot) throws -> Bool {
        guard let pattern = invocation.argumentIfGiven("PATTERN"), pattern.hasPrefix("_") else { return false }
        let ids = try snapshot.besideDocumentIDs(matching: pattern)
        guard !ids.isEmpty else { return false }
        if invocation.wantsJSON {
            for id in ids { try invocation.session.writeFacts { $0.add("id", id) } }
            return true
        }
        var columns = ColumnListing(session: invocation.session)
        for id in ids { try Array(id.utf8).withUnsafeBytes { try columns.add($0) } }
        try columns.finish()
        return true
    }
}

/// One run of `ls`.
private struct Listing {
    enum Form { case columns, rows, facts, bodies }

    let invocation: Invocation
    let snapshot: Snapshot
    let collection: CollectionName
    let form: Form
    let limit: Int?
    let offset: Int

    init(_ invocation: Invocation, _ snapshot: Snapshot, _ collection: CollectionName) {
        self.invocation = invocation
        self.snapshot = snapshot
        self.collection = collection
        limit = invocation.int("limit")
        offset = invocation.int("offset") ?? 0
        let wantsBodies = invocation.flag("body") || invocation.flag("json5")
        form = invocation.wantsJSON ? .facts : wantsBodies ? .bodies : invocation.flag("long") ? .rows : .columns
    }

    private var options: ScanOptions {
        var options = ScanOptions(order: invocation.flag("seq") ? .sequence : .id)
        options.isDescending = invocation.flag("desc")
        options.includesDeleted = invocation.flag("del")
        options.onlyDeleted = invocation.flag("deleted")
        options.onlyConflicts = invocation.flag("conf")
        options.idPattern = invocation.argumentIfGiven("PATTERN")
        options.offset = offset
        // One more, to know whether something is left out.
        options.limit = limit.map { $0 < Int.max ? $0 + 1 : $0 }
        switch form {
        case .columns: options.content = .id
        case .rows: options.content = .metadata
        case .facts: options.content = invocation.flag("body") ? .body : .metadata
        case .bodies: options.content = .body
        }
        return options
    }

    func write() throws {
        let cursor = try snapshot.scan(collection, options)
        invocation.session.reportDamage(met: cursor)
        if offset > 0 { invocation.session.notice("(Skipping first \(offset) docs)") }
        let (count, isCut) =
            switch form {
            case .columns: try writeColumns(cursor)
            case .rows: try writeRows(cursor)
            case .facts: try writeFacts(cursor)
            case .bodies: try writeBodies(cursor)
            }
        if isCut {
            invocation.session.notice("(Stopping after \(count) \(count == 1 ? "doc" : "docs"))")
        } else if count == 0, offset == 0, form != .facts, !invocation.session.options.isQuiet {
            let pattern = invocation.argumentIfGiven("PATTERN")
            invocation.session.notice(
                try pattern.map { "(No documents with IDs matching \"\($0)\"\(try wider($0)))" } ?? "(No documents\(try elsewhere()))")
        }
    }

    /// Where there are some, if nobody said which collection is meant.
    private func elsewhere() throws -> String {
        guard collection.isDefault else { return "" }
        var options = options
        options.content = .id
        options.limit = 1
        for name in snapshot.collections() where try !name.isDefault && snapshot.scan(name, options).next() {
            return " in the default collection; ls -C \(name) has some, and lscoll lists the collections"
        }
        return ""
    }

    /// Who types a part of an ID may not know that a pattern stands for all of it, nor which collection it is in.
    private func wider(_ pattern: String) throws -> String {
        let wide = pattern.contains("*") || pattern.contains("?") ? pattern : "*\(pattern)*"
        for name in [collection] + snapshot.collections().filter({ $0 != collection }) where wide != pattern || name != collection {
            var options = options
            options.content = .id
            options.idPattern = wide
            options.limit = 1
            let cursor = try snapshot.scan(name, options)
            guard try cursor.next() else { continue }
            let place = name == collection ? "" : "-C \(name) "
            return "; ls \(place)'\(wide)' finds \"\(cursor.id)\""
        }
        return ""
    }

    /// Goes through the documents up to the limit; true if there are more.
    @inline(__always)
    private func forEach(_ cursor: DocumentCursor, _ body: (DocumentCursor) throws -> Void) throws -> (count: Int, isCut: Bool) {
        var count = 0
        let limit = limit ?? Int.max
        while try cursor.next() {
            if count == limit { return (count, true) }
            count += 1
            if count & 0x3F == 0 { try Interruption.check() }
            try body(cursor)
        }
        return (count, false)
    }

    private func writeColumns(_ cursor: DocumentCursor) throws -> (count: Int, isCut: Bool) {
        var columns = ColumnListing(session: invocation.session)
        let result = try forEach(cursor) { try columns.add($0.idBytes) }
        try columns.finish()
        return result
    }

    private func writeRows(_ cursor: DocumentCursor) throws -> (count: Int, isCut: Bool) {
        let output = invocation.output
        let row = DocumentRow(versioning: snapshot.versioning, isRaw: invocation.flag("raw"), output: output)
        var needsHeading = true
        var conflicted = false
        let result = try forEach(cursor) { cursor in
            conflicted = conflicted || cursor.flags.contains(.conflicted)
            if needsHeading { try row.writeHeading(to: invocation.session) }
            needsHeading = false
            try output.write { row.append(cursor, to: &$0) }
        }
        // Scripts know their flags.
        if conflicted, invocation.terminal.outputIsTerminal {
            invocation.session.remark("(c: in conflict. \"conflicts --body\" shows what competes, and resolve settles it.)")
        }
        return result
    }

    private func writeFacts(_ cursor: DocumentCursor) throws -> (count: Int, isCut: Bool) {
        let showsBody = invocation.flag("body")
        return try forEach(cursor) { cursor in
            var isWhole = true
            try invocation.session.writeFacts { line in
                line.add(documentOf: cursor)
                if showsBody {
                    isWhole = line.add("body", cursor.body, snapshot.sharedKeys)
                } else {
                    line.add("size", cursor.bodySize)
                }
            }
            if !isWhole { invocation.session.report(endless: cursor.id, in: cursor.collection) }
        }
    }

    private func writeBodies(_ cursor: DocumentCursor) throws -> (count: Int, isCut: Bool) {
        let text = DocumentText(isRaw: invocation.flag("raw"), isJSON5: invocation.flag("json5"))
        return try forEach(cursor) { cursor in
            var isWhole = true
            try invocation.session.writeJSON {
                isWhole = text.append(
                    id: cursor.idBytes, version: cursor.versionBytes, body: cursor.body, keys: snapshot.sharedKeys, to: &$0)
            }
            if !isWhole { invocation.session.report(endless: cursor.id, in: cursor.collection) }
        }
    }
}

extension JSONObjectWriter {
    /// What every command says of a document in machine output.
    mutating func add(documentOf cursor: DocumentCursor) {
        add("collection", cursor.collection.description)
        add("id", cursor.idBytes)
        add("revision", revision: cursor.versionBytes)
        add("sequence", cursor.sequence)
        add("deleted", cursor.isDeleted)
        add("conflicted", cursor.flags.contains(.conflicted))
        add("attachments", cursor.flags.contains(.hasAttachments))
        if let expiration = cursor.expiration { add("expiration", expiration) }
    }
}
