import CBLBase
import CBLFleece
import CBLLanguage
import CBLStore
import CBLViews
import Synchronization

/// The names in a database that a prefix may stand for. Both completions ask here: Tab in the interactive shell, and the scripts for the
/// system's shells through `cblite complete`.
struct CompletionNames {
    // More than anybody looks through; few enough to be quick in a database of any size.
    static let longest = 200
    // Enough documents to meet what most have; few enough to be read at once.
    private static let sampled = 200
    private static let sampledItems = 5
    private static let deepest = 5
    private static let mostPaths = 2000

    let snapshot: Snapshot

    // Nobody waits longer for a suggestion; a file can be made so that reading it takes as long as one likes.
    private static let patience = 2.0
    private static let end = Atomic<UInt64>(0)

    /// Runs what is to be quick. It ends with an error when the time is up.
    static func quickly<Result>(_ snapshot: Snapshot, _ work: (CompletionNames) throws -> Result) rethrows -> Result {
        end.store((MonotonicClock.seconds + patience).bitPattern, ordering: .relaxed)
        snapshot.connection.setProgressCheck { _ in
            MonotonicClock.seconds > Double(bitPattern: CompletionNames.end.load(ordering: .relaxed)) ? 1 : 0
        }
        defer { snapshot.connection.setProgressCheck(nil) }
        return try work(CompletionNames(snapshot: snapshot))
    }

    /// Those of a scope, unless it is the default one, also without its name.
    func collections(_ prefix: String, in scope: String) -> [String] {
        let names = snapshot.collections()
        let siblings = scope == CollectionName.defaultName ? [] : names.filter { $0.scope == scope }.map(\.name)
        return (names.map(\.description) + siblings).filter { $0.hasPrefix(prefix) && CompletionNames.isOffered($0) }
    }

    func indexes(_ prefix: String) throws -> [String] {
        var known: Set<String> = []
        return try snapshot.indexes().map(\.name).filter {
            $0.hasPrefix(prefix) && CompletionNames.isOffered($0) && known.insert($0).inserted
        }
    }

    func lazyIndexes(_ prefix: String) throws -> [String] {
        try snapshot.vectorIndexes().filter(\.options.isLazy).map(\.name).filter { $0.hasPrefix(prefix) && CompletionNames.isOffered($0) }
    }

    /// The stored views, by the names that people write. Their functions are not looked at.
    func views(_ prefix: String) throws -> [String] {
        try snapshot.scriptedViews().compactMap { view in
            [view.shortName, view.name].first { $0.hasPrefix(prefix) && CompletionNames.isOffered($0) }
        }
    }

    /// The first IDs that begin with the prefix, and the last one, which shows how far they have more in common than that. Read from the index.
    func documents(_ prefix: String, in collection: CollectionName) throws -> [String] {
        guard snapshot.hasCollection(collection) else { return [] }
        var options = ScanOptions(content: .id)
        options.idPrefix = prefix
        options.limit = CompletionNames.longest
        let cursor = try snapshot.scan(collection, options)
        var names: [String] = []
        var count = 0
        while try cursor.next() {
            count += 1
            if CompletionNames.isOffered(cursor.id) { names.append(cursor.id) }
        }
        guard count == CompletionNames.longest else { return names }
        options.isDescending = true
        options.limit = 1
        let last = try snapshot.scan(collection, options)
        if try last.next(), last.id != names.last, CompletionNames.isOffered(last.id) { names.append(last.id) }
        return names
    }

    /// The paths of properties that some documents have: `contact`, `contact.address`, `contact.address.city`, `reviews[].author`.
    func propertyPaths(of collection: CollectionName) throws -> [String] {
        guard snapshot.hasCollection(collection) else { return [] }
        var options = ScanOptions(order: .stored)
        options.limit = CompletionNames.sampled
        let cursor = try snapshot.scan(collection, options)
        var paths: Set<String> = []
        while try cursor.next() {
            var budget = WalkBudget(byteCount: 0)
            if let members = cursor.body.dictionary { addPaths(of: members, behind: "", depth: 0, &budget, to: &paths) }
        }
        return paths.sorted()
    }

    /// A document that is large, or has no end, is looked into only so far.
    private func addPaths(
        of members: DictionaryView, behind parent: String, depth: Int, _ budget: inout WalkBudget, to paths: inout Set<String>
    ) {
        guard budget.enter(members) else { return }
        for (key, value) in members {
            guard budget.spend(256 + parent.utf8.count + (key.stringBytes?.count ?? 0)), paths.count < CompletionNames.mostPaths else {
                return
            }
            guard let bytes = key.keyBytes(snapshot.sharedKeys) else { continue }
            let name = String(decoding: bytes, as: UTF8.self)
            guard CompletionNames.isOffered(name) else { continue }
            let path = parent + Lexer.name(name)
            paths.insert(path)
            guard depth < CompletionNames.deepest else { continue }
            if let members = value.dictionary {
                addPaths(of: members, behind: path + ".", depth: depth + 1, &budget, to: &paths)
            } else if let items = value.array {
                for item in items.prefix(CompletionNames.sampledItems) {
                    guard let members = item.dictionary else { continue }
                    addPaths(of: members, behind: path + "[].", depth: depth + 1, &budget, to: &paths)
                }
            }
        }
    }

    /// Control characters in a name would be keys in a line that is typed, and others hide what the name is.
    static func isOffered(_ name: String) -> Bool { !name.unicodeScalars.contains(where: TerminalText.isHarmful) }
}
