import CBLSQLite
import CBLVectors

/// Brings a vector index up to date, in a transaction that writes: takes in what has come, learns when there is enough to learn from, and rids
/// the lists of documents that are gone.
final class VectorIndexer {
    private let transaction: Transaction
    private var index: VectorIndex
    private let id: Int64
    private let reader: VectorReader
    private var connection: Connection { transaction.connection }
    /// How many vectors come at most, as far as that is known.
    private var expected = Int.max

    /// How many vectors are encoded together.
    private static let batchSize = 4096
    /// What may wait in memory to be written to lists.
    private static let mostMemory = 40 * 1024 * 1024
    /// What a sample to learn from may take.
    private static let mostSampleBytes = 256 * 1024 * 1024
    /// Lists are cleaned when as many documents were changed as this part of the entries, and never for a few.
    private static let changesPerEntry = 0.2
    private static let fewestChanges: Int64 = 1000

    init(_ index: VectorIndex, _ transaction: Transaction) throws {
        guard let id = index.id else { throw StoreError(.unsupported, "the vector index \"\(index.name)\" is another program's") }
        self.transaction = transaction
        self.index = index
        self.id = id
        reader = try VectorReader(index, transaction)
    }

    /// Whether an error is of the expression, not of the file: then documents are saved all the same, and their vectors come when they can.
    static func canWait(_ error: any Error) -> Bool {
        switch error {
        case let error as SQLiteError: error.code == 1
        case let error as StoreError: [.corrupt, .unsupported, .notFound, .foreignSchema, .interrupted].contains(error.code)
        default: true
        }
    }

    /// Computes what may take long, and ends when somebody wants all work to end: no statement runs meanwhile that would hear of it.
    fileprivate static func interruptible<Result>(_ work: (Cancellation) throws -> Result) throws -> Result {
        do { return try work(Cancellation { Interrupts.isRequested }) } catch is Cancellation.Cancelled {
            throw StoreError(.interrupted, "interrupted")
        }
    }

    /// Takes in the documents that were changed since the last time. What a lazy index has is given to it.
    func catchUp() throws {
        let last = try transaction.metadata(index.keyStore).lastSequence
        if !index.options.isLazy, index.indexed.end > last {
            // The counter was damaged and is mended: sequences come again, for other documents.
            try forgetAll()
            index.indexed = SequenceRanges()
        }
        if !index.options.isLazy, index.indexed.end < last {
            try makeFindable()
            if index.indexed.end == 0, !index.isTrained, index.pending == 0 { try learnFromDocuments() }
            expected = Int(clamping: last - index.indexed.end)
            try takeIn(reader.since(index.indexed.end), after: index.indexed.end)
            index.indexed = SequenceRanges(upTo: last)
        }
        try learnIfPossible()
        try cleanIfNeeded()
        try store()
    }

    /// Learns anew from what there is, and sorts everything again.
    func rebuild() throws {
        guard !index.options.isLazy else { return try relearn() }
        try forgetAll()
        index.indexed = SequenceRanges()
        try catchUp()
    }

    // Lazy indexes

    /// Gives documents vectors. Those that have nil have none, and were looked at all the same.
    func set(_ vectors: [(id: VectorID, bytes: [UInt8]?)], indexed: SequenceRanges) throws {
        try makeFindable()
        let known = Set(vectors.map(\.id.sequence)).filter { index.indexed.contains($0) }
        if !known.isEmpty { try remove(known) }
        try add { add in
            for vector in vectors {
                if let bytes = vector.bytes { try bytes.withUnsafeBytes { try add(vector.id, $0) } }
            }
        }
        index.indexed = indexed
        if canLearn { try learnUnlessInterrupted() }
        try cleanIfNeeded()
        try store()
    }

    private func remove(_ sequences: Set<UInt64>) throws {
        try removeWaiting(sequences)
        if index.isTrained { index.listed = try lists().clean { !sequences.contains($0.sequence) } }
    }

    // Taking in

    private func takeIn(_ sql: String, after sequence: UInt64) throws {
        let functions = transaction.file.functions
        functions?.hearsOfVectorProblem = VectorWarnings.current.map { hear in { hear(.noVector($0, property: $1)) } }
        defer { functions?.hearsOfVectorProblem = nil }
        try add { add in
            try connection.withStatement(sql) { row in
                if sequence > 0 { try row.bind(Int64(bitPattern: sequence), 1) }
                while try row.step() {
                    guard let key = row.text(1), let vector = row.blob(2) else { continue }
                    try add(VectorID(sequence: UInt64(bitPattern: row.int64(0)), documentID: key), vector)
                }
            }
        }
    }

