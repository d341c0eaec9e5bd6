import CouchbaseLiteSwift
import Synchronization

/// What closures were told, for a test to wait for.
package final class Told<Value>: @unchecked Sendable {
    private let values = Mutex<[Box]>([])
    private struct Box: @unchecked Sendable { let value: Value }
    /// Where listeners of tests are called: whether somebody serves the main queue depends on who runs the tests.
    package let queue = DispatchQueue(label: "told")

    package init() {}

    package func add(_ value: Value) {
        let box = Box(value: value)
        values.withLock { $0.append(box) }
    }

    package var all: [Value] { values.withLock { $0 }.map(\.value) }

    /// Waits until `condition` holds of what was told so far.
    package func wait(seconds: Double = 20, until condition: ([Value]) -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while Date() < deadline {
            if condition(all) { return true }
            usleep(1000)
        }
        return condition(all)
    }
}

/// The code of the library's error that `work` throws; nil if it throws none, or another.
package func code(_ work: () throws -> Void) -> Int? {
    do {
        try work()
        return nil
    } catch {
        // A pattern with this type would not match Swift's own errors.
        let error = error as NSError
        return error.domain == CBLError.domain ? error.code : nil
    }
}
