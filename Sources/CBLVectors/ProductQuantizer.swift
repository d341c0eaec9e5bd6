import CBLVectorKernels

/// Keeps parts of a vector as the numbers of the most similar ones among those it was trained on.
struct ProductQuantizer: Sendable {
    let bits: Int
    /// For each part, the vectors that stand for others.
    let books: [Centroids]

    var partDimensions: Int { books[0].dimensions }
    var width: Int { 1 << bits }

    init(bits: Int, books: [Centroids]) {
        self.bits = bits
        self.books = books
    }

    /// `vectors` lie one after the other.
    init(
        parts: Int, bits: Int, dimensions: Int, trainedOn vectors: SharedArray<Float>, _ count: Int, _ cancellation: Cancellation
    ) throws(Cancellation.Cancelled) {
        let size = dimensions / parts
        let gathered = SharedArray<Float>(repeating: 0, count: count * size)
        var books: [Centroids] = []
        for part in 0..<parts {
            ProductQuantizer.gather(vectors.base, count, dimensions, part * size, size, gathered.base)
            var clustering = KMeans(dimensions: size, cancellation)
            books.append(try clustering.cluster(gathered, count, into: 1 << bits))
        }
        self.init(bits: bits, books: books)
    }

    private static func gather(
        _ vectors: UnsafePointer<Float>, _ count: Int, _ dimensions: Int, _ start: Int, _ size: Int, _ result: UnsafeMutablePointer<Float>
    ) {
        for vector in 0..<count { (result + vector * size).update(from: vectors + vector * dimensions + start, count: size) }
    }

    /// Codes of `size` bytes each, one after the other.
    func encode(_ vectors: UnsafePointer<Float>, _ count: Int, into codes: UnsafeMutablePointer<UInt8>, size: Int) {
        let parts = books.count
        let dimensions = parts * partDimensions
        var indexes = [UInt32](repeating: 0, count: parts * count)
        var part = [Float](repeating: 0, count: count * partDimensions)
        var nearest = [UInt32](repeating: 0, count: count)
        var distances = [Float](repeating: 0, count: count)
        for (place, book) in books.enumerated() {
            ProductQuantizer.gather(vectors, count, dimensions, place * partDimensions, partDimensions, &part)
            book.findNearest(part, count, &nearest, &distances)
            for vector in 0..<count { indexes[vector * parts + place] = nearest[vector] }
        }
        for vector in 0..<count {
            var packer = BitPacker(codes + vector * size)
            for place in 0..<parts { packer.append(indexes[vector * parts + place], bits) }
            packer.finish()
        }
    }

    func decode(_ code: UnsafePointer<UInt8>, into vector: UnsafeMutablePointer<Float>) {
        var indexes = [UInt16](repeating: 0, count: books.count)
        cblvec_unpack_indexes(code, bits, 1, books.count, &indexes)
        for (place, book) in books.enumerated() {
            book.withCentroid(min(Int(indexes[place]), book.count - 1)) {
                (vector + place * partDimensions).update(from: $0, count: partDimensions)
            }
        }
    }

    /// What each part's choices add to the order of a vector: their squared distance to the query's part, or their product with it.
    func tables(_ query: [Float], byProduct: Bool) -> [Float] {
        // What a damaged code names that is not there is far away.
        var tables = [Float](repeating: byProduct ? 0 : .infinity, count: books.count * width)
        tables.withUnsafeMutableBufferPointer { tables in
            query.withUnsafeBufferPointer { query in
                for (place, book) in books.enumerated() {
                    let part = query.baseAddress! + place * partDimensions
                    let table = tables.baseAddress! + place * width
                    if byProduct {
                        cblvec_dot_products(part, book.values, book.count, partDimensions, table)
                    } else {
                        cblvec_squared_distances(part, book.values, book.count, partDimensions, table)
                    }
                }
            }
        }
        return tables
    }
}
