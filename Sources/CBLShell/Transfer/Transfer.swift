import CBLBase
import CBLStore
import CBLWorkbench

/// What `cp`, `import` and `export` have in common: their flags, and what is copied how, by what the two sides are.
struct Transfer {
    let invocation: Invocation
    private var session: Session { invocation.session }

    static let guardFlag = Flag(
        "guard-formulas", "In CSV and TSV, put an apostrophe in front of text that a spreadsheet would run as a formula")

    static let validateFlag = Flag("validate", value: "SCHEMA.json", .file, "Take only documents that follow this JSON Schema")

    static let flags: [Flag] = [
        Flag("jsonid", value: "PROPERTY", .text, "The property that is the document's ID: not part of its body (default: _id)"),
        Flag("idprefix", value: "TEXT", .text, "Put this in front of the ID of each imported document"),
        Flag("limit", value: "N", .count, "Stop after N documents"),
        Flag("careful", "Stop at the first document that cannot be imported, and import nothing"),
        Flag("existing", short: "x", "Fail if the destination does not exist"),
        Flag("format", value: "FORMAT", .choice(Endpoint.formats), "The form of the text, if its name does not tell"),
        Flag(
            "delimiter", value: "TEXT", .text,
            "What separates the cells of a table: ; or | or tab, or any other text (default: what the heading has, or a comma)"),
        Flag(
            "types", value: "[COLUMN:]TYPE,…", .text,
            "What cells become: \(CellTypes.CellType.allCases.map(\.rawValue).joined(separator: ", ")) (default: auto, what they look like)"
        ),
        Transfer.guardFlag, Transfer.validateFlag,
        Flag("verbose", short: "v", repeatable: true, "Tell of every document that is left out"),
    ]

    /// What only replication takes.
    static let replicationFlags: [Flag] = {
        let own = Set(flags.map(\.name))
        return [Flag("replicate", "Replicate between two databases instead of copying the file"), DatabaseSync.bidi]
            + DatabaseSync.flags.filter { !own.contains($0.name) }
    }()

    static let forms = """
        A name that ends in .cblite2 is a database; .json, .jsonl and .ndjson are JSON texts, one document per line when written, any row \
        of objects or one array of them when read; .csv and .tsv are tables; a name that ends in / is a directory with a file for each \
        document; and - is standard input or output.
        """

    func run(from source: Endpoint, to target: Endpoint) throws -> ExitCode {
        switch (source, target) {
        case (.database(let from), .remote): return try replicate(session.open(from, writes: true), with: target, .push)
        case (.remote, .database(let to)): return try replicate(open(to), with: source, .pull)
        case (.remote(let url), _), (_, .remote(let url)):
            throw invocation.usageError("\(SyncPeers.shown(url)): the other side must be a database")
        case (.database(let from), .database) where invocation.flag("replicate"):
            return try replicate(session.open(from, writes: true), with: target, .push)
        case (.database(let from), .database(let to)): return try copy(from, to: to)
        case (.database(let from), _): return try export(session.open(from, writes: false), to: target)
        case (_, .database(let to)):
            invocation.allowCreation()
            return try importing(source, into: ImportTarget(to, invocation, keepsUnused: true))
        default: throw invocation.usageError("one side must be a database, a name that ends in .cblite2")
        }
    }

    func replicate(_ database: Database, with peer: Endpoint, _ direction: DatabaseSync.Direction) throws -> ExitCode {
        noticeIgnored()
        return try DatabaseSync(invocation).run(database, with: peer, invocation.flag("bidi") ? .both : direction)
    }

    /// What the vendor's program ignores in a replication, and says so.
    private func noticeIgnored() {
        let ignored = ["limit", "jsonid", "idprefix", "format", "guard-formulas"].filter { invocation.flag($0) }
        if let first = ignored.first { session.notice("--\(first) has no meaning in a replication, and is ignored.") }
    }

    private func refuseReplication() throws {
        guard let flag = Transfer.replicationFlags.first(where: { invocation.flag($0.name) }) else { return }
        throw invocation.usageError("--\(flag.name) is for replication: with a server, or with cp --replicate between databases")
    }

