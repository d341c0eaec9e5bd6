import CBLBase
import CBLLanguage
import CBLStore

/// `cblite check DATABASE`
enum CheckCommand {
    static let declaration = CommandDeclaration(
        "check", group: .maintaining,
        summary: "Look for damage, and mend it",
        discussion: """
            Checks the SQLite file, every document with its revisions, flags and sequence, the blobs, and the indexes, full-text and array \
            indexes included, and names what is wrong. Nothing is changed. What can still be read beside a damaged page is read in spite of it.

            Links and special files in the bundle, which no release makes, are named too. They are never followed, and --repair removes them, \
            but not what they lead to.

            A note is no problem: something that nobody needs any more, for example. The exit code is 0 if there are no problems, 1 if there \
            are, and 3 if the database cannot be opened. --json prints one object for each finding.

            --repair mends what can be mended: indexes, flags, counters, sequences, rows in the wrong table. It copies the database first, to a \
            name with "before-repair" in it, and checks again at the end. Documents that cannot be decoded stay, unless --drop-damaged is given.

            --schema compares documents with a JSON Schema (draft 4, 6, 7, 2019-09 or 2020-12) instead: those of the default collection, of the one \
            that --collection names, or with --collection '*' of all. Each place that does not follow it is named, with the reason. The schema speaks \
            of a document's properties, without its ID; what it refers to must stand in it.

            --salvage is for files that SQLite itself finds damaged, also those of 1.x: it carries all that can be read into a new database, and \
            leaves the old one as it is.
            """,
        database: .reads,
        flags: [
            Flag("quick", "Leave out what takes long: the digests of blobs and the words of full-text indexes"),
            Flag("repair", "Mend what can be mended, after copying the database"),
            Flag("no-backup", "With --repair: make no copy"),
            Flag("drop-damaged", "With --repair or --salvage: delete documents that cannot be decoded"),
            Flag("schema", value: "SCHEMA.json", .file, "Compare the documents with a JSON Schema instead"),
            Flag("salvage", value: "NEW.cblite2", .database, "Carry what can be read into a new database"),
        ],
        examples: [
            .init("cblite check travel.cblite2", "Everything."),
            .init("cblite check --json travel.cblite2", "One line of JSON for each finding."),
            .init("cblite check --repair travel.cblite2", "Check, copy, mend, and check again."),
            .init("cblite check --schema hotel.schema.json -C inventory.hotel travel.cblite2", "Is each hotel what it should be?"),
            .init("cblite check --salvage rescued.cblite2 broken.cblite2", "When SQLite finds the file damaged."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        if !invocation.flag("repair") {
            if invocation.flag("no-backup") { throw invocation.usageError("--no-backup goes with --repair") }
            if invocation.flag("drop-damaged"), !invocation.flag("salvage") {
                throw invocation.usageError("--drop-damaged goes with --repair or --salvage")
            }
        }
        if invocation.flag("schema") {
            for flag in ["repair", "salvage", "quick"] where invocation.flag(flag) {
                throw invocation.usageError("--schema and --\(flag) exclude each other")
            }
            return try DocumentSchemaRun(invocation).run()
        }
        try invocation.refuseCollection()
        if let target = invocation.string("salvage") { return try salvage(to: target, invocation) }
        if invocation.flag("repair") { return try repair(invocation) }
        let database = try suggestingSalvage { try invocation.databaseForReading() }
        let summary = try CheckRun(invocation, database).run()
        if summary.isCutOff {
            invocation.session.notice(
                "Nothing can be written to a file that is cut off: --salvage NEW.cblite2 carries what can be read into a new database.")
        } else if summary.repairable > 0 {
            invocation.session.notice("--repair would mend \(summary.repairable) of them.")
        }
        return summary.problems == 0 ? .success : .failure
    }

    private static func repair(_ invocation: Invocation) throws -> ExitCode {
        let session = invocation.session
        let source = try suggestingSalvage { try invocation.databaseForReading() }
        let before = try CheckRun(invocation, source, isSilent: invocation.wantsJSON).run()
        guard !before.isCutOff else {
            throw CommandError.failed(
                "\(source.path): nothing can be written to a file that is cut off",
                hint: "check --salvage NEW.cblite2 carries what can be read into a new database.")
        }
        let drops = invocation.flag("drop-damaged")
        guard before.repairable + before.removable + (drops ? before.droppable : 0) > 0 else {
            if before.droppable > 0, before.droppable == before.problems {
                session.notice(
                    "What cannot be decoded is lost. --drop-damaged deletes these documents; diff shows what another copy has of them.")
            } else if before.problems > 0 {
                session.notice(
                    "None of this can be mended here. check --salvage NEW.cblite2 carries what can be read into a new database; a missing blob comes back with its file, from the Attachments of another copy."
                )
                if before.droppable > 0 { session.notice("--drop-damaged deletes the \(before.droppable) that cannot be decoded.") }
            }
            return before.problems == 0 ? .success : .failure
        }
        if let open = session.openDatabase, open.isReadOnly, invocation.parsed.databasePath == nil {
            throw session.readOnlyError(open)
        }
        if invocation.flag("no-backup") {
            session.tellOfNoReturn("This")
        } else {
            let copy = PathText.free(beside: source.path, "before-repair")
            try source.backUp(to: copy)
            session.notice("Copied the database to \(copy).")
        }
        // A link in the place of a file may be what keeps the database from being opened for changes.
        for name in try Database.removeForeignFiles(at: source.path) { session.notice("Removed \(TerminalText.escaped(name)).") }
        let database = try suggestingSalvage {
            try invocation.parsed.databasePath.map { try session.open($0, writes: true, removesForeignObjects: true) } ?? source
        }
        let summary = try database.repair(.init(dropsDamaged: drops, reclaimsLostPages: before.hasLostPages)) { _ in
            try Interruption.check()
        }
        for document in summary.dropped {
            let place = document.collection.map { $0.isDefault ? "" : "\($0)/" } ?? ""
            session.notice("Dropped document \"\(place)\(document.id)\".")
        }
        for failure in summary.failures { session.warn("not all could be mended: \(failure)") }
        session.notice("Mended. What is left:")
        let after = try CheckRun(invocation, database).run()
        if invocation.parsed.databasePath != nil { database.close() }
        return after.problems == 0 ? .success : .failure
    }

    /// What cannot be opened may still be read page by page.
    private static func suggestingSalvage(_ open: () throws -> Database) throws -> Database {
        do { return try open() } catch let error as CommandError where error.exitCode == .cannotOpen {
            if error.hint != nil { throw error }
            throw CommandError(
                .cannotOpen, error.message, hint: "check --salvage NEW.cblite2 may still get documents out of a damaged file.")
        }
    }

    private static func salvage(to target: String, _ invocation: Invocation) throws -> ExitCode {
        let session = invocation.session
        guard let source = invocation.parsed.databasePath ?? session.openDatabase?.path else {
            throw invocation.usageError("no database is open")
        }
        if invocation.flag("repair") { throw invocation.usageError("--repair and --salvage exclude each other") }
        guard Endpoint.exists(source) else { throw CommandError.cannotOpen("\(source): no such database") }
        let key = try session.salvageKey(of: source)
        let progress = session.progress("Salvaging", unit: "rows")
        defer { progress.finish() }
        let salvage = Salvage(from: source, to: target, key: key, options: .init(dropsDamaged: invocation.flag("drop-damaged"))) { count in
            try Interruption.check()
            if count > 0 { progress.advance(by: count) }
        } report: { finding in
            progress.clear()
            try CheckRun.write(finding, invocation)
        }
        let summary = try salvage.run()
        progress.clear()
        func number(_ count: Int, _ one: String, _ many: String) -> String { "\(ProgressLine.grouped(count)) \(count == 1 ? one : many)" }
        let documents = "\(number(summary.documents, "document", "documents")), \(ProgressLine.grouped(summary.deleted)) deleted"
        session.notice("Salvaged \(documents), \(number(summary.blobs, "blob", "blobs")).")
        if let key { session.knownKeys[target] = key }
        let database = try session.open(target, writes: false)
        let check = try CheckRun(invocation, database).run()
        if check.droppable > 0 { session.notice("Of what cannot be decoded the IDs are there. --drop-damaged leaves it out.") }
        return check.problems == 0 && summary.lost == 0 ? .success : .failure
    }
}

/// One check with everything it says.
struct CheckRun {
    private let invocation: Invocation
    private let database: Database

    /// Whether findings are only counted.
    private let isSilent: Bool

    init(_ invocation: Invocation, _ database: Database, isSilent: Bool = false) {
        self.invocation = invocation
        self.database = database
        self.isSilent = isSilent
    }

    func run() throws -> Checker.Summary {
        let session = invocation.session
        let progress = session.progress("Checking", unit: "documents")
        defer { progress.finish() }
        let summary = try database.read { snapshot in
            snapshot.connection.setProgressCheck { _ in Interruption.isRequested ? 1 : 0 }
            defer { snapshot.connection.setProgressCheck(nil) }
            let options = Checker.Options(isQuick: invocation.flag("quick"))
            let checker = Checker(snapshot, options: options) { count in
                try Interruption.check()
                if count > 0 { progress.advance(by: count) }
            } report: { finding in
                try snapshot.checkIsUnchanged()
                progress.clear()
                if !isSilent { try CheckRun.write(finding, invocation) }
            }
            return try checker.run()
        }
        progress.clear()
        if !isSilent { session.notice(CheckRun.sentence(summary)) }
        return summary
    }

    static func write(_ finding: Finding, _ invocation: Invocation) throws {
        if invocation.wantsJSON { return try writeFacts(finding, invocation) }
        let session = invocation.session
        switch finding.severity {
        case .note: try session.write("note", .dim)
        case .warning: try session.write("warning", .warning)
        case .error: try session.write("error", .error)
        }
        try session.output.write(report: ": \(CheckRun.place(of: finding))\(finding.message)")
        try session.output.write("\n")
    }

    /// `collection/document: `, `index name: ` and so on.
    private static func place(of finding: Finding) -> String {
        let collection = finding.collection.map { $0.isDefault ? "" : "\($0)/" } ?? ""
        if let document = finding.document {
            let blob = finding.kind == .blob ? finding.subject.map { " (\($0))" } ?? "" : ""
            return "document \"\(collection)\(document)\"\(blob): "
        }
        guard let subject = finding.subject else { return finding.collection.map { "collection \($0): " } ?? "" }
        return switch finding.kind {
        case .index, .trigger: "index \"\(subject)\": "
        case .blob: "blob \(subject): "
        case .info: "kv_info, \(subject): "
        case .counter: "kvmeta, \(subject): "
        default: "\(subject): "
        }
    }

    private static func writeFacts(_ finding: Finding, _ invocation: Invocation) throws {
        try invocation.session.writeFacts { line in
            line.add("severity", finding.severity.rawValue)
            line.add("kind", finding.kind.rawValue)
            if let collection = finding.collection { line.add("collection", collection.description) }
            if let document = finding.document { line.add("document", document) }
            if let subject = finding.subject { line.add("subject", subject) }
            line.add("message", finding.message)
            line.add("repair", finding.repair.rawValue)
        }
    }

    static func sentence(_ summary: Checker.Summary) -> String {
        func count(_ number: Int, _ one: String, _ many: String) -> String { "\(ProgressLine.grouped(number)) \(number == 1 ? one : many)" }
        var checked = [count(summary.documents, "document", "documents")]
        if summary.deleted > 0 { checked.append("\(ProgressLine.grouped(summary.deleted)) deleted") }
        if summary.collections > 1 { checked.append("\(summary.collections) collections") }
        if summary.indexes > 0 { checked.append(count(summary.indexes, "index", "indexes")) }
        if summary.blobs > 0 { checked.append(count(summary.blobs, "blob", "blobs")) }
        let looked = "Checked \(checked.joined(separator: ", ")): "
        return looked + (summary.problems == 0 ? "no problems." : count(summary.problems, "problem", "problems") + ".")
    }
}
