import CBLStore

/// What a command did to a document, and how it is told: a sentence, or a line of JSON.
///
///     Updated `doc1`, new revision 2-57c8d0e1 (sequence 14)
struct DocumentChange {
    enum Action: String {
        case created, updated, deleted, purged, moved, undeleted, reverted, resolved, restored
        /// Its expiration is what it was.
        case unexpired

        var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }
    }

    let action: Action
    let id: String
    let collection: CollectionName
    var revision: RevisionID?
    var sequence: UInt64?
    /// Where a document was moved.
    var target: (collection: CollectionName, id: String)?

    /// A save that made a revision.
    init(_ action: Action, _ id: String, in collection: CollectionName, _ saved: SavedRevision) {
        self.init(action, id, in: collection)
        revision = saved.id
        sequence = saved.sequence
    }

    init(_ action: Action, _ id: String, in collection: CollectionName) {
        self.action = action
        self.id = id
        self.collection = collection
    }

    func write(to session: Session, dryRun: Bool = false) throws {
        if session.options.isJSON { return try writeFacts(to: session, dryRun: dryRun) }
        var text = dryRun ? "Would have \(action.rawValue) `\(id)`" : "\(action.title) `\(id)`"
        if action == .unexpired { text = "\(dryRun ? "Would have given" : "Gave") `\(id)` its expiration back" }
        if let target {
            text += " to \(target.collection)"
            if target.id != id { text += " as `\(target.id)`" }
        }
        if let revision { text += ", new revision \(revision.shortText)" }
        if let sequence { text += " (sequence \(sequence))" }
        try session.output.write(report: text)
        try session.output.write("\n")
    }

    private func writeFacts(to session: Session, dryRun: Bool) throws {
        try session.writeFacts { line in
            line.add("action", action.rawValue)
            line.add("collection", collection.description)
            line.add("id", id)
            if let target {
                line.add("newCollection", target.collection.description)
                line.add("newID", target.id)
            }
            if let revision { line.add("revision", revision.text) }
            if let sequence { line.add("sequence", sequence) }
            if dryRun { line.add("dryRun", true) }
        }
    }
}

extension Invocation {
    /// At a terminal nobody reads thousands of lines.
    private static let mostShown = 20

    /// Tells what became of each document; at a terminal of the first ones, and how many more there are.
    func tell(_ changes: [DocumentChange], dryRun: Bool) throws {
        let isAll = !output.isTerminal || wantsJSON || changes.count <= Invocation.mostShown + 1
        try tell {
            for change in isAll ? changes[...] : changes.prefix(Invocation.mostShown) { try change.write(to: session, dryRun: dryRun) }
        }
        if !isAll { session.notice("… and \(ProgressLine.grouped(changes.count - Invocation.mostShown)) more.") }
    }
}

extension RevisionID {
    /// As much as tells it from others: a generation and eight digits. Versions are shown whole.
    var shortText: String {
        let text = text
        guard !isVersion, let dash = text.firstIndex(of: "-") else { return text }
        return String(text[..<(text.index(dash, offsetBy: 9, limitedBy: text.endIndex) ?? text.endIndex)])
    }
}
