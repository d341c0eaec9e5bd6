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
    private var journals: [Replication: ReplicationJournal] = [:]

    private enum Replication: Hashable {
        case client(Int)
        case peer(Mesh.Link)
    }

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
            keep(.client(client.number)) { journal, teller in
                journal.begin(client.database, config: "Push=passive, Pull=passive", with: client.description, teller)
                teller(.info) { "Connected!" }
            }
        case .ended(let client, let traffic, let failure):
            let count = "\(traffic.documentsIn) documents received, \(traffic.documentsOut) sent"
            tell(failure == nil ? .info : .warning, "Listener", "\(client.description) left: \(count)\(failure.map { ": \($0)" } ?? "")")
            keep(.client(client.number)) { journal, teller in
                journal.documents = traffic.documentsIn + traffic.documentsOut
                journal.end(failure, teller)
            }
            journals[.client(client.number)] = nil
        case .document(let client, let event, let collection):
            keep(.client(client.number)) { journal, teller in journal.take(event, collection, teller) }
        case .answered(let request):
            let user = request.user.map { " (\($0))" } ?? ""
            let status = "\(request.status) \(HTTPStatus.phrase(request.status))"
            tell(.info, "REST", "\(request.address)\(user) \(request.method) \(request.path) -> \(status)")
        case .refused(let address, let reason): tell(.warning, "REST", "\(address) was refused: \(reason)")
        }
    }

    func tell(_ event: PeerMesh.Event) {
        switch event {
        case .begun(let link, _, let settings):
            keep(.peer(link)) { journal, teller in journal.begin(settings, of: link.database, teller) }
        case .connected(let link, _, let opening):
            keep(.peer(link)) { journal, teller in journal.take(.connected(opening), teller) }
        case .document(let link, _, let document, let collection):
            keep(.peer(link)) { journal, teller in journal.take(document, collection, teller) }
        case .status(let link, let status): keep(.peer(link)) { journal, teller in journal.take(.status(status), teller) }
        case .ended(let link, let peer, let failure, let seconds):
            keep(.peer(link)) { journal, teller in
                journal.end(failure, teller)
                if let seconds { teller(.info) { "\(peer.name) is tried again in \(seconds) s" } }
            }
            journals[.peer(link)] = nil
        }
    }

    private func keep(_ replication: Replication, _ body: (inout ReplicationJournal, ReplicationJournal.Teller) -> Void) {
        var journal = journals[replication] ?? ReplicationJournal()
        let object = journal.object
        body(&journal) { level, message in tell(level, "Sync", message(), about: object) }
        journals[replication] = journal
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

    func tellOpened(_ path: String) { tell(.info, "DB", "Opened database \(path)") }

    func close() { files?.close() }
}
