import Synchronization

/// What modules above this one keep with a database as long as it is there: one object of each class.
package final class Companions: Sendable {
    private let all = Mutex<[ObjectIdentifier: any AnyObject & Sendable]>([:])

    /// The object of a class, made when it is first asked for.
    package func get<Companion: AnyObject & Sendable>(_ make: () -> Companion) -> Companion {
        all.withLock { all in
            if let known = all[ObjectIdentifier(Companion.self)] as? Companion { return known }
            let new = make()
            all[ObjectIdentifier(Companion.self)] = new
            return new
        }
    }
}
