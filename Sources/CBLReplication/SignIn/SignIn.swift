import CBLFleece
import CBLTransport
import Synchronization

/// The sign-in at a server: done before the first request, and again when the server does not know one any more.
final class SignIn: Sendable {
    private let login: ServerLogin
    private let database: String
    private struct State {
        var isSignedIn = false
        /// How often it was done.
        var number = 0
    }
    private let state = Mutex(State())
    /// One signs in at a time: who comes meanwhile waits for what becomes of it.
    private let turn = Mutex(())

    init(_ login: ServerLogin, at database: String) {
        self.login = login
        self.database = database
    }

    /// Ends a sign-in that waits for somebody.
    func interrupt() { interruptions.begin() }

    /// How often that was done.
    var interruptionCount: Int { interruptions.count }

    private final class Interruptions: Sendable {
        private let number = Atomic(0)
        var count: Int { number.load(ordering: .relaxed) }
        func begin() { number.add(1, ordering: .relaxed) }
        func hasBegun(since count: Int) -> Bool { self.count != count }
    }
    private let interruptions = Interruptions()

    /// What is sent with each request, beside cookies.
    var authorization: String? {
        guard case .openID(let login) = login, let token = login.bearer else { return nil }
        return "Bearer \(token)"
    }

    /// By which one knows whether somebody has signed in since.
    var number: Int { state.withLock { $0.number } }

    /// Signs in, if that was not done yet or, with a `number`, if nobody has done it since. It ends when there is another interruption than so many,
    /// if somebody knows how many there were.
    func ensure(since number: Int? = nil, interruptions: Int? = nil, _ send: OpenIDLogin.Send) throws {
        guard login.isBeforehand else { return }
        let before = interruptions ?? interruptionCount
        try turn.withLock { _ in try enter(since: number, before, send) }
    }

    private func enter(since number: Int?, _ before: Int, _ send: OpenIDLogin.Send) throws {
        let isNeeded = state.withLock { state in number.map { $0 == state.number } ?? !state.isSignedIn }
        guard isNeeded else { return }
        switch login {
        case .session(let session): try begin(session, send)
        case .openID(let login):
            try login.begin(
                isOver: number != nil, at: database, isGivenUp: { [interruptions] in interruptions.hasBegun(since: before) }, send)
        case .nobody, .password, .signatures: break
        }
        state.withLock { state in
            state.isSignedIn = true
            state.number += 1
        }
    }

    private func begin(_ session: SessionLogin, _ send: OpenIDLogin.Send) throws {
        // A cookie of an earlier program may be good still, if it is this user's.
        if number == 0, let name = try knownUser(send), session.user == nil || session.user == name { return }
        let body = RemoteRequest.Body.json(session.body)
        var answer = try send(RemoteRequest("POST", [database, session.path], body: body))
        if session.path == SessionLogin.usualPath, [401, 404, 405].contains(answer.status) {
            let again = try send(RemoteRequest("POST", [session.path], body: body))
            // Where there is no such thing, what was said of the name and the password counts.
            if answer.status != 401 || ![404, 405].contains(again.status) { answer = again }
        }
        _ = try answer.readAll(most: 1 << 20)
        guard answer.isSuccess else {
            throw SyncError.http(answer.status == 403 ? 401 : answer.status, "the server does not let \(session.title) sign in")
        }
    }

    /// Whom the server takes one for already.
    private func knownUser(_ send: OpenIDLogin.Send) throws -> String? {
        var answer = try send(RemoteRequest("GET", [database, SessionLogin.usualPath]))
        if answer.status == 404 { answer = try send(RemoteRequest("GET", [SessionLogin.usualPath])) }
        let text = try answer.readAll(most: 1 << 20)
        guard answer.isSuccess else { return nil }
        let encoder = FleeceEncoder()
        guard (try? text.withUnsafeBytes({ try JSONParser.parse($0, into: encoder) })) != nil else { return nil }
        return try encoder.finish().withRoot {
            $0.dictionary?.value(forKey: "userCtx", nil)?.dictionary?.value(forKey: "name", nil)?.string.flatMap { $0.isEmpty ? nil : $0 }
        }
    }
}
