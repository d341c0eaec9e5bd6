import CBLFleece
import CBLStore
import CBLWorkbench

/// `cblite edit DATABASE DOCID`
enum EditCommand {
    static let declaration = CommandDeclaration(
        "edit", group: .changing,
        summary: "Change a document in an editor",
        discussion: """
            Opens the properties of a document in $VISUAL, $EDITOR or vi, and saves them if they were changed. A document that is not \
            there is created, and so is a collection that --collection names.

            The text may be JSON or JSON5. If it cannot be read, you may return to the editor. If somebody else has changed the document \
            meanwhile, nothing is overwritten, and your text is kept in a file.
            """,
        database: .writes,
        flags: [
            Flag("with", value: "EDITOR", .text, "Use this editor; it may have arguments, as in \"code --wait\""),
            Flag("raw", "Do not break the JSON into lines"),
            Flag("json5", "Edit JSON5, which leaves out the quotes of keys"),
            .ifRevision,
        ],
        arguments: [Argument("DOCID", .document, .required, "The document ID")],
        examples: [
            .init("cblite edit travel.cblite2 airline_10", "In the usual editor."),
            .init("cblite edit --json5 --with 'code --wait' travel.cblite2 airline_10", "In another one."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let id = invocation.argument("DOCID")
        try DocumentRules.check(id: id)
        let database = try invocation.database()
        let name = try invocation.collectionName()
        var text = ByteBuffer()
        let document = try database.read { snapshot in
            let document = snapshot.hasCollection(name) ? try snapshot.document(id, in: name) : nil
            _ = try invocation.parent(of: document, id)
            try write(document, snapshot.sharedKeys, invocation, to: &text)
            return document
        }
        let file = try EditedFile(text.bytes)
        guard let properties = try edited(file, text.bytes, invocation) else {
            invocation.session.notice("Nothing was changed.")
            return .success
        }
        do {
            return try save(properties, as: id, over: document, invocation)
        } catch {
            file.keep()
            throw EditCommand.keeping(file, error)
        }
    }

    private static func write(_ document: Document?, _ keys: SharedKeys, _ invocation: Invocation, to text: inout ByteBuffer) throws {
        guard let document, !document.isDeleted else { return text.append("{\n  \n}\n") }
        var style: JSONStyle = .canonical
        if !invocation.flag("raw") { style.insert(.pretty) }
        if invocation.flag("json5") { style.insert(.json5) }
        guard document.body.withRoot({ JSONWriter.write($0, keys: keys, style: style, to: &text) }) else {
            throw CommandError.failed("document \"\(document.id)\" is damaged: \(FleeceError.endless)")
        }
        text.append("\n")
    }

    /// Runs the editor until its text can be read. Nil if the text is as it was.
    private static func edited(_ file: EditedFile, _ original: UnsafeRawBufferPointer, _ invocation: Invocation) throws -> FleeceData? {
        let editor = Editor(invocation.string("with"))
        while true {
            try editor.edit(file.path)
            do {
                return try InputSource(file.path).withAll { bytes in
                    bytes.elementsEqual(original) ? nil : try DocumentInput(Array(bytes)).encoded(by: FleeceEncoder())
                }
            } catch let error where error is CommandError || error is FileError {
                guard let error = ErrorReport.commandError(error) else { throw error }
                let session = invocation.session
                guard session.canAsk else {
                    file.keep()
                    throw keeping(file, error)
                }
                session.report(error)
                do {
                    if try session.confirm("Edit it again?") { continue }
                } catch {
                    file.keep()
                    throw keeping(file, error)
                }
                file.keep()
                throw CommandError.failed(
                    "document \"\(invocation.argument("DOCID"))\" was not changed", hint: "Your text is in \(file.path).")
            }
        }
    }

    private static func save(_ properties: FleeceData, as id: String, over old: Document?, _ invocation: Invocation) throws -> ExitCode {
        let change: DocumentChange? = try invocation.change(createsCollection: true) { transaction, collection in
            let document = try transaction.document(id, in: collection)
            guard document?.revision == old?.revision else {
                throw CommandError.conflict("document \"\(id)\" was changed by somebody else while you edited it")
            }
            let isLive = document.map { !$0.isDeleted } ?? false
            let keys = transaction.sharedKeys
            transaction.encoder.reset()
            // Not simply parsed a second time: what it says is compared with what was there.
            properties.withRoot { new in
                if let document, isLive {
                    document.body.withRoot { transaction.encoder.write(new, keepingTypesOf: $0, keys) }
                } else {
                    transaction.encoder.write(new, keys: nil)
                }
            }
            let body = try transaction.encoder.finish()
            // Other blanks, or another order of the keys, are no change of the document.
            let isSame = document.map { document in
                document.body.withRoot { old in body.withRoot { $0.isEqual(to: old, transaction.sharedKeys, keys) } }
            }
            if isLive, isSame ?? false { return nil }
            let saved =
                try document.map { try transaction.save($0, body: body) }
                ?? transaction.save(id, in: collection, body: body, parent: .none)
            return DocumentChange(isLive ? .updated : .created, id, in: collection, saved)
        }
        guard let change else {
            invocation.session.notice("Nothing was changed.")
            return .success
        }
        try invocation.tell { try change.write(to: invocation.session) }
        return .success
    }

    /// The error, and where the person's work is.
    private static func keeping(_ file: EditedFile, _ error: any Error) -> any Error {
        guard let known = ErrorReport.commandError(error) else { return error }
        // An editor may have taken it away.
        guard file.isThere else { return known }
        return known.hinting("Your text is in \(file.path).")
    }
}

extension FleeceEncoder {
    /// Writes a value that came from JSON text. Where that text says what an old value said, the old value is written: JSON has no form of
    /// its own for binary data, single-precision numbers and some others, which would become something else.
    func write(_ value: Value, keepingTypesOf old: Value, _ keys: SharedKeys) {
        if let new = value.dictionary, let old = old.dictionary {
            beginDictionary()
            for (key, member) in new {
                guard let name = key.stringBytes else { continue }
                writeKey(name)
                if let before = old.value(forKey: name, keys) {
                    write(member, keepingTypesOf: before, keys)
                } else {
                    write(member, keys: nil)
                }
            }
            endDictionary()
        } else if let new = value.array, let old = old.array {
            beginArray()
            for index in 0..<new.count {
                if index < old.count { write(new[index], keepingTypesOf: old[index], keys) } else { write(new[index], keys: nil) }
            }
            endArray()
        } else if old.dictionary == nil, old.array == nil, value.json() == old.json(keys: keys) {
            write(old, keys: keys)
        } else {
            write(value, keys: nil)
        }
    }
}
