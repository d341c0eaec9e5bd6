/// What was committed to a file since a subscriber heard last.
package struct DatabaseChanges: Sendable {
    package struct Collection: Sendable {
        /// The last sequence that the subscriber knew of, and the last one now. The same if nothing was saved.
        package var previous: UInt64
        package var last: UInt64
        /// Rows went without leaving a sequence: documents were purged or have expired, or moved between the tables of live and deleted
        /// ones.
        package var isPurged = false
        /// Which documents have a new sequence, in the order of these, and then those that this process purged or that expired in it. Nil
        /// if they are too many to be told, or nobody has asked.
        package var documentIDs: [String]?
        /// More rows went than `documentIDs` has: another process took them, and nobody knows which.
        package var lacksPurged = false

        var isChanged: Bool { last > previous }
    }

    package var collections: [CollectionName: Collection] = [:]
    /// Collections that were not there when the subscriber heard last. What is in them stands in `collections`.
    package var created: Set<CollectionName> = []
    /// Collections that are gone with all that was in them. One that is back already is not among them: of that one `collections` says that
    /// documents were purged.
    package var deleted: Set<CollectionName> = []

    var isEmpty: Bool { collections.isEmpty && created.isEmpty && deleted.isEmpty }
}

/// What a subscriber is told, one after another.
package enum ChangeEvent: Sendable {
    case changed(DatabaseChanges)
    /// When the next document expires, in milliseconds since 1970; nil for never. Told at first, and whenever it is sooner; that it is later is told
    /// after some commits only.
    case nextExpiration(Int64?)
    /// The time is over that was given to `ChangeSubscription.setAlarm`.
    case alarm
    /// It could not be found out what has changed. The next sign of a change is another attempt.
    case failed(any Error)
    /// The database was closed. This is the last event.
    case closed
}

/// What a subscriber wants to hear of.
package struct ChangeInterest: Sendable {
    /// Nil for all, also those that are made later.
    package var collections: Set<CollectionName>?
    /// Whether rows that went are to be told, too: they leave no sequence behind.
    package var purges: Bool
    /// Whether to tell which documents it was. Without an index by sequence (`Database.prepareChangeFeed`) that is known of small
    /// collections only.
    package var documentIDs: Bool
    /// Whether to tell when the next document expires.
    package var nextExpiration = false
    /// Whether the handler only passes on what it hears, to a queue for example: then it may be called by the thread that has committed something,
    /// before `write` returns.
    package var isPassedOn = false
    /// Only this document, of the one collection: changed, purged, expired.
    private(set) var document: String?

    package init(collections: Set<CollectionName>? = nil, purges: Bool = false, documentIDs: Bool = false, isPassedOn: Bool = false) {
        self.collections = collections
        self.purges = purges
        self.documentIDs = documentIDs
        self.isPassedOn = isPassedOn
    }

    package init(document: String, in collection: CollectionName) {
        self.init(collections: [collection], purges: true, documentIDs: true)
        self.document = document
    }
}
