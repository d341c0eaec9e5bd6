import CBLBase
import CBLListener
import CBLReplication
import CBLTransport

/// What a program tells of its doings as somebody wants it: on the terminal, and in files.
final class ProgramLog {
    private let logging: EdgeLogging
    private let session: Session
    private let isSilent: Bool
    private var files: LogFiles?
    /// Of those who are connected, by their numbers.
    private var journals: [Int: ReplicationJournal] = [:]

    init(_ logging: EdgeLogging, _ session: Session, isSilent: Bool, makesDirectory: Bool = false) throws {
        self.logging = logging
        self.session = session
        self.isSilent = isSilent
        guard let wanted = logging.files else { return }
        guard makesDirectory || Endpoint.isDirectory(wanted.directory) else {
            throw CommandError.failed("logging.file.dir: there is no directory \(wanted.directory)")
        }
        var settings = LogFileSettings(level: .debug, directory: wanted.directory, agent: "cblite/\(Shell.version)")
        settings.isPlainText = wanted.isPlainText
        settings.longest = UInt64(wanted.longest)
        settings.kept = Int(wanted.kept) + 1
        do { files = try LogFiles(settings) } catch let error as LogFileError { throw CommandError.failed(error.description) }
    }

    func tell(_ event: ListenerEvent) {
        switch event {
        case .connected(let client):
            tell(.info, "Listener", "\(client.description) connected to \(client.database)")
            keep(client) { journal, teller in
                journal.begin(client.database, config: "Push=passive, Pull=passive", with: client.description, teller)
                teller(.info) { "Connected!" }
            }
        case .ended(let client, let traffic, let failure):
            let count = "\(traffic.documentsIn) documents received, \(traffic.documentsOut) sent"
            tell(failure == nil ? .info : .warning, "Listener", "\(client.description) left: \(count)\(failure.map { ": \($0)" } ?? "")")
            keep(client) { journal, teller in
                journal.documents = traffic.documentsIn + traffic.documentsOut
                journal.end(failure, teller)
            }
            journals[client.number] = nil
        case .document(let client, let event, let collection):
            keep(client) { journal, teller in journal.take(event, collection, teller) }
        case .answered(let request):
            let user = request.user.map { " (\($0))" } ?? ""
            let status = "\(request.status) \(HTTPStatus.phrase(request.status))"
            tell(.info, "REST", "\(request.address)\(user) \(request.method) \(request.path) -> \(status)")
        case .refused(let address, let reason): tell(.warning, "REST", "\(address) was refused: \(reason)")
        }
    }

    private func keep(_ client: ListenerClient, _ body: (inout ReplicationJournal, ReplicationJournal.Teller) -> Void) {
        var journal = journals[client.number] ?? ReplicationJournal(object: "/Repl#\(client.number)/")
        let object = journal.object
        body(&journal) { level, message in tell(level, "Sync", message(), about: object) }
        journals[client.number] = journal
    }

    func tell(_ level: MessageLevel, _ domain: String, _ message: String, about object: String = "") {
        guard level >= logging.level(of: domain) else { return }
        if logging.console, !isSilent {
            session.remark("\(LogTime.now.local) \(domain) \(level.title) \(ForeignText.line(message, limit: 2000))")
        }
        guard let files else { return }
        do { try files.write(message, level, of: domain, about: object) } catch {
            self.files = nil
            session.warn("no more is written to the log: \(error)")
        }
    }

    func close() { files?.close() }
}
