import Testing

@testable import CBLVectors

/// Clusters of vectors by chance, the same each time.
struct SampleVectors {
    let dimensions: Int
    private(set) var vectors: [[Float]] = []

    init(_ count: Int, dimensions: Int, clusters: Int = 20, seed: UInt64 = 1) {
        self.dimensions = dimensions
        var random = SeededGenerator(seed: seed)
        let middles = (0..<clusters).map { _ in (0..<dimensions).map { _ in Float.random(in: -1...1, using: &random) } }
        for _ in 0..<count {
            let middle = middles[Int.random(in: 0..<clusters, using: &random)]
            vectors.append(middle.map { $0 + Float.random(in: -0.2...0.2, using: &random) })
        }
    }

    static func withBytes<Result>(_ vector: [Float], _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        vector.withUnsafeBytes(body)
    }

    func sample() -> VectorSample {
        let sample = VectorSample(dimensions: dimensions, limit: 100_000)
        for vector in vectors { SampleVectors.withBytes(vector) { sample.offer($0) } }
        return sample
    }

    /// The lists of an index, each as one block.
    func blocks(_ model: VectorModel) throws -> [Int: [UInt8]] {
        let batch = VectorBatch(model, capacity: vectors.count)
        for (place, vector) in vectors.enumerated() {
            SampleVectors.withBytes(vector) { batch.append(VectorID(sequence: UInt64(place + 1), check: 7), $0) }
        }
        try model.encode(batch)
        var writers: [Int: VectorBlockWriter] = [:]
        for place in 0..<batch.count {
            writers[batch.list(place), default: VectorBlockWriter()].append(batch.ids[place], batch.code(place))
        }
        return Dictionary(uniqueKeysWithValues: writers.map { ($0.key, $0.value.bytes(list: $0.key)) })
    }

    /// By the definition, with doubles.
    func nearest(to query: [Float], _ limit: Int, _ metric: VectorMetric) -> [UInt64] {
        func order(_ vector: [Float]) -> Double {
            let product = zip(query, vector).reduce(0.0) { $0 + Double($1.0) * Double($1.1) }
            switch metric {
            case .squaredEuclidean, .euclidean:
                return zip(query, vector).reduce(0.0) { $0 + (Double($1.0) - Double($1.1)) * (Double($1.0) - Double($1.1)) }
            case .dot, .dotSimilarity: return -product
            case .cosine, .cosineSimilarity:
                let lengths = [query, vector].map { $0.reduce(0.0) { $0 + Double($1) * Double($1) }.squareRoot() }
                return 1 - product / (lengths[0] * lengths[1])
            }
        }
        return vectors.indices.sorted { order(vectors[$0]) < order(vectors[$1]) }.prefix(limit).map { UInt64($0 + 1) }
    }
}

@Suite struct VectorModelTests {
    private static func search(_ model: VectorModel, _ blocks: [Int: [UInt8]], _ query: [Float], _ limit: Int, probes: Int) -> [NearestQueue
        .Entry]
    {
        var scan = ListScan(model, query)
        var queue = NearestQueue(limit: limit)
        for list in scan.lists(probes) {
            blocks[list]?.withUnsafeBytes { bytes in
                if let block = VectorBlock(bytes, codeSize: model.codeSize) { scan.scan(block, list: list, &queue) }
            }
        }
        return queue.sorted()
    }

    @Test(
        arguments: [
            (VectorEncoding.none, 1.0), (.scalar(bits: 8), 0.95), (.scalar(bits: 6), 0.85), (.scalar(bits: 4), 0.6),
            (.product(parts: 8, bits: 6), 0.3),
        ])
    func whatALookIntoAllListsFindsIsNear(encoding: VectorEncoding, recall: Double) throws {
        for metric in VectorMetric.allCases {
            let sample = SampleVectors(360, dimensions: 24)
            var options = VectorOptions(dimensions: 24, centroids: 8)
            options.encoding = encoding
            options.metric = metric
            let model = try VectorModel(options, trainedOn: sample.sample())
            let blocks = try sample.blocks(model)
            var found = 0
            for query in SampleVectors(10, dimensions: 24, seed: 1).vectors {
                let exact = Set(sample.nearest(to: query, 10, metric))
                found += Self.search(model, blocks, query, 10, probes: 8).filter { exact.contains($0.id.sequence) }.count
            }
            #expect(Double(found) / 100 >= recall, "\(encoding.name) \(metric)")
        }
    }

