import CBLFleece
import CBLQuery
import CBLStore

/// Goes through the documents that wait for a vector, batch by batch.
struct EmbeddingRun {
    let database: Database
    let index: String
    let collection: CollectionName
    let embedder: any Embedder
    let batch: Int
    let limit: Int?
    /// The documents that were stored, and how many of them have no vector.
    private(set) var count = 0
    private(set) var withoutVector = 0
    /// Whether nothing waits any more.
    private(set) var isComplete = false
    /// The one that is asked about, or was when it ended.
    private(set) var document: String?

    init(database: Database, index: String, collection: CollectionName, embedder: any Embedder, batch: Int, limit: Int?) {
        self.database = database
        self.index = index
        self.collection = collection
        self.embedder = embedder
        self.batch = batch
        self.limit = limit
    }

    mutating func go(_ advance: (Int) -> Void) throws {
        while true {
            try Interruption.check()
            let left = limit.map { $0 - count } ?? batch
            guard left > 0 else { return isComplete = try isUpToDate() }
            guard let update = try VectorUpdate(of: index, in: collection, limit: min(batch, left), in: database) else {
                return isComplete = true
            }
            try run(update)
            advance(update.count)
        }
    }

    /// What was answered is stored, also if the rest was not.
    private mutating func run(_ update: VectorUpdate) throws {
        var answered = 0
        var without = 0
        document = update.documentIDs.first
        var failure: (any Error)?
        do {
            try update.values.withRoot { root in
                guard let values = root.array, values.count == update.count else {
                    throw EmbeddingError(message: "the values of the documents cannot be read", isAboutValue: false)
                }
                try embedder.embed(values) { vector in
                    try Interruption.check()
                    if let vector, vector.count != update.dimensions {
                        throw EmbeddingError(message: "the answer has \(vector.count) numbers, where the index has \(update.dimensions)")
                    }
                    try update.set(vector, answered)
                    if vector == nil { without += 1 }
                    answered += 1
                    document = answered < update.count ? update.documentIDs[answered] : nil
                }
            }
        } catch { failure = error }
        for place in answered..<update.count { try update.skip(place) }
        if answered > 0 {
            try update.finish(in: database)
            count += answered
            withoutVector += without
        }
        if let failure { throw failure }
    }

    private func isUpToDate() throws -> Bool {
        try database.read { snapshot in
            guard let index = try snapshot.vectorIndex(named: index) else { return true }
            return try snapshot.countUnseen(by: index) == 0
        }
    }
}
