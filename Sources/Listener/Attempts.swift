import Transport

/// Wrong passwords of late, by where they came from and for whom. Who guesses has to wait; others of the same address have not.
struct Attempts {
    private struct Key: Hashable {
        let address: String
        let user: String
    }

    private struct Series {
        var count: Int
        let since: LoopTime
    }

    static let most = 20
    static let period = Duration.seconds(60)
    /// What is remembered is bounded; whoever makes that many names up has the oldest forgotten, and gains little.
    private static let mostKeys = 10_000

    private var series: [Key: Series] = [:]

    func isBlocked(_ user: String, from address: String, at time: LoopTime) -> Bool {
        guard let known = series[Key(address: address, user: Attempts.short(user))] else { return false }
        return known.count >= Attempts.most && time.since(known.since) < Attempts.period
    }

    mutating func failed(_ user: String, from address: String, at time: LoopTime) {
        let key = Key(address: address, user: Attempts.short(user))
        if let known = series[key], time.since(known.since) < Attempts.period {
            series[key]?.count += 1
            return
        }
        if series.count >= Attempts.mostKeys {
            series = series.filter { time.since($0.value.since) < Attempts.period }
            if series.count >= Attempts.mostKeys { series = [:] }
        }
        series[key] = Series(count: 1, since: time)
    }

    // A name may be as long as a request.
    private static func short(_ user: String) -> String { String(user.prefix(64)) }
}
