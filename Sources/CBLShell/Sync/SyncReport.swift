import CBLBase
import CBLFleece
import CBLLanguage
import CBLReplication
import CBLStore
import CBLTransport

/// Tells of a replication while it runs: lines for a person, or an object for each event for a program.
final class SyncReport {
    private let session: Session
    private let direction: DatabaseSync.Direction
    private let verbosity: Int
    private let progress: ProgressLine
    private let clock = Stopwatch()
    private var line: SyncLine
    private var toldActivity: SyncStatus.Activity?
    private var nextStatus = 0.0
    private(set) var tally = SyncTally()
    /// What failed for the moment last, and how many documents in a row it was.
    private var trouble = (message: "", count: 0)
    private static let mostRepeated = 10

    private let log: SyncLog?
    /// What became of what a push met.
    var absence = SyncAbsence.isKeptBack
    /// That itself, as far as it is looked at in the end.
    private(set) var met: [MetConflict] = []
    private static let mostMet = 1000

    init(_ session: Session, _ direction: DatabaseSync.Direction, peer: String, verbosity: Int, log: SyncLog? = nil) {
        self.session = session
        self.log = log
        self.direction = direction
        self.verbosity = verbosity
        progress = session.progress(direction.title, unit: "documents")
        line = SyncLine(title: direction.title, peer: peer)
    }

    private var isJSON: Bool { session.options.isJSON }

    /// Takes the progress line off the screen.
    func finish() { progress.finish() }

    /// Draws the progress line anew, if it is time to.
    func draw() { progress.show { line.text(seconds: $0) } }

    /// For how many milliseconds the line need not be drawn anew if nothing happens; -1 for as long as that is.
    var pause: Int32 { progress.isUpToDate && !line.movesByItself ? -1 : ProgressLine.pause }

    func take(_ event: ReplicatorEvent) throws {
        log?.take(event)
        switch event {
        case .status(let status): try take(status)
        case .connected(let opening):
            line.phase = .working
            if isJSON {
                try write("connected") {
                    if let url = SyncReport.url(opening) { $0.add("url", url) }
                    $0.add("protocol", opening.subprotocol)
                }
            } else if verbosity > 1 {
                let server = opening.headers["Server"].map { ", \(ForeignText.line($0, limit: 100))" } ?? ""
                session.remark(
                    "Connected\(SyncReport.url(opening).map { " to \($0)" } ?? ""): \(opening.subprotocol)\(server)"
                )
            }
        case .document(let event, let collection): try take(event, collection)
        case .waiting(let reason, let seconds):
            line.phase = .waiting(until: progress.elapsed + Double(seconds), reason: SyncAdvice.shortened(reason.error.message))
            if isJSON {
                try write("waiting") {
                    $0.add("seconds", seconds)
                    SyncReport.add(reason.error, to: &$0)
                }
            } else {
                session.notice("\(SyncAdvice.shortened(reason.error.message)); trying again in \(seconds) s")
            }
        case .ended: break
        }
    }

    private static func url(_ opening: WebSocketOpening) -> String? {
        guard opening.subprotocol == CouchPeer.protocolName else { return opening.url.map { SyncEndpoint.removed(from: $0.description) } }
        return opening.url?.webDescription
    }

    /// It was asked to come to an end.
    func isEnding() { line.phase = .ending }

    private func take(_ status: SyncStatus) throws {
        line.status = status
        if line.phase != .ending {
            switch status.activity {
            case .connecting: line.phase = .connecting
            case .busy: line.phase = .working
            case .idle: line.phase = .watching
            // What is waited for says the event for it.
            case .offline, .stopped: break
            }
        }
        guard isJSON, status.activity != toldActivity || clock.seconds >= nextStatus else { return }
        toldActivity = status.activity
        nextStatus = clock.seconds + 1
        try write("status") {
            $0.add("activity", SyncReport.name(status.activity))
            $0.add("documents", status.documents)
            $0.add("completed", status.completed)
            $0.add("total", status.total)
        }
    }

    private static func name(_ activity: SyncStatus.Activity) -> String {
        switch activity {
        case .stopped: "stopped"
        case .offline: "offline"
        case .connecting: "connecting"
        case .idle: "idle"
        case .busy: "busy"
        }
    }

