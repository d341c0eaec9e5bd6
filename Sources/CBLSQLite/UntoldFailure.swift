import Glibc
import Synchronization

/// What a collation or a tokenizer could not do, and has no way to tell SQLite: a library is not installed.
///
/// It is left by the thread that SQLite has called it on, and that thread's next error takes it: the statement was stopped for no other reason.
package enum UntoldFailure {
    private static let failures = Mutex<[pthread_t: String]>([:])

    package static func leave(_ message: String) { failures.withLock { $0[pthread_self()] = message } }

    static func take() -> String? { failures.withLock { $0.isEmpty ? nil : $0.removeValue(forKey: pthread_self()) } }
}