    /// Where vectors go: into lists once there is a model, else to those that wait.
    private func add(_ body: ((VectorID, UnsafeRawBufferPointer) throws -> Void) throws -> Void) throws {
        let size = index.options.rawSize
        guard index.isTrained else {
            var added = 0
            try body { vector, bytes in
                guard bytes.count == size else { return }
                try keepWaiting(vector, bytes)
                added += 1
            }
            index.pending += added
            return
        }
        var sorter = VectorSorter(
            try transaction.vectorModel(index), try lists(), min(expected, VectorIndexer.batchSize), VectorIndexer.mostMemory)
        let validity = try VectorValidity(reader, connection)
        try body { vector, bytes in if bytes.count == size { try sorter.add(vector, bytes, validity) } }
        try sorter.finish(validity, isFirst: index.listed == 0)
        index.listed += sorter.added - sorter.removed
    }

    private func keepWaiting(_ vector: VectorID, _ bytes: UnsafeRawBufferPointer) throws {
        try connection.withStatement("INSERT OR REPLACE INTO vx_pending (id, sequence, hash, vector) VALUES (?1, ?2, ?3, ?4)") {
            statement in
            try statement.bind(id, 1)
            try statement.bind(Int64(bitPattern: vector.sequence), 2)
            try statement.bind(Int64(vector.check), 3)
            try statement.bind(blob: bytes, 4)
            try statement.run()
        }
    }

    // Learning

    /// Before the first documents are taken in: if there are enough, none of them has to wait.
    private func learnFromDocuments() throws {
        let rows = Int(try connection.integer("SELECT count(*) FROM \(reader.tables.live.quotedName)") ?? 0)
        guard rows >= index.options.neededForTraining else { return }
        // Of many documents, only some are read for it, as long as they are surely enough.
        let limit = sampleLimit(rows)
        let stride = max(1, rows / (2 * limit))
        let sample = try sample(limit, stride: stride)
        if stride > 1, sample.total * stride < max(index.options.neededForTraining, limit) {
            return try learn(from: self.sample(limit, stride: 1))
        }
        guard sample.total * stride >= index.options.neededForTraining else { return }
        try learn(from: sample)
    }

    /// Of the vectors of one document in so many.
    private func sample(_ limit: Int, stride: Int) throws -> VectorSample {
        let sample = VectorSample(dimensions: index.options.dimensions, limit: limit)
        try connection.withStatement(reader.since(0, sampling: stride)) { row in
            while try row.step() { if let vector = row.blob(2) { sample.offer(vector) } }
        }
        return sample
    }

    private func sampleLimit(_ count: Int) -> Int {
        max(1, min(index.options.usedForTraining(of: count), VectorIndexer.mostSampleBytes / index.options.rawSize))
    }

    /// The same, unless somebody wants all work to end: then they go on waiting.
    private func learnUnlessInterrupted() throws {
        let before = index
        try connection.execute("SAVEPOINT cblite_learning")
        do {
            try learnIfPossible()
            try connection.execute("RELEASE cblite_learning")
        } catch let error as StoreError where error.code == .interrupted {
            index = before
            try connection.execute(script: "ROLLBACK TO cblite_learning; RELEASE cblite_learning")
        }
    }

    /// From those that wait, once there are enough.
    private func learnIfPossible() throws {
        guard canLearn else { return }
        let sample = VectorSample(dimensions: index.options.dimensions, limit: sampleLimit(index.pending))
        try transaction.forEachWaitingVector(index) { sample.offer($1) }
        guard sample.count > 0 else { return }
        try learn(from: sample)
        try sortWaiting()
    }

    private var canLearn: Bool { !index.isTrained && index.pending >= index.options.neededForTraining }

    private func learn(from sample: VectorSample) throws {
        guard sample.count > 0 else { return }
        let model = try VectorIndexer.interruptible { try VectorModel(index.options, trainedOn: sample, $0) }
        try connection.withStatement("INSERT OR REPLACE INTO vx_models (id, model) VALUES (?1, ?2)") { statement in
            try statement.bind(id, 1)
            try statement.bind(blob: model.bytes, 2)
            try statement.run()
        }
        index.model = Int64.random(in: 1...Int64.max)
    }

