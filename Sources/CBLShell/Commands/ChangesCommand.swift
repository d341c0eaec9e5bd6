import CBLBase
import CBLFleece
import CBLStore

/// `cblite changes DATABASE`
enum ChangesCommand {
    static let declaration = CommandDeclaration(
        "changes", group: .looking,
        summary: "Print the change feed: documents in the order in which they last changed",
        discussion: """
            Each document stands once, deleted ones too, at its last change. The sequence of the last line, given to --since later, \
            continues where this run ended.

            Documents of a database that uses version vectors (4.x) know when they were changed, and --since takes a time as well: an ISO \
            8601 date, today, yesterday, or how long ago: 2h, 30d. Revision trees know no times; diff compares with an earlier copy.

            --follow goes on with changes as they are committed, by any process, until it is interrupted; with --since now it begins with \
            them. -C A,B is about several collections, -C '*' about all, also those that are made meanwhile: their sequences are their own, \
            so --since takes no number there. With --diff each line says when a change was seen, and what it did: for that the documents \
            are kept in memory, 256 MB of them at most.
            """,
        database: .reads,
        flags: [
            Flag("since", value: "SEQ", .text, "Only changes after this sequence, or since this time, or from now on"),
            Flag("follow", short: "f", "Go on with new changes as they come"),
            Flag("diff", "With --follow: when each change was seen, and what it did, in a line"),
            Flag("limit", value: "N", .count, "Stop after N changes"),
            Flag("raw", "Do not cut revision IDs"),
            Flag("body", "With --json, the documents' bodies too"),
        ],
        examples: [
            .init("cblite changes travel.cblite2", "All documents, by their last change."),
            .init("cblite changes --since 8 travel.cblite2", "What came after the sequence 8."),
            .init("cblite changes -f --diff --since now -C '*' travel.cblite2", "Whatever changes anywhere from now on, and how."),
            .init("cblite changes --since 120 --follow --json travel.cblite2", "What is new, now and later, for a program."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let database = try invocation.database()
        let chosen = try database.read { try collections(invocation, $0) }
        let collection = chosen?.count == 1 ? chosen?.first : nil
        var feed = ChangeFeed(invocation: invocation, collections: chosen)
        if invocation.flag("diff") {
            guard invocation.flag("follow") else {
                throw invocation.usageError(
                    "--diff goes with --follow: what documents were before, nobody has kept. diff compares with a copy")
            }
            feed.difference = try ChangeDifference(database, chosen, invocation)
        }
        if let since = invocation.string("since") {
            if since == "now" {
                try database.read { try feed.skip($0) }
            } else if let sequence = UInt64(since) {
                guard let collection else {
                    throw invocation.usageError("each collection has sequences of its own: --since with a number is for one")
                }
                feed.sequences[collection] = sequence
            } else {
                feed.earliest = try time(since, database, invocation)
            }
        }
        if invocation.flag("follow") {
            try invocation.session.refuseInTransaction("nothing else can change, so there is nothing to follow")
        }
        try feed.write(from: database)
        guard invocation.flag("follow") else {
            if feed.count == 0 { invocation.session.notice("(No changes)") }
            return .success
        }
        let mailbox = try Mailbox<ChangeEvent>()
        let interest = ChangeInterest(collections: chosen.map { Set($0) }, isPassedOn: true)
        let subscription = try database.subscribe(interest, since: feed.sequences) { mailbox.put($0) }
        defer { subscription.cancel() }
        while !feed.isAtLimit {
            try invocation.output.flush()
            let events = mailbox.take()
            try Interruption.check()
            if case .failed(let error)? = events.last { throw error }
            for case .changed(let changes) in events {
                for deleted in changes.deleted.sorted() where chosen?.contains(deleted) ?? true {
                    invocation.session.notice("(Collection \"\(deleted)\" was deleted)")
                    feed.sequences[deleted] = nil
                }
            }
            if !events.isEmpty { try feed.write(from: database) }
        }
        return .success
    }
}

extension ChangesCommand {
    /// Those that `--collection` names, separated by commas, or the current one; nil for all.
    private static func collections(_ invocation: Invocation, _ snapshot: Snapshot) throws -> [CollectionName]? {
        guard let list = invocation.session.options.collection else { return [try invocation.collection(in: snapshot)] }
        if list == "*" { return nil }
        return try ArchiveTransfer.collections([list], invocation)?.map { try invocation.existing($0, in: snapshot) }
    }

    /// A point in time, in the nanoseconds that versions count.
    private static func time(_ text: String, _ database: Database, _ invocation: Invocation) throws -> UInt64 {
        guard let time = TimeText.past(text, now: Transaction.now) else {
            throw invocation.usageError("--since needs a sequence, or a time such as 2027-03-01, yesterday or 2h, not \"\(text)\"")
        }
        guard try database.read({ $0.versioning == .vectors }) else {
            throw CommandError.failed(
                "\(database.path): revision trees do not know when a document was changed",
                hint: "--since takes a sequence: note the last one, and continue there. diff compares with an earlier copy.")
        }
        // The nanoseconds end in the year 2554.
        let (nanoseconds, isTooLate) = UInt64(clamping: time).multipliedReportingOverflow(by: 1_000_000)
        return isTooLate ? .max : nanoseconds
    }
}

/// Where a reader of the feed is.
private struct ChangeFeed {
    let invocation: Invocation
    /// Nil for all.
    let collections: [CollectionName]?
    /// The last ones that were printed.
    var sequences: [CollectionName: UInt64] = [:]
    /// Leave out what is older, in nanoseconds since 1970.
    var earliest: UInt64 = 0
    /// What tells of each change in a line of its own kind.
    var difference: ChangeDifference?
    private(set) var count = 0
    private var hasHeading = false
    private var headed: CollectionName?

    init(invocation: Invocation, collections: [CollectionName]?) {
        self.invocation = invocation
        self.collections = collections
    }

    private var areSeveral: Bool { collections?.count != 1 }

    /// Passes over all that is there.
    mutating func skip(_ snapshot: Snapshot) throws {
        for name in names(in: snapshot) { sequences[name] = try snapshot.lastSequence(of: name) }
    }

    /// A collection may have been deleted and made again meanwhile; without it nothing changes.
    private func names(in snapshot: Snapshot) -> [CollectionName] {
        collections?.filter { snapshot.hasCollection($0) } ?? snapshot.collections()
    }

    private var left: Int { (invocation.int("limit") ?? Int.max) - count }
    var isAtLimit: Bool { left <= 0 }

    /// Prints what is new since the last time.
    mutating func write(from database: Database) throws {
        guard !isAtLimit else { return }
        try database.read { try write($0) }
    }

    private mutating func write(_ snapshot: Snapshot) throws {
        for name in names(in: snapshot) where !isAtLimit { try write(name, snapshot) }
    }

    private mutating func write(_ name: CollectionName, _ snapshot: Snapshot) throws {
        let showsBody = invocation.flag("body") && invocation.wantsJSON || difference != nil
        var options = ScanOptions(order: .sequence, content: showsBody ? .body : .metadata)
        options.includesDeleted = true
        options.since = sequences[name] ?? 0
        if left < Int.max, earliest == 0 { options.limit = left }
        let cursor = try snapshot.scan(name, options)
        invocation.session.reportDamage(met: cursor)
        let row = DocumentRow(versioning: snapshot.versioning, isRaw: invocation.flag("raw"), output: invocation.output)
        while try cursor.next() {
            try Interruption.check()
            sequences[name] = cursor.sequence
            if earliest > 0 {
                guard let version = try RevisionID(column: cursor.versionBytes).version, version.time >= earliest else { continue }
                if isAtLimit { break }
            }
            count += 1
            if let difference {
                try difference.write(cursor, in: areSeveral ? name : nil, snapshot)
                continue
            }
            if invocation.wantsJSON {
                try invocation.session.writeFacts { line in
                    line.add(documentOf: cursor)
                    if showsBody { line.add("body", cursor.body, snapshot.sharedKeys) }
                }
                continue
            }
            if !hasHeading { try row.writeHeading(to: invocation.session) }
            hasHeading = true
            if areSeveral, headed != name {
                try invocation.session.write("\(name):", .heading)
                try invocation.output.write("\n")
                headed = name
            }
            try invocation.output.write { row.append(cursor, to: &$0) }
        }
    }
}
