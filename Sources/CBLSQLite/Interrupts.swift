import CBLSystemSQLite
import Synchronization

/// Whether somebody wants all work to end, as a person does who presses Ctrl-C: asked by connections while they run statements, and by SQL
/// functions that take long. The program says once how it is to be found out.
package enum Interrupts {
    // The address of a function, for a function cannot be had atomically.
    private static let question = Atomic<UInt>(0)
    private static let deferrals = Atomic<Int>(0)

    /// `question` is asked from any thread, and often.
    package static func ask(_ question: @escaping @convention(c) () -> Bool) {
        self.question.store(UInt(bitPattern: unsafeBitCast(question, to: Int.self)), ordering: .releasing)
    }

    package static var isRequested: Bool {
        let address = question.load(ordering: .acquiring)
        guard address != 0, deferrals.load(ordering: .relaxed) == 0 else { return false }
        return unsafeBitCast(address, to: (@convention(c) () -> Bool).self)()
    }

    /// Runs what looks after itself how it ends: a replication saves its checkpoint first.
    package static func deferred<Result>(_ work: () throws -> Result) rethrows -> Result {
        deferrals.add(1, ordering: .relaxed)
        defer { deferrals.subtract(1, ordering: .relaxed) }
        return try work()
    }
}

extension Connection {
    /// Has statements end with `SQLITE_INTERRUPT` when all work is to end. Connections that only read do so from the start; what is written is
    /// to be undone then, so those that write are told.
    package func heedInterrupts(_ isOn: Bool = true) {
        heedsInterrupts = isOn
        setProgressCheck(nil)
    }

    /// Whether a statement that ran now would end: for who does a statement's work.
    package var isInterrupted: Bool { heedsInterrupts && Interrupts.isRequested }
}