    func endpoint(_ path: String) throws -> Endpoint {
        let delimiter = try delimiter()
        guard let endpoint = Endpoint(path, format: invocation.string("format"), delimiter: delimiter) else {
            throw invocation.usageError("\(path): the name does not tell what it is; --format does")
        }
        if case .table = endpoint { return endpoint }
        for flag in ["delimiter", "types"] where invocation.flag(flag) { throw invocation.usageError("--\(flag) is for CSV and TSV") }
        return endpoint
    }

    private func delimiter() throws(CommandError) -> Delimiter? {
        guard let text = invocation.string("delimiter") else { return nil }
        if ["tab", "\\t"].contains(text) { return .tab }
        guard let delimiter = Delimiter(text) else {
            throw invocation.usageError(
                "--delimiter is tab, or a character or short text without quotes that no number or word begins with, not \"\(text)\"")
        }
        return delimiter
    }

    private func cellTypes() throws(CommandError) -> CellTypes {
        guard let text = invocation.string("types") else { return CellTypes() }
        do { return try CellTypes(text) } catch { throw invocation.usageError("--types: \(error.message)") }
    }

    /// Opens the database that is written to, and makes it if it is not there.
    private func open(_ path: String) throws -> Database {
        invocation.allowCreation()
        return try session.open(path, writes: true)
    }

    func importing(_ source: Endpoint, into target: ImportTarget) throws -> ExitCode {
        try refuseReplication()
        try checkGuard(source)
        guard session.options.collection == "*" else {
            let folder: String?
            if case .directory(let path) = source {
                try refuseFolderOfCollections(path)
                folder = BlobExchange.folder(in: PathText.closed(path))
            } else {
                folder = nil
            }
            return try importing(source, into: invocation.collectionName(), of: target, blobsIn: folder)
        }
        guard case .directory(let path) = source else {
            throw invocation.usageError("only a directory, as export -C '*' writes it, holds several collections")
        }
        let directory = PathText.closed(path)
        let names = try DirectorySource.collections(in: directory)
        guard !names.isEmpty else { throw CommandError.failed("\(path): no directory in it has the name of a collection") }
        var code = ExitCode.success
        for name in names {
            let source = Endpoint.directory(directory + name.description)
            let result = try importing(source, into: name, of: target, blobsIn: BlobExchange.folder(in: directory))
            if result != .success { code = result }
        }
        return code
    }

    /// Somebody who exported all collections and imports one would get nothing, and not hear why.
    private func refuseFolderOfCollections(_ path: String) throws {
        guard try DirectorySource.isWithoutFiles(path) else { return }
        let names = try DirectorySource.collections(in: PathText.closed(path))
        guard let name = names.first else { return }
        throw CommandError.failed(
            "\(path): it has no JSON files, but a directory that is called as a collection: \(name)",
            hint: "-C '*' imports a collection from each such directory.")
    }