    private func sortWaiting() throws {
        let validity = try VectorValidity(reader, connection)
        try add { add in
            try transaction.forEachWaitingVector(index) { vector, bytes in if try validity.isValid(vector) { try add(vector, bytes) } }
        }
        try forgetWaiting()
    }

    /// With the vectors that the lists have: those of a lazy index are nowhere else.
    private func relearn() throws {
        guard index.isTrained else {
            try learnIfPossible()
            return try store()
        }
        let model = try transaction.vectorModel(index)
        let validity = try VectorValidity(reader, connection)
        var count = 0
        try forgetWaiting()
        try transaction.forEachVectorBlock(index, model, in: VectorTables.places(index: id)) { block, list in
            try model.forEachEntry(of: block, list: list) { id, code, list in
                guard try validity.isValid(id), let vector = model.decode(code, list: list) else { return }
                try vector.withUnsafeBytes { try keepWaiting(id, $0) }
                count += 1
            }
        }
        try transaction.removeVectors(id, waiting: false)
        index.model = 0
        index.listed = 0
        index.pending = count
        try learnIfPossible()
        try store()
    }

    // What is gone

    private func cleanIfNeeded() throws {
        let changes = try changeCount()
        if index.changes == 0 || index.changes > changes { index.changes = changes }
        let limit = max(VectorIndexer.fewestChanges, Int64(Double(index.listed + index.pending) * VectorIndexer.changesPerEntry))
        guard changes - index.changes > limit else { return }
        // Much of it may be new documents: what is there tells whether much is gone.
        let live = Int(try connection.integer("SELECT count(*) FROM \(reader.tables.live.quotedName)") ?? 0)
        index.changes = changes
        guard Double(index.listed + index.pending) > Double(live) * (1 + VectorIndexer.changesPerEntry) else { return }
        let validity = try VectorValidity(reader, connection)
        if index.isTrained { index.listed = try lists().clean(isValid: validity.isValid) }
        guard index.pending > 0 else { return }
        var gone: Set<UInt64> = []
        try transaction.forEachWaitingVector(index) { vector, _ in if try !validity.isValid(vector) { gone.insert(vector.sequence) } }
        try removeWaiting(gone)
    }

    private func removeWaiting(_ sequences: Set<UInt64>) throws {
        for sequence in sequences {
            try connection.withStatement("DELETE FROM vx_pending WHERE id=?1 AND sequence=?2") { statement in
                try statement.bind(id, 1)
                try statement.bind(Int64(bitPattern: sequence), 2)
                try statement.run()
            }
            index.pending -= connection.changes
        }
    }

    private func changeCount() throws -> Int64 {
        let counted = try transaction.metadata(index.keyStore)
        return Int64(clamping: counted.lastSequence).addingReportingOverflow(Int64(counted.purges)).partialValue
    }

    private func forgetAll() throws {
        try transaction.removeVectors(id)
        index.model = 0
        index.listed = 0
        index.pending = 0
        index.changes = 0
    }

    private func forgetWaiting() throws {
        try connection.withStatement("DELETE FROM vx_pending WHERE id=?") { statement in
            try statement.bind(id, 1)
            try statement.run()
        }
        index.pending = 0
    }

    // Its row

    private func lists() throws -> VectorLists { VectorLists(connection, index: id, try transaction.vectorModel(index)) }

    /// Documents have to be found by their sequence.
    private func makeFindable() throws {
        let table = reader.tables.live.name
        guard !transaction.catalog.indexNames.contains(table + "_seqs") else { return }
        try connection.execute(Schema.sequenceIndex(table))
        try transaction.file.reloadSchema()
    }

    private func store() throws {
        let sql = "UPDATE vx_indexes SET indexed=?2, model=?3, pending=?4, listed=?5, changes=?6 WHERE id=?1"
        try connection.withStatement(sql) { statement in
            try statement.bind(id, 1)
            try statement.bind(index.indexed.text, 2)
            try statement.bind(index.model, 3)
            try statement.bind(Int64(max(index.pending, 0)), 4)
            try statement.bind(Int64(max(index.listed, 0)), 5)
            try statement.bind(index.changes, 6)
            try statement.run()
        }
    }
}

