import CBLBase
import CBLStore

/// `undo`, in the interactive shell
enum UndoCommand {
    static let declaration = CommandDeclaration(
        "undo", group: .changing,
        summary: "Take back what the last statement changed",
        discussion: """
            In the interactive shell at a terminal: gives the documents that the last statement changed what they had before, shows first what \
            that comes to, and asks. Once more takes back the statement before it. Each database has its own, of this session.

            Documents that were changed or deleted get a new revision with their old properties; purged ones are there again as they were; \
            moved ones go back; new ones go, without a trace if no replication has told others of them. What somebody else has changed \
            meanwhile is left alone, and named.

            Of what a statement replaces, 64 MB in 100,000 documents are kept in memory; a statement that changes more says that it cannot be \
            taken back. Neither can rmcoll, compact, resolve, check --repair and what replication brings. In a transaction, undo reaches back to \
            its beginning.
            """,
        flags: [
            Flag("list", short: "l", "List the statements that can be taken back, the last one first"),
            Flag("yes", short: "y", "Do not ask"),
            .dryRun,
        ],
        arguments: [Argument("COUNT", .integer(1...1000), .optional, "So many statements, the last ones")],
        examples: [
            .init("undo", "What was that? Take it back."),
            .init("undo 3 --dry-run", "What would become of the documents without the last three statements?"),
        ],
        run: run)

    private static let mostShown = 20

    @Sendable private static func run(_ invocation: Invocation) throws -> ExitCode {
        let shell = try ShellCommands.shell(of: invocation)
        guard shell.isOnTerminal else {
            throw CommandError.failed(
                "undo is for somebody at a terminal", hint: "In a script, \"begin\" and \"rollback\" take changes back.")
        }
        let session = invocation.session
        guard let entry = shell.databases.current, let journal = entry.journal else {
            throw CommandError.failed("no database is open", hint: "use DATABASE opens one.")
        }
        let all = journal.steps.filter { $0.number > (entry.isInTransaction ? entry.transactionStart : 0) }
        if invocation.flag("list") {
            if all.isEmpty { invocation.session.notice("(Nothing to take back)") }
            for step in all.reversed() {
                try invocation.output.write(report: "\(title(step)): \(size(step))")
                try invocation.output.write("\n")
            }
            return .success
        }
        let count = invocation.argumentIfGiven("COUNT").flatMap { Int($0) } ?? 1
        let steps = all.suffix(count)
        guard !steps.isEmpty else {
            let isBefore = all.count < journal.steps.count
            throw CommandError.failed(isBefore ? "nothing was changed since begin" : "there is nothing to take back")
        }
        if let large = steps.last(where: \.isTooLarge) {
            throw CommandError.failed("\(title(large)) changed more than is kept to be taken back")
        }
        if !invocation.flag("yes") || invocation.flag("dry-run") {
            for step in steps.reversed() { session.notice("\(title(step)): \(size(step))") }
            let preview = try takeBack(Array(steps), entry.database, invocation, dryRun: true)
            try invocation.tell { try write(preview, to: invocation, dryRun: true) }
            if invocation.flag("dry-run") { return .success }
            guard try session.confirm("Take \(steps.count == 1 ? "this" : "these \(steps.count) statements") back?") else {
                session.notice("Nothing was changed.")
                return .failure
            }
        }
        let taken = try takeBack(Array(steps), entry.database, invocation, dryRun: false)
        journal.finish(Array(steps), taken)
        try invocation.tell { try write(taken, to: invocation, dryRun: false) }
        return .success
    }

    private static func takeBack(
        _ steps: [ChangeJournal.Step], _ database: Database, _ invocation: Invocation, dryRun: Bool
    ) throws -> [TakenBack] {
        let progress = invocation.session.progress(
            "Taking back", total: steps.reduce(0) { $0 + $1.documentCount }, unit: "documents")
        defer { progress.finish() }
        return try invocation.transact(on: database, dryRun: dryRun) { transaction in
            try transaction.takeBack(steps) {
                try Interruption.check()
                progress.advance()
            }
        }
    }

    private static func title(_ step: ChangeJournal.Step) -> String { "\"\(step.title.prefix(60))\(step.title.count > 60 ? "…" : "")\"" }

    private static func size(_ step: ChangeJournal.Step) -> String {
        if step.isTooLarge { return "too much to be taken back" }
        return step.documentCount == 1 ? "1 change" : "\(step.documentCount) changes"
    }

    private static func write(_ results: [TakenBack], to invocation: Invocation, dryRun: Bool) throws {
        let session = invocation.session
        for taken in results.prefix(invocation.wantsJSON ? results.count : mostShown) { try write(taken, to: session, dryRun: dryRun) }
        if !invocation.wantsJSON, results.count > mostShown { session.notice("… and \(results.count - mostShown) more.") }
        for taken in results where taken.action.isLeftAlone {
            session.warn("document \"\(taken.id)\" was changed since, and is left as it is")
        }
    }

    private static func write(_ taken: TakenBack, to session: Session, dryRun: Bool) throws {
        var change: DocumentChange
        switch taken.action {
        case .leftAlone: return
        case .reverted: change = DocumentChange(.reverted, taken.id, in: taken.collection)
        case .undeleted: change = DocumentChange(.undeleted, taken.id, in: taken.collection)
        case .deleted: change = DocumentChange(.deleted, taken.id, in: taken.collection)
        case .purged: change = DocumentChange(.purged, taken.id, in: taken.collection)
        case .restored: change = DocumentChange(.restored, taken.id, in: taken.collection)
        case .expiration: change = DocumentChange(.unexpired, taken.id, in: taken.collection)
        case .moved(let collection, let id):
            change = DocumentChange(.moved, id, in: collection)
            change.target = (taken.collection, taken.id)
        }
        change.revision = taken.revision
        change.sequence = taken.sequence
        try change.write(to: session, dryRun: dryRun)
    }
}

extension TakenBack.Action {
    fileprivate var isLeftAlone: Bool { if case .leftAlone = self { true } else { false } }
}

extension Session {
    /// Says before it is done that `undo` does not help against something.
    func tellOfNoReturn(_ what: String) {
        if shell?.isOnTerminal ?? false { remark("(\(what) cannot be taken back.)") }
    }
}
