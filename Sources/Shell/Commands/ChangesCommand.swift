import DocumentStore
import Fleece

/// `cblite changes DATABASE`
enum ChangesCommand {
    static let declaration = CommandDeclaration(
        "changes", group: .looking,
        summary: "Print the change feed: documents in the order in which they last changed",
        discussion: """
            Each document stands once, deleted ones too, at its last change. The sequence of the last line, given to --since later, \
            continues where this run ended.

            --follow goes on with changes as they are committed, by any process, until it is interrupted.
            """,
        database: .reads,
        flags: [
            Flag("since", value: "SEQ", .count, "Only changes after this sequence"),
            Flag("follow", short: "f", "Go on with new changes as they come"),
            Flag("limit", value: "N", .count, "Stop after N changes"),
            Flag("raw", "Do not cut revision IDs"),
            Flag("body", "With --json, the documents' bodies too"),
        ],
        examples: [
            .init("cblite changes travel.cblite2", "All documents, by their last change."),
            .init("cblite changes --since 120 --follow --json travel.cblite2", "What is new, now and later, for a program."),
        ],
        run: run)

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let database = try invocation.database()
        let collection = try database.read { try invocation.collection(in: $0) }
        var feed = ChangeFeed(invocation: invocation, collection: collection)
        feed.sequence = UInt64(invocation.int("since") ?? 0)
        if invocation.flag("follow") {
            try invocation.session.refuseInTransaction("nothing else can change, so there is nothing to follow")
        }
        try feed.write(from: database)
        guard invocation.flag("follow") else {
            if feed.count == 0 { invocation.session.notice("(No changes)") }
            return .success
        }
        let watcher = try database.watch(since: [collection: feed.sequence])
        while !feed.isAtLimit {
            try invocation.output.flush()
            try Interruption.check()
            // Short waits, so that Ctrl-C is noticed whatever it interrupts.
            guard try watcher.wait(milliseconds: 200), watcher.changes[collection] != nil else { continue }
            try feed.write(from: database)
        }
        return .success
    }
}

/// Where a reader of the feed is.
private struct ChangeFeed {
    let invocation: Invocation
    let collection: CollectionName
    /// The last sequence that was printed.
    var sequence: UInt64 = 0
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
            if left < Int.max { options.limit = left }
            let cursor = try snapshot.scan(collection, options)
            invocation.session.reportDamage(met: cursor)
            let row = DocumentRow(versioning: snapshot.versioning, isRaw: invocation.flag("raw"), output: invocation.output)
            while try cursor.next() {
                try Interruption.check()
                count += 1
                sequence = cursor.sequence
                if invocation.wantsJSON {
                    try invocation.session.writeFacts { line in
                        line.add(documentOf: cursor)
                        if showsBody { line.add("body", cursor.body, snapshot.sharedKeys) }
                    }
                } else {
                    if !hasHeading { try row.writeHeading(to: invocation.session) }
                    hasHeading = true
                    try invocation.output.writeText { row.append(cursor, to: &$0) }
                }
            }
        }
    }
}
