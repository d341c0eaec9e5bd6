import CBLTransport

/// How much the connections of a server keep in memory together, and which of them may be read from while that is too much. A value: whoever owns it
/// reports what each one holds, and does what it says.
///
/// Nobody waits for ever. While the limit is exceeded, those that have sent little go on, with small frames, and of the others one has its turn, for it
/// may need to read more in order to finish. If that does not help, connections are ended, so that the others can go on: those first that owe what
/// the others wait for and say nothing, then those that do not get on.
struct MemoryBudget {
    struct Holding {
        /// What is kept for a connection.
        var memory = HeldMemory()
        /// When something came from it.
        var heard = LoopTime(nanoseconds: 0)
        /// The bytes that came from it, ever.
        var received = 0

        init(_ memory: HeldMemory = HeldMemory(), heard: LoopTime = LoopTime(nanoseconds: 0), received: Int = 0) {
            self.memory = memory
            self.heard = heard
            self.received = received
        }

        /// What goes only if the peer does something: sends the rest of a message, reads, answers.
        var owed: Int { memory.begun + memory.untaken }
        var isLarge: Bool { memory.received >= MemoryBudget.floor }
        /// What came was made large: no documents are so repetitive.
        var isInflated: Bool { memory.begun > 16 * max(received, MemoryBudget.little) }
        var isActive: Bool { memory.bytes >= MemoryBudget.little }
    }

    struct Decision: Equatable {
        /// Those that may be read from again.
        var resumed: [Int] = []
        /// Those whose connection is to be ended. They are not counted any more.
        var expelled: [Int] = []
    }

    private struct Turn {
        let key: Int
        let since: LoopTime
        let isLarge: Bool
        /// When it was last looked at, and what had come by then.
        var seen: LoopTime
        var received: Int
    }

    /// What everybody may send, whatever others do.
    static let floor = 64 << 10
    /// Who holds less does not count among those that share the memory.
    static let little = 8 << 10
    /// How long somebody may leave a message incomplete without a word while others wait, and how long a turn is. Who is to take what we sent may have
    /// to store it first.
    static let patience = Duration.seconds(2)
    static let turn = Duration.seconds(10)
    /// What has to come within the patience from the one whose turn it is, unless it is this side that is slow.
    static let pace = 16 << 10
    /// How long it may be far too much without anybody coming through.
    static let standstill = Duration.seconds(6)

    let limit: Int
    private(set) var total = 0
    /// What somebody wants to load, and there is no room for.
    var wanted = 0
    private var holdings: [Int: Holding] = [:]
    private var activeCount = 0
    /// Those that are not read from, in the order in which they will be.
    private var line: [Int] = []
    private var current: Turn?
    /// Since when there has been no room, and since when it has been far too much with nobody coming through.
    private var fullSince: LoopTime?
    private var stuckSince: LoopTime?
    private var hasComeThrough = false

    init(limit: Int) { self.limit = limit }

    /// Nothing large should be begun.
    var isScarce: Bool { total >= limit / 2 }
    /// The same for a connection that has its share, though there is room: the others will want theirs.
    func isScarce(for key: Int) -> Bool { isScarce || (holdings[key]?.memory.bytes ?? 0) * max(1, activeCount) >= limit / 2 }
    /// More than it should ever be.
    var isExhausted: Bool { total >= 2 * limit }
    /// What a frame may decompress to: a small one can become very large, and it is not known before whose.
    var frameAllowance: Int { total < limit / 2 ? .max : total < limit ? 1 << 20 : 256 << 10 }
    var hasWaiting: Bool { !line.isEmpty || current != nil || wanted > 0 }
    private var isFull: Bool { total + wanted >= limit }

    /// Notes what a connection holds, and says whether it may be read from. If not, `decide` will tell when.
    mutating func report(_ key: Int, _ holding: Holding) -> Bool {
        discount(holdings.updateValue(holding, forKey: key))
        total += holding.memory.bytes
        if holding.isActive { activeCount += 1 }
        if let turn = current, turn.key == key {
            guard !holding.isLarge else { return true }
            // It is through, and others get their turn.
            if turn.isLarge { hasComeThrough = true }
            current = nil
        }
        let mayRead = total < limit || !holding.isLarge
        let place = line.firstIndex(of: key)
        if mayRead {
            if let place { line.remove(at: place) }
        } else if place == nil {
            line.append(key)
        }
        return mayRead
    }

