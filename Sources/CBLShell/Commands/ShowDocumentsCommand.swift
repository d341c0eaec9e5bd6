import CBLFleece
import CBLLanguage
import CBLSQLite
import CBLStore
import CBLWorkbench

/// `cblite cat DATABASE DOCID…`
enum ShowDocumentsCommand {
    static let declaration = CommandDeclaration(
        "cat", aliases: ["get"], group: .looking,
        summary: "Print documents as JSON",
        discussion: """
            Prints the body of each document, with its ID as "_id". An ID that holds * or ? stands for all that match. With --where, \
            only documents that meet the condition are printed: all of the collection if no ID is given.

            --revision prints another revision than the current one, as far as its body is kept: revs lists them. \
            The beginning of a revision ID is enough if no other begins so.
            """,
        database: .reads,
        flags: [
            .condition,
            Flag("key", value: "KEY", .property, repeatable: true, "Only this property; may be given several times"),
            Flag("rev", "Print the revision ID too, as \"_rev\""),
            Flag("revision", value: "REV", .text, "Print this revision instead of the current one"),
            Flag("raw", "One line for each document"),
            Flag("json5", "Print JSON5, which leaves out the quotes of keys"),
        ],
        arguments: [
            Argument("DOCID", .document, .optionalRepeating, "A document ID, or a pattern: * stands for any characters, ? for one")
        ],
        examples: [
            .init("cblite cat travel.cblite2 airline_10", "One document."),
            .init("cblite cat --raw travel.cblite2 '*'", "All documents, one a line."),
            .init("cblite cat --key name --key country travel.cblite2 'airline_*'", "Two properties of many documents."),
            .init("cblite cat -C inventory.hotel travel.cblite2 --where 'rating > 4'", "The documents that meet a condition."),
            .init("cblite cat --revision 2-96 travel.cblite2 airline_10", "An older or a conflicting revision."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        // Machine output is the raw form: each line is a JSON object already.
        var text = DocumentText(isRaw: invocation.flag("raw") || invocation.wantsJSON, isJSON5: invocation.flag("json5"))
        text.showsRevision = invocation.flag("rev") || invocation.string("revision") != nil
        text.properties = invocation.strings("key")
        let arguments = try invocation.documentArguments()
        return try invocation.read { snapshot, collection in
            var printer = DocumentPrinter(invocation: invocation, snapshot: snapshot, collection: collection, text: text)
            var ids = arguments
            if let condition = invocation.string("where") {
                let chosen = try DocumentCondition.list(condition, in: collection, of: snapshot, includesDeleted: false, invocation.session)
                if chosen.isEmpty { invocation.session.notice("(No document meets the condition)") }
                if arguments.isEmpty { ids = chosen } else { printer.chosen = DocumentIDs(chosen) }
            }
            var isComplete = true
            for id in ids {
                try Interruption.check()
                do {
                    try printer.write(id)
                } catch let error as CommandError where error.exitCode == .failure {
                    // The others are still wanted.
                    invocation.session.report(error.behind(invocation.session.scriptPlace))
                    isComplete = false
                } catch let error as StoreError where error.code == .corrupt {
                    invocation.session.report(.failed(error.description))
                    isComplete = false
                } catch let error as SQLiteError where error.isCorrupt {
                    invocation.session.report(.failed("document \"\(id)\" cannot be read: \(error.message)"))
                    isComplete = false
                }
            }
            if !text.properties.isEmpty {
                UnknownProperties(invocation.session, snapshot)?
                    .tell(of: text.properties.map { Lexer.name($0) }.joined(separator: ", "), in: collection)
            }
            return isComplete ? .success : .failure
        }
    }
}

/// Prints documents of one collection.
private struct DocumentPrinter {
    let invocation: Invocation
    let snapshot: Snapshot
    let collection: CollectionName
    let text: DocumentText
    /// Those that meet the condition, if there is one and it is not these that are printed one by one.
    var chosen: DocumentIDs?

    func write(_ id: String) throws {
        let isChosen = chosen?.contains(id.utf8) ?? true
        if let revision = invocation.string("revision") {
            if isChosen { try write(id, revision: revision) }
            return
        }
        if let document = try snapshot.document(id, in: collection), !document.isDeleted {
            guard isChosen else { return }
            try write(document.id, document.revision, document.body)
            if document.flags.contains(.conflicted) {
                invocation.session.remark("(\"\(id)\" is in conflict: \"conflicts --body\" shows what competes, and resolve settles it.)")
            }
            return
        }
        if try writeBesides(id) { return }
        guard id.contains(where: { $0 == "*" || $0 == "?" }) else {
            if try snapshot.document(id, in: collection) == nil { throw try invocation.missingDocument(id, in: collection, snapshot) }
            throw CommandError.failed("document \"\(id)\" is deleted", hint: "--revision prints what is kept of it.")
        }
        if try !write(matching: id), invocation.session.damagedCount == 0 {
            throw CommandError.failed("no document's ID matches \"\(id)\"")
        }
    }

    /// Documents beside the collections: `_local/…` and `_design/…`.
    private func writeBesides(_ pattern: String) throws -> Bool {
        guard pattern.hasPrefix("_"), chosen == nil else { return false }
        var isThere = false
        for id in try snapshot.besideDocumentIDs(matching: pattern) {
            guard let document = try snapshot.besideDocument(id) else { continue }
            let encoder = FleeceEncoder()
            do { try document.body.withUnsafeBytes { try JSONParser.parse($0, into: encoder) } } catch {
                throw CommandError.failed("document \"\(id)\" is damaged: \(error)")
            }
            var name = id
            try name.withUTF8 { name in
                try encoder.withFinished { body in
                    guard let root = Value(root: body) else { return }
                    let none = UnsafeRawBufferPointer(start: nil, count: 0)
                    try invocation.session.writeJSON {
                        _ = text.append(id: UnsafeRawBufferPointer(name), version: none, body: root, keys: nil, to: &$0)
                    }
                }
            }
            isThere = true
        }
        return isThere
    }

    /// Hot: the benchmark `cat all`.
    private func write(matching pattern: String) throws -> Bool {
        var options = ScanOptions(content: .body)
        // A lone asterisk matches everything: then there is nothing to compare.
        if pattern != "*" { options.idPattern = pattern }
        let cursor = try snapshot.scan(collection, options)
        let session = invocation.session
        session.reportDamage(met: cursor)
        let keys = snapshot.sharedKeys
        var count = 0
        while try cursor.next() {
            count += 1
            if count & 0x3F == 0 { try Interruption.check() }
            if let chosen, !chosen.contains(cursor.idBytes) { continue }
            var isWhole = true
            try session.writeJSON {
                isWhole = text.append(id: cursor.idBytes, version: cursor.versionBytes, body: cursor.body, keys: keys, to: &$0)
            }
            if !isWhole { session.report(endless: cursor.id, in: collection) }
        }
        return count > 0
    }

    private func write(_ id: String, revision: String) throws {
        let document = try invocation.document(id, in: collection, snapshot)
        let found: StoredRevision
        do { found = try document.storedRevision(named: revision) } catch let error as WorkbenchError {
            throw ErrorReport.commandError(workbench: error)
        }
        guard let body = found.body else {
            throw CommandError.failed("the body of revision \(found.id) of \"\(id)\" is not kept any more")
        }
        try write(id, found.id, body)
    }

    private func write(_ id: String, _ revision: RevisionID, _ body: FleeceData) throws {
        var bytes = id
        var isWhole = true
        try bytes.withUTF8 { id in
            try revision.withBinary { version in
                try body.withRoot { root in
                    try invocation.session.writeJSON {
                        isWhole = text.append(
                            id: UnsafeRawBufferPointer(id), version: version, body: root, keys: snapshot.sharedKeys, to: &$0)
                    }
                }
            }
        }
        if !isWhole { invocation.session.report(endless: id, in: collection) }
    }
}
