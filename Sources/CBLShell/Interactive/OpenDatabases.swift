import CBLStore

/// The databases that are open in the interactive shell, in the order in which they were opened. Each keeps its collection and its transaction
/// while another one is current.
struct OpenDatabases {
    struct Entry {
        /// That of the bundle without its ending, with a number if another one has it.
        let name: String
        var database: Database
        /// The one that was current when the database was left.
        var collection = CollectionName.default
        /// As the person knows it: something may have ended the transaction since.
        var isInTransaction = false
        /// What can be taken back, if somebody is there to ask for it.
        var journal: ChangeJournal?
        /// The last step of the journal when the transaction began.
        var transactionStart = 0
    }

    private(set) var entries: [Entry] = []
    /// The one that commands work on.
    private(set) var currentIndex: Int?
    /// Places in the order in which they were current, the last one at the end.
    private var visits: [String] = []

    var current: Entry? { currentIndex.map { entries[$0] } }
    var names: [String] { entries.map(\.name) }

    /// The database of a name, or of a path by whatever name the file goes.
    func index(of word: String) -> Int? {
        entries.firstIndex { $0.name == word } ?? index(ofPath: word)
    }

    /// The database of a path.
    func index(ofPath path: String) -> Int? {
        guard let file = FileIdentity(bundle: path) else { return nil }
        return entries.firstIndex { FileIdentity(bundle: $0.database.path) == file }
    }

    /// Adds a database, and makes it the current one.
    mutating func add(_ database: Database, journal: ChangeJournal? = nil) {
        let name = Prompt.name(of: database.path)
        var free = name
        var number = 2
        while names.contains(free) {
            free = "\(name)-\(number)"
            number += 1
        }
        entries.append(Entry(name: free, database: database, journal: journal))
        makeCurrent(entries.count - 1)
    }

    mutating func makeCurrent(_ index: Int) {
        currentIndex = index
        let name = entries[index].name
        visits.removeAll { $0 == name }
        visits.append(name)
    }

    /// Takes one away. If it was current, the one that was before it is again.
    mutating func remove(_ index: Int) {
        let current = current?.name
        let name = entries.remove(at: index).name
        visits.removeAll { $0 == name }
        let next = current == name ? visits.last : current
        currentIndex = entries.firstIndex { $0.name == next }
    }

    /// Changes what is known of one.
    mutating func update(_ index: Int, _ change: (inout Entry) -> Void) { change(&entries[index]) }
}