/// Whether an entry is of a document's current revision.
struct VectorValidity {
    private let connection: Connection
    private let row: String
    private let sequence: String

    init(_ reader: VectorReader, _ connection: Connection) throws {
        self.connection = connection
        (row, sequence) = (reader.rowOfSequence, reader.hasSequence)
    }

    func isValid(_ vector: VectorID) throws -> Bool {
        try connection.withStatement(row) { row in
            try row.bind(Int64(bitPattern: vector.sequence), 1)
            guard try row.step(), let key = row.text(1) else { return false }
            return VectorID(sequence: vector.sequence, documentID: key) == vector
        }
    }

    /// As far as the index of sequences tells, without a look at a page for each document.
    func mayBeValid(_ vector: VectorID) throws -> Bool {
        try connection.withStatement(sequence) { row in
            try row.bind(Int64(bitPattern: vector.sequence), 1)
            return try row.step()
        }
    }
}

/// Encodes vectors and gathers them by list until there is enough to write.
private struct VectorSorter {
    private let lists: VectorLists
    private let model: VectorModel
    private let batch: VectorBatch
    private let mostMemory: Int
    private var gathered: [VectorBlockWriter]
    private var size = 0
    private(set) var added = 0
    private(set) var removed = 0

    init(_ model: VectorModel, _ lists: VectorLists, _ batchSize: Int, _ mostMemory: Int) {
        self.model = model
        self.lists = lists
        self.mostMemory = mostMemory
        // Of long vectors, fewer at a time.
        batch = VectorBatch(model, capacity: max(min(batchSize, 64), min(batchSize, 8 * 1024 * 1024 / model.options.rawSize)))
        gathered = Array(repeating: VectorBlockWriter(), count: model.listCount)
    }

    mutating func add(_ vector: VectorID, _ bytes: UnsafeRawBufferPointer, _ validity: VectorValidity) throws {
        batch.append(vector, bytes)
        if batch.isFull { try sort(validity) }
    }

    /// The first ones of an index go to their lists. Later ones stay together until there are many; then the lists that most of them are of get
    /// theirs, several at one go.
    mutating func finish(_ validity: VectorValidity, isFirst: Bool) throws {
        try sort(validity)
        if isFirst { return try write(gathered.indices, validity, until: 0) }
        let isRoom = try lists.hasRoom(forFresh: size + added * VectorModel.freshMark)
        if !isRoom {
            removed += try lists.takeFresh(isValid: validity.mayBeValid) { gathered[$2].append($0, $1) }
            size = gathered.reduce(0) { $0 + $1.size }
            try write(gathered.indices.sorted { gathered[$0].size > gathered[$1].size }, validity, until: lists.mostFresh / 4 * 3)
        }
        var fresh = VectorBlockWriter()
        for (list, entries) in gathered.enumerated() {
            entries.forEach { fresh.append(fresh: $0, $1, list: list) }
            if fresh.size >= VectorLists.blockSize || list == gathered.count - 1, !fresh.isEmpty {
                removed += try lists.append(fresh, to: model.freshList, isValid: validity.mayBeValid)
                fresh.removeAll()
            }
        }
    }

    private mutating func write(_ order: some Sequence<Int>, _ validity: VectorValidity, until least: Int) throws {
        for list in order where size > least && !gathered[list].isEmpty { try write(list, validity) }
    }

    private mutating func sort(_ validity: VectorValidity) throws {
        guard batch.count > 0 else { return }
        _ = try VectorIndexer.interruptible { try model.encode(batch, $0) }
        for place in 0..<batch.count {
            let list = batch.list(place)
            let before = gathered[list].size
            gathered[list].append(batch.ids[place], batch.code(place))
            size += gathered[list].size - before
            if gathered[list].size >= VectorLists.blockSize { try write(list, validity) }
        }
        added += batch.count
        batch.removeAll()
        guard size > mostMemory else { return }
        // The largest ones first: what is written has at least half the size of the mean.
        let least = size / gathered.count / 2
        for list in gathered.indices where !gathered[list].isEmpty && gathered[list].size >= least { try write(list, validity) }
    }

    private mutating func write(_ list: Int, _ validity: VectorValidity) throws {
        removed += try lists.append(gathered[list], to: list, isValid: validity.mayBeValid)
        size -= gathered[list].size
        gathered[list].removeAll()
    }
}
