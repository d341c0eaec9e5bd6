import CBLTransport

/// Wrong passwords of late, by where they came from and for whom. Who guesses has to wait; others of the same address have not.
///
/// Nobody is locked out: after twenty guesses there is another one every three seconds, for whoever comes then. A program that goes on with a
/// password that is not right any more guesses once.
struct Attempts {
    private struct Key: Hashable {
        let network: String
        let user: String
    }

    private struct Series {
        /// Guesses that are not forgiven yet, as of then.
        var count: Int
        var since: LoopTime
        /// What was guessed, by numbers that mean something to this process alone.
        var guesses: [Int] = []
    }

    static let most = 20
    /// One guess is forgiven after that.
    static let pause = Duration.seconds(3)
    /// What is remembered is bounded. Whoever makes that many names up has those forgotten of whom there are few guesses.
    private static let mostKeys = 10_000

    private var series: [Key: Series] = [:]

    /// Whether the next guess has to wait. It is not looked at, so it makes no difference whether it is right, or whether there is such a user.
    func mustWait(_ user: String, from address: String, at time: LoopTime) -> Bool {
        guard let known = series[Attempts.key(user, address)] else { return false }
        return known.count - Attempts.forgiven(known, at: time) >= Attempts.most
    }

    mutating func failed(_ credentials: Credentials, from address: String, at time: LoopTime) {
        let key = Attempts.key(credentials.user, address)
        forgive(key, at: time)
        if series[key] == nil {
            makeRoom(at: time)
            series[key] = Series(count: 0, since: time)
        }
        var hasher = Hasher()
        hasher.combine(credentials.password)
        let guess = hasher.finalize()
        guard series[key]?.guesses.contains(guess) == false else { return }
        series[key]?.count += 1
        series[key]?.guesses.append(guess)
        if series[key]?.guesses.count ?? 0 > Attempts.most { series[key]?.guesses.removeFirst() }
    }

    private mutating func forgive(_ key: Key, at time: LoopTime) {
        guard let known = series[key] else { return }
        let forgiven = Attempts.forgiven(known, at: time)
        guard forgiven > 0 else { return }
        series[key] = known.count > forgiven ? Series(count: known.count - forgiven, since: time, guesses: known.guesses) : nil
    }

    private static func forgiven(_ series: Series, at time: LoopTime) -> Int {
        Int(clamping: time.since(series.since).components.seconds / pause.components.seconds)
    }

    private mutating func makeRoom(at time: LoopTime) {
        guard series.count >= Attempts.mostKeys else { return }
        for key in Array(series.keys) { forgive(key, at: time) }
        for fewest in 1...Attempts.most where series.count >= Attempts.mostKeys { series = series.filter { $0.value.count > fewest } }
    }

    // A name may be as long as a request.
    private static func key(_ user: String, _ address: String) -> Key {
        Key(network: NetworkAddresses.network(of: address), user: String(user.unicodeScalars.prefix(64)))
    }
}
