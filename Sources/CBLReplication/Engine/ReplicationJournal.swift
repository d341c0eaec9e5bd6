import CBLBase
import CBLStore
import Synchronization

/// What a replicator does, in the words of the vendor's library, so that whatever reads such log files finds its way in these as well.
///
///     var journal = ReplicationJournal()
///     journal.begin(settings, of: database.path) { level, message in … }
///     journal.take(event) { level, message in … }
///
/// A message is made only if it is asked for.
package struct ReplicationJournal {
    package typealias Teller = (_ level: MessageLevel, _ message: () -> String) -> Void

    /// While documents are on their way, their number is told this often, in seconds.
    private static let interval = 1.0
    /// Of those of a process.
    private static let numbers = Atomic<Int>(0)

    /// By what the messages say whose they are.
    package let object: String
    private var status = SyncStatus()
    package var documents = 0
    /// What was told last, and when.
    private var toldActivity: SyncStatus.Activity?
    private var toldDocuments = 0
    private var toldTime = -interval

    package init(object: String) { self.object = object }

    /// With the next number.
    package init() { self.init(object: "/Repl#\(ReplicationJournal.numbers.wrappingAdd(1, ordering: .relaxed).newValue)/") }

    package func begin(_ settings: ReplicatorSettings, of database: String, _ tell: Teller) {
        func mode(_ which: (ReplicatorSettings.Collection) -> ActiveSession.Mode) -> String {
            let modes = settings.collections.map(which)
            return modes.contains(.continuous) ? "continuous" : modes.contains(.once) ? "one-shot" : "disabled"
        }
        begin(database, config: "Push=\(mode(\.push)), Pull=\(mode(\.pull))", with: settings.peer.name, tell)
    }

    package func begin(_ database: String, config: String, with peer: String, _ tell: Teller) {
        tell(.info) { "Starting Replicator of \(database) with config: {\(config)} and endpoint: \(peer)" }
    }

    package mutating func take(_ event: ReplicatorEvent, _ tell: Teller) {
        switch event {
        case .connected: tell(.info) { "Connected!" }
        case .status(let status):
            self.status = status
            let time = MonotonicClock.seconds
            if status.activity != toldActivity || documents != toldDocuments && time - toldTime >= ReplicationJournal.interval {
                toldTime = time
                tellProgress(tell)
            }
        case .document(let event, let collection): take(event, collection, tell)
        case .waiting(let failure, let seconds):
            tellClosing(failure.error, tell)
            tell(.info) { "Offline, trying again in \(seconds) s" }
        case .ended(let failure): end(failure, tell)
        }
    }

    package mutating func take(_ event: DocumentEvent, _ collection: CollectionName, _ tell: Teller) {
        let head = { (code: String) in
            let place = collection.isDefault ? event.documentID : "\(collection)/\(event.documentID)"
            return "documentEnded (\(event.direction == .push ? "push" : "pull")) \(place) \(event.revision?.text ?? "-") (\(code))"
        }
        switch event.error {
        case nil:
            documents += 1
            tell(.verbose) { head("0/0") }
        case .filteredOut? where event.direction == .pull: tell(.verbose) { head("0/0") }
        case let error?: tell(.warning) { "\(head("\(error.domain.rawValue)/\(error.code)")): \(error.message)" }
        }
    }

    /// The last words. What kept it from beginning is an error of another kind, and has only a message.
    package mutating func end(_ failure: SyncFailure?, saying message: String? = nil, _ tell: Teller) {
        if let failure { tellClosing(failure.error, tell) }
        if let message = message ?? failure?.error.message { tell(.error) { "Stopping due to error: \(message)" } }
        status.activity = .stopped
        if documents != toldDocuments || toldActivity != nil { tellProgress(tell) }
        tell(.info) { "State: stopped, \(documents) documents" }
    }

    private func tellClosing(_ error: SyncError, _ tell: Teller) {
        let isStatus = error.domain == .http || error.domain == .webSocket
        tell(.info) {
            "Connection closed with \(isStatus ? "WebSocket/HTTP status" : error.domain.rawValue) \(error.code): \"\(error.message)\" (state=2)"
        }
    }

    private mutating func tellProgress(_ tell: Teller) {
        (toldActivity, toldDocuments) = (status.activity, documents)
        tell(.info) {
            "pushStatus=\(status.activity), pullStatus=\(status.activity), progress=\(status.completed)/\(status.total)/\(documents)"
        }
    }
}
