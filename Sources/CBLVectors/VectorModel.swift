/// What an index has learned from the vectors that it was trained on: where their clusters are, and how to write down what lies about them.
///
/// A vector is kept in the list of the nearest centroid, as its difference to that, encoded.
package final class VectorModel: Sendable {
    enum Encoder: Sendable {
        case none
        case scalar(ScalarQuantizer)
        case product(ProductQuantizer)
    }

    package let options: VectorOptions
    let centroids: Centroids
    let encoder: Encoder
    /// How many vectors there were when it was trained, and how far those were from their centroids, squared, in the mean.
    package let trainedOn: Int
    package let meanError: Float
    package let codeSize: Int

    package var listCount: Int { centroids.count }
    private var dimensions: Int { options.dimensions }

    init(_ options: VectorOptions, _ centroids: Centroids, _ encoder: Encoder, trainedOn: Int, meanError: Float) {
        self.options = options
        self.centroids = centroids
        self.encoder = encoder
        self.trainedOn = trainedOn
        self.meanError = meanError
        codeSize = options.encoding.size(dimensions: options.dimensions)
    }

    /// Learns from a sample of vectors.
    package convenience init(
        _ options: VectorOptions, trainedOn sample: VectorSample, _ cancellation: Cancellation = .never
    ) throws(Cancellation.Cancelled) {
        let dimensions = options.dimensions
        let count = sample.count
        let vectors = sample.vectors(normalized: options.metric.isOfDirections)
        var clustering = KMeans(dimensions: dimensions, cancellation)
        let centroids = try clustering.cluster(vectors, count, into: options.centroids)
        let (nearest, distances) = try centroids.assign(vectors, count, cancellation)
        for vector in 0..<count { centroids.subtract(Int(nearest.base[vector]), vectors.base + vector * dimensions) }
        let error = count > 0 ? (0..<count).reduce(0) { $0 + distances.base[$1] } / Float(count) : 0
        let encoder: Encoder
        switch options.encoding {
        case .none: encoder = .none
        case .scalar(let bits):
            encoder = .scalar(try ScalarQuantizer(bits: bits, dimensions: dimensions, trainedOn: vectors.base, count, cancellation))
        case .product(let parts, let bits):
            encoder = .product(
                try ProductQuantizer(parts: parts, bits: bits, dimensions: dimensions, trainedOn: vectors, count, cancellation))
        }
        self.init(options, centroids, encoder, trainedOn: sample.total, meanError: error)
    }

    /// Finds the list of each vector and writes the codes, with `codeSize` bytes each. Changes the vectors on the way. Returns the sum of the
    /// squared distances to the centroids.
    @discardableResult
    package func encode(_ batch: VectorBatch, _ cancellation: Cancellation = .never) throws(Cancellation.Cancelled) -> Float {
        let (dimensions, codeSize) = (dimensions, codeSize)
        Parallel.run(batch.count, atLeast: 64) { [self] _, range in
            if options.metric.isOfDirections {
                for vector in range { Kernels.normalize(batch.vectors.base + vector * dimensions, dimensions) }
            }
            centroids.findNearest(batch.vectors.base, range, batch.lists.base, batch.distances.base, cancellation) { piece in
                let vectors = batch.vectors.base + piece.lowerBound * dimensions
                let lists = batch.lists.base + piece.lowerBound
                let codes = batch.codes.base + piece.lowerBound * codeSize
                for vector in 0..<piece.count { centroids.subtract(Int(lists[vector]), vectors + vector * dimensions) }
                switch encoder {
                case .none: UnsafeMutableRawPointer(codes).copyMemory(from: vectors, byteCount: piece.count * codeSize)
                case .scalar(let quantizer):
                    for vector in 0..<piece.count { quantizer.encode(vectors + vector * dimensions, into: codes + vector * codeSize) }
                case .product(let quantizer): quantizer.encode(vectors, piece.count, into: codes, size: codeSize)
                }
            }
        }
        try cancellation.check()
        return (0..<batch.count).reduce(0) { $0 + batch.distances.base[$1] }
    }

    /// The vector of a code in a list, as nearly as the encoding has it.
    package func decode(_ code: UnsafeRawBufferPointer, list: Int) -> [Float]? {
        guard code.count == codeSize, (0..<listCount).contains(list), let bytes = code.baseAddress else { return nil }
        var vector = [Float](repeating: 0, count: dimensions)
        switch encoder {
        case .none: for place in 0..<dimensions { vector[place] = Float(littleEndianAt: bytes + 4 * place) }
        case .scalar(let quantizer): quantizer.decode(bytes.assumingMemoryBound(to: UInt8.self), into: &vector)
        case .product(let quantizer): quantizer.decode(bytes.assumingMemoryBound(to: UInt8.self), into: &vector)
        }
        centroids.withCentroid(list) { centroid in for place in 0..<dimensions { vector[place] += centroid[place] } }
        return vector
    }
}

