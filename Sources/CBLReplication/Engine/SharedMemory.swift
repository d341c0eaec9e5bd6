import CBLBase
import CBLTransport

/// Who takes part in a memory budget.
protocol MemoryHolder: AnyObject {
    /// Whether it may be read from is another question now: it will report anew.
    func memoryHasChanged()
    /// It has to go, since others need what it holds.
    func giveUpMemory()
    /// Bytes that have come for it and were not read.
    var unreadBytes: Int { get }
}

/// The memory that all connections of a server have together. On the loop only.
package final class SharedMemory: @unchecked Sendable {
    // Sendable: the loop's thread alone touches it.
    private static let pause = Duration.seconds(1)

    private let loop: EventLoop
    private var budget: MemoryBudget
    private var holders: [Int: () -> (any MemoryHolder)?] = [:]
    /// Large documents that are to be loaded when there is room, and what was promised to those that are being loaded.
    private var loads = Queue<(bytes: Int, begin: () -> Void)>()
    private var promised = 0
    private var lastKey = 0
    private var isDeciding = false
    private var timer: LoopTimer?

    /// Bytes of messages that came and are not stored, or are to be sent and not answered.
    package init(limit: Int = 32 << 20, on loop: EventLoop) {
        self.loop = loop
        budget = MemoryBudget(limit: limit)
    }

    /// What a frame may decompress to.
    var frameAllowance: Int { budget.frameAllowance }
    /// Whether the holder should begin nothing large.
    func isScarce(for key: Int) -> Bool { budget.isScarce(for: key) }
    var total: Int { budget.total }

    func enter(_ holder: any MemoryHolder) -> Int {
        loop.preconditionOnLoop()
        lastKey += 1
        holders[lastKey] = { [weak holder] in holder }
        return lastKey
    }

    func leave(_ key: Int) {
        loop.preconditionOnLoop()
        holders[key] = nil
        budget.leave(key)
        decideSoon()
    }

    /// Whether the holder may be read from.
    func report(_ key: Int, _ holding: MemoryBudget.Holding) -> Bool {
        loop.preconditionOnLoop()
        guard holders[key] != nil else { return true }
        let mayRead = budget.report(key, holding)
        decideSoon()
        return mayRead
    }

    /// Begins to load something large when there is room for it. When it is loaded and counts as held, or will not be, `loadHasEnded` is to be called.
    func load(_ bytes: Int, _ begin: @escaping () -> Void) {
        loop.preconditionOnLoop()
        loads.append((min(bytes, budget.limit / 2), begin))
        beginLoads()
    }

    func loadHasEnded(_ bytes: Int) {
        loop.preconditionOnLoop()
        promised -= min(bytes, budget.limit / 2)
        beginLoads()
    }

    private func beginLoads() {
        while let next = loads.first, budget.total + promised + next.bytes <= budget.limit, loads.popFirst() != nil {
            promised += next.bytes
            next.begin()
        }
        // Those who do not take what they have wait no longer than others.
        budget.wanted = promised == 0 ? loads.first?.bytes ?? 0 : 0
        decideSoon()
    }

    private func decideSoon() {
        guard budget.hasWaiting, !isDeciding else { return }
        isDeciding = true
        loop.perform { [weak self] in
            self?.isDeciding = false
            self?.decide()
        }
    }

    private func decide() {
        let decision = budget.decide(at: loop.now) { holders[$0]?()?.unreadBytes ?? 0 }
        for key in decision.expelled { holders[key]?()?.giveUpMemory() }
        for key in decision.resumed { holders[key]?()?.memoryHasChanged() }
        if !loads.isEmpty { beginLoads() }
        guard timer == nil, budget.hasWaiting else { return }
        timer = loop.timer(after: SharedMemory.pause) { [weak self] in
            self?.timer = nil
            self?.decide()
        }
    }
}
