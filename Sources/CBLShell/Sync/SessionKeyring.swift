import CBLBase
import CBLTransport

/// What a session has to do with the keyring of its person.
struct KeyringUse {
    /// What is to be kept once the server has let somebody in by it.
    var toKeep: (place: KeptPassword, password: String)?
    /// What was taken from there last.
    var taken: KeptPassword?
}

extension Session {
    /// Asks the keyring, on a thread of its own: Ctrl-C need not wait for an answer, and nobody waits for longer than somebody may take to give one.
    func askKeyring<Answer: Sendable>(_ question: @escaping @Sendable (Keyring) throws(KeyringError) -> Answer) throws -> Answer {
        let asksPerson = canAsk
        let mailbox = try Mailbox<Result<Answer, KeyringError>>()
        _ = WorkerThread(name: "keyring") {
            mailbox.put(Result { () throws(KeyringError) in try question(Keyring(asksPerson: asksPerson)) })
        }
        let end = MonotonicClock.seconds + Keyring.patience + 1 + (asksPerson ? Keyring.patienceWithPeople : 0)
        while MonotonicClock.seconds < end {
            for answer in mailbox.takeUntilInterrupted(milliseconds: Int32((end - MonotonicClock.seconds) * 1000) + 1) {
                return try answer.get()
            }
            try Interruption.check()
        }
        throw KeyringError.late
    }

    /// What is kept for a server, or for a user there. It is not asked for what is missing: without a keyring people are where they were before there were any.
    func keptCredentials(for url: PeerURL, user: String? = nil) throws -> Credentials? {
        do {
            let found = try askKeyring { keyring throws(KeyringError) in try keyring.credentials(for: url, user: user) }
            if let found { keyring.taken = KeptPassword(url, user: found.user) }
            return found
        } catch let error as KeyringError {
            switch error.reason {
            case .locked: notice("A password is kept for \(url.host), but the keyring is locked.")
            case .late: notice("The keyring has not answered in time: what it may keep for \(url.host) is not used.")
            case .noLibrary, .noKeyring, .other: break
            }
            return nil
        }
    }

    /// Notes what is to be kept. Who asks for that in vain is told before anything is done.
    func keep(_ credentials: Credentials, for url: PeerURL) throws {
        do { try askKeyring { _ in } } catch let error as KeyringError { throw Session.commandError(error) }
        keyring.toKeep = (KeptPassword(url, user: credentials.user), credentials.password)
    }

    /// The server has let somebody in: the password was the right one.
    func keepPassword() throws {
        guard let (place, password) = keyring.toKeep.take() else { return }
        do {
            try askKeyring { keyring throws(KeyringError) in try keyring.keep(password, as: place) }
            notice("The keyring keeps the password of \(place.user). \"passwords --forget \(place.server)\" has it forgotten.")
        } catch let error as KeyringError { warn("the password is not kept: \(error.message)") }
    }

    static func commandError(_ error: KeyringError) -> CommandError { .failed(error.message, hint: error.advice.map { $0 + "." }) }
}