    mutating func leave(_ key: Int) {
        discount(holdings.removeValue(forKey: key))
        line.removeAll { $0 == key }
        if current?.key == key { current = nil }
    }

    private mutating func discount(_ known: Holding?) {
        guard let known else { return }
        total -= known.memory.bytes
        if known.isActive { activeCount -= 1 }
    }

    /// What is to be done after reports, and now and then while somebody waits. `unread` says how much of somebody's has come and was not read.
    mutating func decide(at now: LoopTime, unread: (Int) -> Int = { _ in 0 }) -> Decision {
        var decision = Decision()
        if isFull {
            let since = fullSince ?? now
            fullSince = since
            decision.expelled = expelSilent(at: now, since, unread)
            if let key = expelSlow(at: now, since, unread) { decision.expelled.append(key) }
        }
        if isExhausted {
            let since = hasComeThrough ? now : stuckSince ?? now
            stuckSince = since
            if now.since(since) >= MemoryBudget.standstill { decision.expelled += expelLargest(unread) }
        } else {
            stuckSince = nil
        }
        hasComeThrough = false
        if !isFull { fullSince = nil }
        if total < limit {
            // Each of them may take some at once.
            let count = min(line.count, max(1, (limit - total) / MemoryBudget.floor))
            decision.resumed = (0..<count).map { _ in removeFirst() }
        } else if current == nil, !line.isEmpty {
            let key = removeFirst()
            let holding = holdings[key] ?? Holding()
            current = Turn(key: key, since: now, isLarge: holding.isLarge, seen: now, received: holding.received)
            decision.resumed = [key]
        }
        return decision
    }

    /// The next in the line. Those whose messages became suspiciously large on the way let the others go before them.
    private mutating func removeFirst() -> Int {
        line.remove(at: line.firstIndex { !(holdings[$0]?.isInflated ?? false) } ?? 0)
    }

    /// Nothing has come from them for a while, though they could have sent: there is nothing either that was not read.
    private mutating func expelSilent(at now: LoopTime, _ since: LoopTime, _ unread: (Int) -> Int) -> [Int] {
        guard now.since(since) >= MemoryBudget.patience else { return [] }
        return expel { key, holding in
            let silence = now.since(max(since, holding.heard))
            let patience = holding.memory.begun >= MemoryBudget.floor ? MemoryBudget.patience : MemoryBudget.turn
            return silence >= patience && unread(key) == 0 ? 0 : nil
        }
    }

    /// The one whose turn it is: a byte now and then does not make it last.
    private mutating func expelSlow(at now: LoopTime, _ since: LoopTime, _ unread: (Int) -> Int) -> Int? {
        guard total >= limit, let turn = current, let holding = holdings[turn.key] else { return nil }
        if now.since(turn.since) >= MemoryBudget.turn { current = nil }
        guard now.since(max(turn.seen, since)) >= MemoryBudget.patience else { return nil }
        if holding.memory.begun >= MemoryBudget.floor, holding.received - turn.received < MemoryBudget.pace, unread(turn.key) == 0 {
            leave(turn.key)
            return turn.key
        }
        current?.seen = now
        current?.received = holding.received
        return nil
    }

    /// Everybody says something, and nobody comes through: those go first that send little and keep us busy with it.
    private mutating func expelLargest(_ unread: (Int) -> Int) -> [Int] {
        let turn = current?.key
        return expel { key, holding in key == turn ? nil : holding.isInflated || unread(key) < MemoryBudget.pace ? 0 : 1 }
    }

    /// Ends as many as it takes until there is room: of those with the lowest rank the ones that owe most.
    private mutating func expel(_ rank: (Int, Holding) -> Int?) -> [Int] {
        guard isFull else { return [] }
        let candidates = holdings.filter { $0.value.owed >= MemoryBudget.floor }
            .compactMap { key, holding in rank(key, holding).map { (key: key, rank: $0, owed: holding.owed) } }
            .sorted { ($0.rank, $1.owed, $0.key) < ($1.rank, $0.owed, $1.key) }
        var expelled: [Int] = []
        for candidate in candidates where isFull {
            leave(candidate.key)
            expelled.append(candidate.key)
        }
        return expelled
    }
}
