import CBLStore

/// A copy of a server's database that is open.
struct OpenRemoteCopy {
    let copy: RemoteCopy
    /// Without asking.
    var pushesAtEnd = false
    /// What goes on pulling.
    var follower: RemoteFollower?
}

extension InteractiveShell {
    /// At the end, before the databases are closed: pushes what is to be pushed, and removes the copies of servers' databases.
    func leaveRemoteCopies() {
        tellOfFollowers()
        for open in session.remoteCopies {
            open.follower?.end()
            let copy = open.copy
            let index = databases.index(ofPath: copy.path)
            let isWriteable = index.map { !databases.entries[$0].database.isReadOnly } ?? false
            let count = isWriteable ? (try? copy.changedCount()) ?? 1 : 0
            if count == 0 || settle(count, open) {
                if let index { databases.entries[index].database.close() }
                copy.remove()
            } else {
                copy.keep()
            }
        }
        session.remoteCopies = []
        if !databases.entries.contains(where: \.isInTransaction), Termination.signal == nil { Termination.permit() }
    }

    /// Says which copies do not get what is new any more.
    func tellOfFollowers() {
        for open in session.remoteCopies {
            guard let failure = open.follower?.failure() else { continue }
            session.warn("what is new at \(open.copy.url) does not come any more: \(SyncAdvice.shortened(failure.error.message))")
        }
    }

    /// Whether the copy may go.
    private func settle(_ count: Int, _ open: OpenRemoteCopy) -> Bool {
        let (copy, changes) = (open.copy, count == 1 ? "1 document was" : "\(ProgressLine.grouped(count)) documents were")
        let name = copy.url
        let canAsk = session.canAsk && isOnTerminal && Termination.signal == nil && ending == nil
        if open.pushesAtEnd || canAsk {
            let wants = open.pushesAtEnd ? true : (try? session.confirm("\(changes) changed and not pushed to \(name). Push now?")) ?? false
            guard wants else {
                if (try? session.confirm("Forget the changes?")) ?? false { return true }
                session.notice("The copy stays: \(copy.path)")
                return false
            }
            if let index = databases.index(ofPath: copy.path), databases.currentIndex != index { try? use(databases.entries[index].name) }
            let code = Shell.finish(session) {
                let words = ["push", copy.url, "--all-collections"]
                let parsed = try ArgumentParser(commands: Commands.all, hasOpenDatabase: true).parse(words, options: options)
                session.options = parsed.options
                guard case .run(let command) = parsed.request else { return .failure }
                return try command.run(in: session)
            }
            if code == .success { return true }
        }
        session.warn("\(changes) changed and not pushed to \(name); the copy stays: \(copy.path)")
        return false
    }
}