extension Centroids {
    func subtract(_ centroid: Int, _ vector: UnsafeMutablePointer<Float>) {
        withCentroid(centroid) { centroid in for place in 0..<dimensions { vector[place] -= centroid[place] } }
    }
}

extension Float {
    package init(littleEndianAt address: UnsafeRawPointer) {
        self.init(bitPattern: UInt32(littleEndian: address.loadUnaligned(as: UInt32.self)))
    }
}

/// Vectors on their way into lists: filled one by one, encoded together.
package final class VectorBatch: @unchecked Sendable {
    // Sendable: while it is encoded each thread has a part of it, and otherwise one thread has all.
    package let capacity: Int
    package private(set) var count = 0
    package private(set) var ids: [VectorID] = []
    let vectors: SharedArray<Float>
    let lists: SharedArray<UInt32>
    let distances: SharedArray<Float>
    let codes: SharedArray<UInt8>
    private let dimensions: Int
    private let codeSize: Int

    package init(_ model: VectorModel, capacity: Int) {
        self.capacity = capacity
        dimensions = model.options.dimensions
        codeSize = model.codeSize
        vectors = SharedArray(repeating: 0, count: capacity * dimensions)
        lists = SharedArray(repeating: 0, count: capacity)
        distances = SharedArray(repeating: 0, count: capacity)
        codes = SharedArray(repeating: 0, count: capacity * codeSize)
        ids.reserveCapacity(capacity)
    }

    package var isFull: Bool { count == capacity }

    /// `vector` is little-endian floats of the right number.
    package func append(_ id: VectorID, _ vector: UnsafeRawBufferPointer) {
        guard let source = vector.baseAddress, vector.count == 4 * dimensions, count < capacity else { return }
        let target = vectors.base + count * dimensions
        for place in 0..<dimensions { target[place] = Float(littleEndianAt: source + 4 * place) }
        ids.append(id)
        count += 1
    }

    package func removeAll() {
        count = 0
        ids.removeAll(keepingCapacity: true)
    }

    // After encoding

    package func list(_ place: Int) -> Int { Int(lists.base[place]) }
    package func code(_ place: Int) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: codes.base + place * codeSize, count: codeSize)
    }
}

/// Some of many vectors, each with the same chance to be among them.
package final class VectorSample {
    private let dimensions: Int
    private let limit: Int
    private var values: [Float] = []
    private var random = SeededGenerator(seed: 0xc0ffee)
    /// How many there were to choose from.
    package private(set) var total = 0

    package init(dimensions: Int, limit: Int) {
        self.dimensions = dimensions
        self.limit = max(limit, 1)
    }

    package var count: Int { values.count / dimensions }

    /// What is larger cannot be reckoned with: its square is infinite.
    private static let largest: Float = 1e18

    /// `vector` is little-endian floats of the right number; one whose numbers are not finite, or too large, teaches nothing.
    package func offer(_ vector: UnsafeRawBufferPointer) {
        guard let source = vector.baseAddress, vector.count == 4 * dimensions else { return }
        total += 1
        var place = count
        if place >= limit {
            place = Int.random(in: 0..<total, using: &random)
            guard place < limit else { return }
        }
        for dimension in 0..<dimensions where !(abs(Float(littleEndianAt: source + 4 * dimension)) < VectorSample.largest) { return }
        if place == count { values.append(contentsOf: repeatElement(0, count: dimensions)) }
        for dimension in 0..<dimensions { values[place * dimensions + dimension] = Float(littleEndianAt: source + 4 * dimension) }
    }

    func vectors(normalized: Bool) -> SharedArray<Float> {
        let vectors = SharedArray(values, or: 0)
        if normalized { for vector in 0..<count { Kernels.normalize(vectors.base + vector * dimensions, dimensions) } }
        return vectors
    }
}
