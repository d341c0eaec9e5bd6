import CBLSQLite
import CBLVectors

/// What queries ask an index: the nearest documents of a vector, or how far one document is from it.
///
/// What the lists give is only near: of those that are in question the documents themselves are asked, so distances are exact. Documents that
/// changed since the index was last written, by whatever program, are looked at directly.
package final class VectorSearch {
    package struct Hit: Hashable, Sendable {
        package var row: Int64
        package var distance: Double
    }

    package let index: VectorIndex
    private let snapshot: Snapshot
    private let reader: VectorReader
    private let model: VectorModel?
    private var connection: Connection { snapshot.connection }
    /// The vectors of a lazy index, for questions about single documents.
    private var known: [UInt64: (VectorID, [Float])]?

    package init(_ index: VectorIndex, on snapshot: Snapshot) throws {
        self.index = index
        self.snapshot = snapshot
        reader = try VectorReader(index, snapshot)
        model = index.isTrained ? try snapshot.vectorModel(index) : nil
    }

    package func check(_ query: [Float]) throws(StoreError) {
        guard query.count == index.options.dimensions else {
            throw StoreError(
                .invalidDocument, "vector has wrong number of dimensions: \(query.count), where the index has \(index.options.dimensions)")
        }
    }

    // The nearest

    /// At most `limit` documents, the nearest first.
    package func nearest(to query: [Float], limit: Int, probes: Int? = nil) throws -> [Hit] {
        try check(query)
        guard limit > 0 else { return [] }
        // Without a limit, none can be missed.
        var wanted = limit >= Int.max / 8 ? limit : limit + spare(limit)
        while true {
            var queue = NearestQueue(limit: wanted)
            try offerListed(query, probes, &queue)
            try offerWaiting(query, &queue)
            try offerUnseen(query, &queue)
            let entries = queue.sorted()
            var rows: Set<Int64> = []
            var hits = try entries.compactMap { try hit($0, query) }.filter { rows.insert($0.row).inserted }
            // Some may have been of documents that are gone.
            if hits.count < limit, queue.isFull, wanted < Int.max / 4 {
                wanted *= 4
                continue
            }
            hits.sort { isNearer($0, $1) }
            return limit < hits.count ? Array(hits.prefix(limit)) : hits
        }
    }

    /// More than are asked for: the documents decide among them.
    private func spare(_ limit: Int) -> Int {
        guard index.isTrained, !index.options.isLazy else { return 8 }
        switch index.options.encoding {
        case .none: return 8
        case .scalar(let bits) where bits >= 6: return min(limit / 2, 200) + 16
        case .scalar, .product: return min(3 * limit, 1000) + 32
        }
    }

    private func isNearer(_ first: Hit, _ second: Hit) -> Bool {
        if first.distance == second.distance { return first.row < second.row }
        return (first.distance < second.distance) != index.options.metric.isSimilarity
    }

    private func offerListed(_ query: [Float], _ probes: Int?, _ queue: inout NearestQueue) throws {
        guard let model, let id = index.id else { return }
        var scan = ListScan(model, query)
        let lists = scan.lists(min(probes ?? index.options.usualProbes, model.listCount))
        for list in lists {
            try snapshot.forEachVectorBlock(index, model, in: VectorTables.places(index: id, list: list)) { block, list in
                scan.scan(block, list: list, &queue)
            }
        }
        var fresh = FreshEntries(of: lists)
        try snapshot.forEachVectorBlock(index, model, in: VectorTables.places(index: id, list: model.freshList)) { block, _ in
            fresh.add(block)
        }
        fresh.scan(&scan, codeSize: model.codeSize, &queue)
    }

    private func offerWaiting(_ query: [Float], _ queue: inout NearestQueue) throws {
        try snapshot.forEachWaitingVector(index) { id, bytes in
            if let order = order(query, bytes) { queue.offer(order, id) }
        }
    }

    /// What the index has not been told of yet.
    private func offerUnseen(_ query: [Float], _ queue: inout NearestQueue) throws {
        guard !index.options.isLazy else { return }
        let last = try snapshot.metadata(index.keyStore).lastSequence
        guard last != index.indexed.end || index.id == nil else { return }
        // One that is ahead of the documents knows nothing of them.
        let seen = last < index.indexed.end ? 0 : index.indexed.end
        try connection.withStatement(reader.since(seen)) { row in
            if seen > 0 { try row.bind(Int64(bitPattern: seen), 1) }
            while try row.step() {
                guard let key = row.text(1), let bytes = row.blob(2), let order = order(query, bytes) else { continue }
                queue.offer(order, VectorID(sequence: UInt64(bitPattern: row.int64(0)), documentID: key))
            }
        }
    }

    private func order(_ query: [Float], _ bytes: UnsafeRawBufferPointer) -> Float? {
        guard bytes.count == index.options.rawSize else { return nil }
        return withAlignedFloats(bytes) { index.options.metric.order(query, $0) }
    }

    private func hit(_ entry: NearestQueue.Entry, _ query: [Float]) throws -> Hit? {
        try connection.withStatement(index.options.isLazy ? reader.rowOfSequence : reader.ofSequence) { row in
            try row.bind(Int64(bitPattern: entry.id.sequence), 1)
            guard try row.step(), let key = row.text(1), VectorID(sequence: entry.id.sequence, documentID: key) == entry.id else {
                return nil
            }
            var order: Float? = entry.order
            if !index.options.isLazy { order = row.blob(2).flatMap { self.order(query, $0) } }
            return order.map { Hit(row: row.int64(0), distance: index.options.metric.distance(fromOrder: $0)) }
        }
    }

    // One document

    /// How far the document of a row is; nil if it has no vector.
    package func distance(from query: [Float], row: Int64) throws -> Double? {
        if index.options.isLazy { return try knownDistance(from: query, row: row) }
        return try connection.withStatement(reader.ofRow) { statement in
            try statement.bind(row, 1)
            guard try statement.step(), let bytes = statement.blob(0), let order = order(query, bytes) else { return nil }
            return index.options.metric.distance(fromOrder: order)
        }
    }

    private func knownDistance(from query: [Float], row: Int64) throws -> Double? {
        let known = try self.known ?? readKnown()
        self.known = known
        return try connection.withStatement(reader.sequenceOfRow) { statement in
            try statement.bind(row, 1)
            guard try statement.step(), let key = statement.text(1),
                let (id, vector) = known[UInt64(bitPattern: statement.int64(0))],
                VectorID(sequence: id.sequence, documentID: key) == id
            else { return nil }
            return index.options.metric.distance(fromOrder: index.options.metric.order(query, vector))
        }
    }

    private func readKnown() throws -> [UInt64: (VectorID, [Float])] {
        var known: [UInt64: (VectorID, [Float])] = [:]
        guard let id = index.id else { return known }
        try snapshot.forEachWaitingVector(index) { vector, bytes in
            known[vector.sequence] = (vector, withAlignedFloats(bytes) { Array(UnsafeBufferPointer(start: $0, count: bytes.count / 4)) })
        }
        if let model {
            try snapshot.forEachVectorBlock(index, model, in: VectorTables.places(index: id)) { block, list in
                model.forEachEntry(of: block, list: list) { id, code, list in
                    if let vector = model.decode(code, list: list) { known[id.sequence] = (id, vector) }
                }
            }
        }
        return known
    }
}

/// Little-endian floats, which may lie anywhere, as floats.
private func withAlignedFloats<Result>(_ bytes: UnsafeRawBufferPointer, _ body: (UnsafePointer<Float>) -> Result) -> Result {
    guard let base = bytes.baseAddress, Int(bitPattern: base) % 4 == 0 else {
        let copy = [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
            UnsafeMutableRawBufferPointer(buffer).copyMemory(from: bytes)
            count = bytes.count
        }
        return copy.withUnsafeBytes { $0.withMemoryRebound(to: Float.self) { body($0.baseAddress!) } }
    }
    return bytes.withMemoryRebound(to: Float.self) { body($0.baseAddress!) }
}