    @Test(arguments: [
        VectorEncoding.none, .scalar(bits: 8), .scalar(bits: 6), .scalar(bits: 4), .product(parts: 5, bits: 4),
        .product(parts: 3, bits: 11),
    ])
    func aModelReadsItselfAgain(encoding: VectorEncoding) throws {
        let sample = SampleVectors(240, dimensions: 15)
        var options = VectorOptions(dimensions: 15, centroids: 9)
        options.encoding = encoding
        let model = try VectorModel(options, trainedOn: sample.sample())
        let bytes = model.bytes
        let copy = try #require(bytes.withUnsafeBytes { VectorModel($0, options) })
        #expect(copy.bytes == bytes)
        let query = sample.vectors[17]
        #expect(
            try Self.search(model, sample.blocks(model), query, 20, probes: 4)
                == Self.search(copy, sample.blocks(copy), query, 20, probes: 4))
        // What it has encoded is not far from what it was given.
        let batch = VectorBatch(model, capacity: 1)
        SampleVectors.withBytes(query) { batch.append(VectorID(sequence: 1, check: 0), $0) }
        try model.encode(batch)
        let decoded = try #require(model.decode(batch.code(0), list: batch.list(0)))
        #expect(zip(decoded, query).allSatisfy { abs($0 - $1) < 0.6 })
        // Shorter or longer, it is none.
        for length in 0..<bytes.count where length % 7 == 0 || length < 40 {
            #expect(bytes.prefix(length).withUnsafeBytes { VectorModel($0, options) } == nil)
        }
        #expect((bytes + [0]).withUnsafeBytes { VectorModel($0, options) } == nil)
    }

    @Test func damagedModelsAndBlocksNeverCrash() throws {
        var random = SeededGenerator(seed: 3)
        for encoding in [VectorEncoding.none, .scalar(bits: 6), .product(parts: 4, bits: 5)] {
            let sample = SampleVectors(120, dimensions: 8)
            var options = VectorOptions(dimensions: 8, centroids: 4)
            options.encoding = encoding
            let model = try VectorModel(options, trainedOn: sample.sample())
            let blocks = try sample.blocks(model)
            for _ in 0..<120 {
                var bytes = model.bytes
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
                let damaged = bytes.withUnsafeBytes { VectorModel($0, options) } ?? model
                let list = Int.random(in: 0..<4, using: &random)
                var block = blocks[list] ?? []
                if !block.isEmpty { block[Int.random(in: 0..<block.count, using: &random)] = UInt8.random(in: 0...255, using: &random) }
                _ = Self.search(damaged, [list: block], sample.vectors[0], 5, probes: 4)
            }
        }
    }

    @Test func vectorsThatAreNoNumbersAreNoOnesNeighbours() {
        var queue = NearestQueue(limit: 3)
        queue.offer(.nan, VectorID(sequence: 1, check: 0))
        queue.offer(2, VectorID(sequence: 2, check: 0))
        queue.offer(.infinity, VectorID(sequence: 3, check: 0))
        queue.offer(1, VectorID(sequence: 4, check: 0))
        queue.offer(0, VectorID(sequence: 5, check: 0))
        #expect(queue.sorted().map(\.id.sequence) == [5, 4, 2])
        var none = NearestQueue(limit: 0)
        none.offer(1, VectorID(sequence: 1, check: 0))
        #expect(none.sorted().isEmpty)
    }

    @Test func aQueueKeepsTheNearest() {
        var random = SeededGenerator(seed: 9)
        for limit in 1...40 {
            let orders = (0..<200).map { _ in Float(Int.random(in: 0..<50, using: &random)) }
            var queue = NearestQueue(limit: limit)
            for (place, order) in orders.enumerated() { queue.offer(order, VectorID(sequence: UInt64(place), check: 0)) }
            #expect(queue.sorted().map(\.order) == Array(orders.sorted().prefix(limit)))
        }
    }

    @Test func wideSequencesAreKept() throws {
        var writer = VectorBlockWriter()
        let ids = [VectorID(sequence: 5, check: 1), VectorID(sequence: 1 << 40, check: 2)]
        for id in ids { [UInt8](repeating: 9, count: 3).withUnsafeBytes { writer.append(id, $0) } }
        try writer.bytes(list: 0).withUnsafeBytes { bytes in
            let block = try #require(VectorBlock(bytes, codeSize: 3))
            #expect((0..<block.count).map { block.id($0) } == ids)
            #expect(block.codes.elementsEqual([UInt8](repeating: 9, count: 6)))
        }
    }
}
