import CBLReplication
import CBLTransport

/// What errors of a replication mean to the person at the prompt, and what to do about them.
enum SyncAdvice {
    /// What the database and the command ask of a server.
    struct Needs {
        var vectors = false
        var collections = false
        /// Whose password the keyring gave.
        var keptUser: String?
    }

    static func commandError(_ failure: SyncFailure, _ needs: Needs) -> CommandError {
        guard let cause = failure.cause else { return .failed(failure.error.message, hint: advice(on: failure.error)) }
        return commandError(cause, needs)
    }

    static func commandError(_ error: TransportError, _ needs: Needs = Needs()) -> CommandError {
        var lines = [advice(on: error, needs) ?? error.advice.map { $0 + "." }].compactMap { $0 }
        if let certificate = error.certificate {
            lines += certificate.lines
            lines.append("To trust this certificate and no other: --pin \(certificate.certificate)")
        }
        return CommandError(.failure, lines: [shortened(error.message)], hints: lines)
    }

    /// People do not know of the path that is connected to.
    static func shortened(_ message: String) -> String { message.replacing(SyncEndpoint.path, with: "") }

    /// Where more can be said here than the transport knows.
    private static func advice(on error: TransportError, _ needs: Needs) -> String? {
        switch error.code {
        case .http(400) where error.message.hasPrefix("ws://"): return "If the server speaks TLS, write wss:// instead of ws://."
        case .http(401) where error.message.contains("sends elsewhere"), .http(403) where error.message.contains("sends elsewhere"):
            return nil
        case .http(401) where error.message.contains("wrong") && needs.keptUser != nil:
            return "The keyring keeps that password: --user \(needs.keptUser ?? "") --keep-password asks for another."
        case .http(401) where error.message.contains("wrong"):
            return "Check both; passwords are case-sensitive. Servers say the same if there is no such database."
        case .http(401) where error.message.contains("Session"):
            return "The token of --token or $CBLITE_TOKEN is wrong, or its session has ended: ask the server for another."
        case .http(401): return "Log in with --user NAME. Servers say the same to guests if there is no such database."
        case .http(403): return "Ask the server's administrator for access to this database."
        case .http(404) where error.message.hasPrefix("http"):
            return "Check the name behind the last slash, and its case; a push makes the database with --create-target."
        case .http(407): return "The proxy wants a name and a password: --proxy http://NAME:PASSWORD@HOST:PORT."
        case .http(500) where error.message.contains("version of the sync protocol") && needs.vectors:
            return
                "This database has version vectors, which need Sync Gateway 4. Pull into a new database: without --upgrade=vv it has revision trees."
        case .http(500) where error.message.contains("version of the sync protocol") && needs.collections:
            return "Collections need Sync Gateway 3.1; older ones have the default collection alone."
        default: return nil
        }
    }

    private static func advice(on error: SyncError) -> String? {
        switch (error.domain, error.code) {
        case (.webSocket, 404) where error.message.contains("collection"), (.http, 404) where error.message.contains("ollection"):
            "Make it on the server, or name others with --collection."
        case (.http, 400) where error.message.contains("DocIDs"):
            "Leave --continuous out: a server follows channels, but not single documents."
        case (.http, 400) where error.message.contains("ollection"):
            "The server may have no default collection: name one with --collection SCOPE.NAME."
        default: nil
        }
    }

    /// What became of a document, in words.
    static func words(_ error: SyncError, _ direction: DocumentEvent.Direction) -> String {
        let detail = error.message
        let said = detail.isEmpty ? "" : ": \(detail)"
        switch (error.httpStatusOrNil, direction) {
        case (401?, .push), (403?, .push): return "the server refuses it\(said)"
        case (409?, .push): return "it was changed on the other side too"
        case (413?, .push): return "it is too large for the server\(said)"
        case (422?, .push): return "the server cannot take it\(said)"
        case (403?, .pull): return "the server does not let it go\(said)"
        case (404?, _) where detail.isEmpty: return "the other side does not have it"
        case (let status?, _) where detail.isEmpty: return "the other side answers with status \(status)"
        default: return detail.isEmpty ? error.description : detail
        }
    }

    /// What to do about documents that were left, if there is something.
    static func advice(on tally: SyncTally, _ direction: DatabaseSync.Direction, _ absence: SyncAbsence) -> String? {
        guard tally.conflicts > 0 else { return nil }
        // What did not come is not in the list.
        let isHere = tally.conflicts > tally.conflictsOfPushes
        return direction == .push
            ? "Conflicts are settled where changes meet: \"sync\" pulls the other side's first. Until then these documents stay behind."
            : (isHere ? SyncAbsence.isHere : absence).words
    }
}

extension SyncError {
    /// The status of HTTP that it carries, in whichever domain.
    fileprivate var httpStatusOrNil: Int? {
        switch domain {
        case .http: code
        case .webSocket where code < 1000: code
        case .liteCore where isConflict: 409
        default: nil
        }
    }
}
