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

            --follow goes on with changes as they are committed, by any process, until it is interrupted.
            """,
        database: .reads,
        flags: [
            Flag("since", value: "SEQ", .text, "Only changes after this sequence, or since this time"),
            Flag("follow", short: "f", "Go on with new changes as they come"),
            Flag("limit", value: "N", .count, "Stop after N changes"),
            Flag("raw", "Do not cut revision IDs"),
            Flag("body", "With --json, the documents' bodies too"),
        ],
        examples: [
            .init("cblite changes travel.cblite2", "All documents, by their last change."),
            .init("cblite changes --since 8 travel.cblite2", "What came after the sequence 8."),
            .init("cblite changes --since 120 --follow --json travel.cblite2", "What is new, now and later, for a program."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let database = try invocation.database()
        let collection = try database.read { try invocation.collection(in: $0) }
        var feed = ChangeFeed(invocation: invocation, collection: collection)
        if let since = invocation.string("since") {
            if let sequence = UInt64(since) {
                feed.sequence = sequence
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
        let subscription = try database.subscribe(ChangeInterest(collections: [collection]), since: [collection: feed.sequence]) {
            mailbox.put($0)
        }
        defer { subscription.cancel() }
        while !feed.isAtLimit {
            try invocation.output.flush()
            let events = mailbox.take()
            try Interruption.check()
            if case .failed(let error)? = events.last { throw error }
            for case .changed(let changes) in events where changes.deleted.contains(collection) {
                invocation.session.notice("(Collection \"\(collection)\" was deleted)")
            }
            if !events.isEmpty { try feed.write(from: database) }
        }
        return .success
    }
}

extension ChangesCommand {
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
    let collection: CollectionName
    /// The last sequence that was printed.
    var sequence: UInt64 = 0
    /// Leave out what is older, in nanoseconds since 1970.
    var earliest: UInt64 = 0
    private(set) var count = 0
    private var hasHeading = false

    init(invocation: Invocation, collection: CollectionName) {
        self.invocation = invocation
        self.collection = collection
    }

    private var left: Int { (invocation.int("limit") ?? Int.max) - count }
    var isAtLimit: Bool { left <= 0 }

    /// Prints what is new since the last time.
    mutating func write(from database: Database) throws {
        guard !isAtLimit else { return }
        let showsBody = invocation.flag("body") && invocation.wantsJSON
        try database.read { snapshot in
            // The collection may have been deleted and made again meanwhile; without it nothing changes.
            guard snapshot.hasCollection(collection) else { return }
            var options = ScanOptions(order: .sequence, content: showsBody ? .body : .metadata)
            options.includesDeleted = true
            options.since = sequence
            if left < Int.max, earliest == 0 { options.limit = left }
            let cursor = try snapshot.scan(collection, options)
            invocation.session.reportDamage(met: cursor)
            let row = DocumentRow(versioning: snapshot.versioning, isRaw: invocation.flag("raw"), output: invocation.output)
            while try cursor.next() {
                try Interruption.check()
                sequence = cursor.sequence
                if earliest > 0 {
                    guard let version = try RevisionID(column: cursor.versionBytes).version, version.time >= earliest else { continue }
                    if isAtLimit { break }
                }
                count += 1
                if invocation.wantsJSON {
                    try invocation.session.writeFacts { line in
                        line.add(documentOf: cursor)
                        if showsBody { line.add("body", cursor.body, snapshot.sharedKeys) }
                    }
                } else {
                    if !hasHeading { try row.writeHeading(to: invocation.session) }
                    hasHeading = true
                    try invocation.output.write { row.append(cursor, to: &$0) }
                }
            }
        }
    }
}
