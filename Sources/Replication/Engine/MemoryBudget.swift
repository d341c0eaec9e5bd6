import Transport

/// How much the connections of a server keep in memory together, and which of them may be read from while that is too much. A value: whoever owns it
/// reports what each one holds, and does what it says.
///
/// Nobody waits for ever. While the limit is exceeded, those that hold little go on, and of the others one has its turn, for it may need to read more in
/// order to finish. Who has the turn, owes what the others wait for, and says nothing, has to go.
struct MemoryBudget {
    struct Holding {
        /// What is kept for a connection, in bytes.
        var bytes = 0
        /// What of it goes only if the peer does something: sends the rest of a message, reads its answers.
        var owed = 0
        /// When something came from it.
        var heard = LoopTime(nanoseconds: 0)
    }

    struct Decision: Equatable {
        /// Those that may be read from again.
        var resumed: [Int] = []
        /// Whose connection is to be ended.
        var expelled: Int?
    }

    /// What everybody may hold, whatever others do.
    static let floor = 64 << 10
    /// How long somebody whose turn it is may say nothing, and how long a turn is.
    static let patience = Duration.seconds(2)
    static let turn = Duration.seconds(10)

    let limit: Int
    private(set) var total = 0
    private var holdings: [Int: Holding] = [:]
    /// Those that are not read from, in the order in which they will be.
    private var line: [Int] = []
    private var current: (key: Int, since: LoopTime)?

    init(limit: Int) { self.limit = limit }

    /// Nothing large should be begun.
    var isScarce: Bool { total >= limit / 2 }
    /// Nobody but the one whose turn it is may be read from.
    var isExhausted: Bool { total >= 2 * limit }
    var hasWaiting: Bool { !line.isEmpty || current != nil }

    /// Notes what a connection holds, and says whether it may be read from. If not, `decide` will tell when.
    mutating func report(_ key: Int, _ holding: Holding) -> Bool {
        total += holding.bytes - (holdings[key]?.bytes ?? 0)
        holdings[key] = holding
        if current?.key == key {
            // It is through, and others get their turn.
            if holding.bytes < MemoryBudget.floor { current = nil } else { return true }
        }
        // Much may come at once from somebody who held nothing.
        let mayRead = total < limit || holding.bytes < MemoryBudget.floor && !isExhausted
        let place = line.firstIndex(of: key)
        if mayRead {
            if let place { line.remove(at: place) }
        } else if place == nil {
            line.append(key)
        }
        return mayRead
    }

    mutating func leave(_ key: Int) {
        total -= holdings.removeValue(forKey: key)?.bytes ?? 0
        line.removeAll { $0 == key }
        if current?.key == key { current = nil }
    }

    /// What is to be done after reports, and now and then while somebody waits.
    mutating func decide(at now: LoopTime) -> Decision {
        var decision = Decision()
        if let (key, since) = current, let holding = holdings[key] {
            if now.since(max(since, holding.heard)) >= MemoryBudget.patience {
                current = nil
                if holding.owed >= MemoryBudget.floor { decision.expelled = key }
            } else if now.since(since) >= MemoryBudget.turn {
                current = nil
            }
        }
        if total < limit {
            // Each of them may take some at once.
            let count = min(line.count, max(1, (limit - total) / MemoryBudget.floor))
            decision.resumed = Array(line[..<count])
            line.removeFirst(count)
        } else if current == nil, !line.isEmpty {
            let key = line.removeFirst()
            current = (key, now)
            decision.resumed = [key]
        }
        return decision
    }
}
