import CBLQuery
import CBLStore

/// `cblite schema DATABASE [COLLECTION]`
enum SchemaCommand {
    static let declaration = CommandDeclaration(
        "schema", group: .looking,
        summary: "Show which properties documents have, and what is in them",
        discussion: """
            Prints a line for each property that documents of the collection have: how many have it, which types its values are of, and what \
            those values are: how long, from where to where, all of them where they are few, otherwise some. Properties of objects are indented \
            below them; [] stands for the items of an array, and * for the members of a map, an object whose names are data. The share below \
            [] and * is of the items or members.

            Where documents clearly fall into kinds by a property such as "type", each kind is shown by itself; --by names another property, \
            and --together puts all into one.

            Of collections with more than \(defaultSample) documents, or with more than \(defaultSampleMiB) MiB of them, a sample is taken, evenly \
            from everywhere in it; --sample says how large, and --all reads everything.
            """,
        database: .reads,
        flags: [
            Flag("by", value: "PROPERTY", .property, "Show each kind of documents by itself: each text that this property has"),
            Flag("together", "Show all documents as one kind"),
            Flag("sample", value: "N", .integer(1...Int.max), "Look at about N documents, taken evenly"),
            Flag("all", "Look at all documents, however many there are"),
            Flag(
                "format", short: "F", value: "FORMAT", .choice(["table", "json", "json-schema"]),
                "table, json (as with --json), or json-schema: a JSON Schema that the documents meet"),
        ],
        arguments: [Argument("COLLECTION", .collection, .optional, "Instead of the current collection")],
        examples: [
            .init("cblite schema travel.cblite2 inventory.hotel", "What a hotel looks like."),
            .init("cblite schema --by country travel.cblite2 inventory.hotel", "Do hotels differ from country to country?"),
            .init("cblite schema --format json-schema travel.cblite2 inventory.hotel > hotel.schema.json", "For other programs."),
        ],
        run: run)

    static let defaultSample = 100_000
    private static let defaultSampleMiB = 64

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        if invocation.flag("all"), invocation.int("sample") != nil { throw invocation.usageError("--all and --sample exclude each other") }
        if invocation.flag("together"), invocation.string("by") != nil {
            throw invocation.usageError("--together and --by exclude each other")
        }
        let format = invocation.wantsJSON ? "json" : invocation.string("format") ?? "table"
        return try invocation.database().read { snapshot in
            let collection = try invocation.collection(named: "COLLECTION", in: snapshot)
            let scan = ShapeScan(
                collection, kinds: kinds(invocation),
                sample: invocation.flag("all") ? nil : invocation.int("sample") ?? defaultSample,
                // Who says how many documents waits for them.
                mostBytes: invocation.flag("all") || invocation.int("sample") != nil ? nil : defaultSampleMiB << 20,
                estimatesTotal: format == "table")
            let progress = invocation.session.progress("Looking", unit: "documents")
            let found = try scan.run(on: snapshot) { count in
                try Interruption.check()
                progress.advance(by: count - progress.count)
            }
            progress.finish()
            invocation.session.reportDamage(found.damaged, count: found.damagedCount)
            let page = SchemaPage(collection: collection, found: found, references: try references(found, snapshot))
            switch format {
            case "json": try page.writeFacts(to: invocation.session)
            case "json-schema": try page.writeJSONSchema(to: invocation.session)
            default: try page.write(to: invocation.session)
            }
            return .success
        }
    }

    private static func kinds(_ invocation: Invocation) -> ShapeScan.Kinds {
        if let property = invocation.string("by") { return .by(property) }
        return invocation.flag("together") || invocation.string("format") == "json-schema" ? .together : .automatic
    }

    private static func references(_ found: ShapeScan.Result, _ snapshot: Snapshot) throws -> ReferenceFinder {
        var finder = ReferenceFinder(snapshot: snapshot)
        for (_, shape) in found.survey.shapes { try finder.look(at: shape.document) }
        return finder
    }
}

extension Invocation {
    /// The collection that an argument names, or else the flag, or else the current one. It exists.
    func collection(named argument: String, in snapshot: Snapshot) throws -> CollectionName {
        guard let text = argumentIfGiven(argument) else { return try collection(in: snapshot) }
        if session.options.collection != nil { throw usageError("the collection is given twice") }
        let name: CollectionName
        do { name = try CollectionName(parsing: text) } catch { throw usageError(error.message) }
        return try existing(name, in: snapshot)
    }
}

extension Session {
    /// Tells of documents that were passed over because they are damaged. The command then ends with exit code 1.
    func reportDamage(_ documents: [DamagedDocument], count: Int) {
        for document in documents {
            damagedCount += 1
            report(.failed(document.description, hint: damagedCount == 1 ? "\"cblite check\" tells more." : nil))
        }
        if count > documents.count {
            damagedCount += count - documents.count
            warn("\(count - documents.count) more documents are damaged")
        }
    }
}

/// Finds out which properties hold IDs of documents: documents with such IDs are there. Where the name of the property does not sound like it,
/// all that are looked up must be.
struct ReferenceFinder {
    private static let tries = 8

    let snapshot: Snapshot
    /// By the path of the property.
    private(set) var found: [ShapePath: CollectionName] = [:]

    init(snapshot: Snapshot) { self.snapshot = snapshot }

    mutating func look(at property: Shape.Property, _ path: ShapePath = ShapePath()) throws {
        if property.facts.strings > property.facts.dates, found[path] == nil {
            found[path] = try target(of: property.facts, isLikely: ReferenceFinder.soundsLikeID(path.lastName))
        }
        for child in property.properties + property.items + property.members { try look(at: child, path + child.name) }
    }

    private static func soundsLikeID(_ name: String) -> Bool {
        name.utf8.count > 2 && ["id", "Id", "ID", "ids", "Ids", "IDs", "_ref", "Ref"].contains { name.hasSuffix($0) }
    }

    private func target(of facts: PlaceFacts, isLikely: Bool) throws -> CollectionName? {
        let texts = facts.values.entries.compactMap { entry -> String? in
            if case .text(let text, isWhole: true) = entry.value, !text.isEmpty { text } else { nil }
        }
        let tried = texts.prefix(ReferenceFinder.tries)
        guard !tried.isEmpty else { return nil }
        let needed = isLikely ? (tried.count + 1) / 2 : tried.count
        return try snapshot.collections().first { collection in
            var missing = 0
            for id in tried where try !snapshot.holds(id, in: collection) {
                missing += 1
                if missing > tried.count - needed { return false }
            }
            return true
        }
    }
}

extension Snapshot {
    /// Whether there is a live document with this ID, read from the index.
    fileprivate func holds(_ id: String, in collection: CollectionName) throws -> Bool {
        var options = ScanOptions(content: .id)
        options.idPrefix = id
        options.limit = 1
        let cursor = try scan(collection, options)
        return try cursor.next() && cursor.id == id
    }
}