    private func take(_ event: DocumentEvent, _ collection: CollectionName) throws {
        tally.add(event)
        if SyncTally.kind(event) == .conflict, event.direction == .push, met.count < SyncReport.mostMet {
            met.append(MetConflict(documentID: event.documentID, collection: collection, revision: event.revision))
        }
        line.tally = tally
        if isJSON {
            return try write("document") {
                $0.add("direction", event.direction == .push ? "push" : "pull")
                $0.add("collection", collection.description)
                $0.add("id", event.documentID)
                if let revision = event.revision { $0.add("revision", revision.text) }
                if event.flags.contains(.deleted) { $0.add("deleted", true) }
                if event.flags.losesAccess { $0.add("removed", true) }
                if SyncTally.kind(event) == .filtered { $0.add("filtered", true) }
                if SyncTally.kind(event) != .filtered, let error = event.error { SyncReport.add(error, to: &$0) }
            }
        }
        let name = TerminalText.escaped(collection.isDefault ? event.documentID : "\(collection)/\(event.documentID)")
        let revision = verbosity > 1 ? event.revision.map { " \($0)" } ?? "" : ""
        switch SyncTally.kind(event) {
        case .failed where event.isTransient && verbosity == 0 && isRepeated(event): break
        case .failed, .conflict: session.warn("\(name): \(SyncAdvice.words(event.error ?? .filteredOut, event.direction))\(revision)")
        case .filtered: if verbosity > 1 { session.remark("Left out \(name)\(revision)") }
        case .done: if verbosity > 0 { session.remark("\(verb(event)) \(name)\(revision)") }
        }
    }

    /// What is wrong with a disk is the same for all documents that come after.
    private func isRepeated(_ event: DocumentEvent) -> Bool {
        guard let message = event.error?.message else { return false }
        if message != trouble.message {
            tellRest()
            trouble = (message, 0)
        }
        trouble.count += 1
        return trouble.count > SyncReport.mostRepeated
    }

    /// How many more it was.
    private func tellRest() {
        let rest = trouble.count - SyncReport.mostRepeated
        if rest > 0 { session.warn("\(ProgressLine.grouped(rest)) more documents: \(SyncAdvice.shortened(trouble.message))") }
        trouble = ("", 0)
    }

    private func verb(_ event: DocumentEvent) -> String {
        if event.flags.losesAccess { return "Lost access to" }
        let isDeleted = event.flags.contains(.deleted)
        switch event.direction {
        case .push: return isDeleted ? "Pushed the deletion of" : "Pushed"
        case .pull: return isDeleted ? "Pulled the deletion of" : "Pulled"
        }
    }

    /// Documents that were not even offered, because they are in conflict already.
    func leave(conflicts: [String], in collection: CollectionName) throws {
        let error = SyncError(.liteCore, 8, "it is in conflict here with what came from there")
        for id in conflicts {
            tally.conflicts += 1
            if isJSON {
                try write("document") {
                    $0.add("direction", "push")
                    $0.add("collection", collection.description)
                    $0.add("id", id)
                    SyncReport.add(error, to: &$0)
                }
            } else if tally.conflicts <= SyncReport.mostRepeated || verbosity > 0 {
                session.warn("\(TerminalText.escaped(collection.isDefault ? id : "\(collection)/\(id)")): \(error.message)")
            }
        }
    }

    /// The last words.
    func conclude(_ failure: SyncFailure?) throws {
        finish()
        log?.end(failure)
        log?.close()
        guard isJSON else {
            tellRest()
            if failure == nil || tally.done > 0 { session.notice(clock.summary(tally.done) + tally.remainder) }
            if failure == nil, let advice = SyncAdvice.advice(on: tally, direction, absence) { session.notice(advice) }
            return
        }
        try write("ended") {
            $0.add("pushed", tally.pushed)
            $0.add("pulled", tally.pulled)
            $0.add("failed", tally.failed)
            $0.add("conflicts", tally.conflicts)
            $0.add("filtered", tally.filtered)
            if let failure { SyncReport.add(failure.error, to: &$0) }
        }
    }

    private func write(_ event: String, _ facts: (inout JSONObjectWriter) -> Void) throws {
        try session.writeFacts { line in
            line.add("event", event)
            facts(&line)
        }
    }

    private static func add(_ error: SyncError, to line: inout JSONObjectWriter) {
        line.add("error") { line in
            line.add("domain", error.domain.rawValue)
            line.add("code", error.code)
            line.add("message", error.message)
        }
    }
}
