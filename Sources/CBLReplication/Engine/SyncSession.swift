import CBLStore

/// What a connection needs of a session: both roles are driven in the same way.
protocol SyncSession: Sendable {
    mutating func start() -> [Action]
    mutating func handle(_ event: Event, time: Int64) -> [Action]
    var isCongested: Bool { get }
    var isClosed: Bool { get }
    /// Whether others of a server need memory, and what this one keeps.
    var isMemoryScarce: Bool { get set }
    var held: HeldMemory { get }
    /// The collection that a ticket's number means.
    func collectionName(_ index: Int) -> CollectionName
    /// The numbers of the collections of that name.
    func collectionIndexes(of name: CollectionName) -> [Int]
}

extension ActiveSession: SyncSession {
    // A client has a server to itself.
    var isMemoryScarce: Bool {
        get { false }
        set {}
    }
    var held: HeldMemory { HeldMemory() }
    func collectionName(_ index: Int) -> CollectionName { configuration.collections[index].name }
    func collectionIndexes(of name: CollectionName) -> [Int] { configuration.collections.indices.filter { collectionName($0) == name } }
}

extension PassiveSession: SyncSession {
    /// The peer begins.
    func start() -> [Action] { [] }
    func collectionName(_ index: Int) -> CollectionName { collections[index] }
    func collectionIndexes(of name: CollectionName) -> [Int] { collections.indices.filter { collections[$0] == name } }
}