    private func importing(
        _ source: Endpoint, into collection: CollectionName, of target: ImportTarget, blobsIn blobDirectory: String?
    ) throws -> ExitCode {
        let idKey = invocation.string("jsonid") ?? "_id"
        let documents: any DocumentSource =
            switch source {
            case .json(let path, _): JSONSource(try InputSource(path), dialect: path.hasSuffix(".json5") ? .json5 : .json, idKey: idKey)
            case .table(let path, let delimiter):
                TableSource(
                    try InputSource(path), delimiter: delimiter, idKey: idKey, needsID: invocation.flag("jsonid"), types: try cellTypes(),
                    removesGuards: invocation.flag("guard-formulas"))
            case .directory(let path): try DirectorySource(path, idKey: idKey) { try Interruption.check() }
            case .database, .remote: throw invocation.usageError("cp copies databases; import takes JSON and tables")
            }
        let leftOut = LeftOutDocuments(session, isCareful: invocation.flag("careful"), isVerbose: invocation.flag("verbose"))
        var importer = Importer()
        importer.idPrefix = invocation.string("idprefix") ?? ""
        importer.limit = invocation.int("limit") ?? .max
        importer.schema = try invocation.documentSchema()
        importer.blobDirectory = blobDirectory
        importer.check = { try Interruption.check() }
        importer.leaveOut = { try leftOut.tell($0) }
        let clock = Stopwatch()
        let progress = session.progress("Importing", total: documents.size, unit: "documents")
        importer.progress = { progress.advance(position: $0) }
        defer { progress.finish() }
        let outcome = try target.use { try importer.run(documents, into: collection, of: $0) }
        progress.finish()
        if case .table(_, nil) = source, let found = (documents as? TableSource)?.delimiter, found != .comma {
            let name = found == .tab ? "tabs" : "\"\(found)\""
            session.notice("Its cells are separated by \(name); --delimiter says otherwise.")
        }
        for column in (documents as? TableSource)?.torn ?? [] {
            session.notice(
                "\"\(column.name)\" has numbers, and texts such as \(column.text): --types \(column.name):text keeps all as they are.")
        }
        if outcome.named > 0 {
            session.notice(
                "\(outcome.named) \(outcome.named == 1 ? "document without \"\(idKey)\" got a new ID" : "documents without \"\(idKey)\" got new IDs")"
            )
        }
        if outcome.missingBlobs > 0 {
            session.warn(
                "\(ExportedBlobs.count(outcome.missingBlobs)) of these documents \(outcome.missingBlobs == 1 ? "is" : "are") not here; "
                    + "check names the documents")
        }
        if case .json("-", _) = source, !invocation.flag("format"), outcome.failed > 0, outcome.created + outcome.updated == 0 {
            session.notice("Standard input is taken for JSON: --format csv says that it is a table.")
        }
        if invocation.wantsJSON {
            try session.writeFacts { line in
                line.add("collection", collection.description)
                line.add("created", outcome.created)
                line.add("updated", outcome.updated)
                line.add("failed", outcome.failed)
                if outcome.storedBlobs > 0 { line.add("blobs", outcome.storedBlobs) }
                if outcome.missingBlobs > 0 { line.add("missingBlobs", outcome.missingBlobs) }
            }
        } else {
            let left = outcome.failed > 0 ? "; \(outcome.failed) left out" : ""
            let updated = outcome.updated > 0 ? " (\(outcome.updated) updated)" : ""
            session.notice(clock.summary(outcome.created + outcome.updated) + updated + left)
        }
        return outcome.failed > 0 ? .failure : .success
    }

    func export(_ database: Database, to target: Endpoint, pattern: String? = nil, condition: String? = nil) throws -> ExitCode {
        if case .remote(let url) = target { throw invocation.usageError("\(SyncPeers.shown(url)): one side must be a database") }
        try refuseReplication()
        var exporter = Exporter()
        exporter.idKey = invocation.string("jsonid") ?? "_id"
        exporter.limit = invocation.int("limit")
        exporter.idPattern = pattern
        try checkGuard(target)
        try checkExistence(target)
        if case .directory(let path) = target, Endpoint.exists(PathText.closed(path) + "db.sqlite3") {
            throw CommandError.failed("\(path): that is a database, which files of documents do not belong into")
        }
        let clock = Stopwatch()
        let blobs = ExportedBlobs()
        let count = try database.read { snapshot in
            func write(_ collection: CollectionName, to target: Endpoint) throws -> Int {
                exporter.chosen = try condition.map { try DocumentCondition.documentIDs($0, in: collection, of: snapshot, session) }
                let guards = invocation.flag("guard-formulas")
                return try self.write(exporter, snapshot, collection, guardsFormulas: guards, to: target, blobs)
            }
            guard session.options.collection == "*" else { return try write(invocation.collection(in: snapshot), to: target) }
            guard case .directory(let path) = target else {
                throw invocation.usageError("only a directory (DIR/) holds all collections; dump writes everything into one file")
            }
            try TargetFile.makeDirectory(path)
            return try snapshot.collections().reduce(0) { count, name in
                try TargetFile.makeDirectory(inside: path, name.description)
                return try count + write(name, to: .directory(PathText.closed(path) + name.description))
            }
        }
        if case .directory(let path) = target {
            try blobs.write(from: database.blobs, to: path, session)
        } else {
            blobs.tellThatTheyAreLeftOut(session)
        }
        try report(count, clock, outputIsTaken: target.isStandardStream)
        return .success
    }

    private func copy(_ source: String, to target: String) throws -> ExitCode {
        try refuseReplication()
        try session.refuseInTransaction("what is not committed cannot be copied", at: source)
        let database = try session.open(source, writes: false)
        if invocation.flag("existing") { throw invocation.usageError("--existing does not go with copying a whole database") }
        if invocation.flag("limit") { throw invocation.usageError("--limit does not go with copying between databases") }
        if invocation.flag("guard-formulas") { throw invocation.usageError("--guard-formulas is for CSV and TSV") }
        if let collections = session.options.collection {
            return try copy(collections: collections, of: database, to: target)
        }
        let key = try session.copyKey(invocation, of: database)
        let clock = Stopwatch()
        let progress = session.progress("Copying", total: 100, unit: "%")
        defer { progress.finish() }
        // The page count is known only while copying: the line shows percents.
        var shown = 0
        let omitted = try Termination.delayed {
            try database.copy(to: PathText.without("/", target), key: key) { done, total in
                try Interruption.check()
                let percent = total > 0 ? done * 100 / total : 0
                guard percent > shown else { return }
                progress.advance(by: percent - shown)
                shown = percent
            }
        }
        // In a file of 1.x each would be looked for.
        let counted = try database.isVersion1 ? database.opened(copy: target, key) : database
        let count = try counted.read { snapshot in try snapshot.collections().reduce(0) { try $0 + snapshot.counts(of: $1).live } }
        progress.finish()
        if database.isEncrypted, case .other(nil) = key { session.notice("The copy is not encrypted.") }
        for omission in omitted { session.warn("\(omission.message); the copy goes without it") }
        try report(count, clock)
        return omitted.isEmpty ? .success : .failure
    }

    /// Copies a comma list of collections, with all revisions, blobs and indexes, as `dump` and `restore` do, but without a file between them.
    private func copy(collections: String, of database: Database, to target: String) throws -> ExitCode {
        var dumping = Archive.DumpOptions()
        dumping.collections = try ArchiveTransfer.collections([collections], invocation)
        dumping.includesRawDocuments = false
        var restoring = Archive.RestoreOptions()
        restoring.merges = true
        var omitted = 0
        let progress = session.progress("Copying", unit: "lines")
        defer { progress.finish() }
        let result: ArchiveRestorer.Result
        do {
            let key = database.resolved(try session.copyKey(invocation, of: database))
            let keys = KeyFlags.newKey(invocation)
            result = try ArchiveTransfer.restore(into: target, keys: keys, madeWith: key, restoring, invocation) { restorer in
                try database.dump(dumping, check: Interruption.check) { omission in
                    if case .document = omission { omitted += 1 }
                    session.warn(omission.description)
                } emit: { line in
                    try Interruption.check()
                    try restorer.accept(UnsafeRawBufferPointer(rebasing: line.dropLast()))
                    progress.advance()
                }
            }
        } catch let error as ArchiveError {
            throw CommandError.failed("\(database.path): \(error.message)", hint: "Nothing was copied.")
        }
        progress.finish()
        try invocation.tell { try ArchiveTransfer.tell(result, "Copied", invocation) }
        if !result.conflicts.isEmpty { return .conflict }
        return omitted == 0 ? .success : .failure
    }

    private func checkGuard(_ side: Endpoint) throws(CommandError) {
        if case .table = side { return }
        if invocation.flag("guard-formulas") { throw invocation.usageError("--guard-formulas is for CSV and TSV") }
    }

    private func checkExistence(_ target: Endpoint) throws {
        let path: String
        switch target {
        case .json(let file, _), .table(let file, _), .directory(let file): path = file
        case .database, .remote: return
        }
        if invocation.flag("existing"), path != "-", !Endpoint.exists(path) {
            throw CommandError.failed("\(path): there is no such file")
        }
    }

    /// Says how much was copied. Where the documents themselves went to standard output, no facts follow them there.
    private func report(_ count: Int, _ clock: Stopwatch, outputIsTaken: Bool = false) throws {
        guard invocation.wantsJSON, !outputIsTaken else { return session.notice(clock.summary(count)) }
        try invocation.tell { try session.writeFacts { $0.add("documents", count) } }
    }
}
