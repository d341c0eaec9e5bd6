import CBLVectorKernels

/// The middles of the clusters that vectors are sorted into.
package final class Centroids: Sendable {
    package let count: Int
    package let dimensions: Int
    /// One after the other.
    let values: [Float]
    /// Sixteen at a time, component by component, as the kernel takes them.
    private let panels: [Float]
    private let halfNorms: [Float]

    init(_ values: [Float], dimensions: Int) {
        self.values = values
        self.dimensions = dimensions
        count = values.count / dimensions
        let panelCount = (count + 15) / 16
        var panels = [Float](repeating: 0, count: panelCount * 16 * dimensions)
        // Beyond the last, infinite: those are nobody's nearest.
        var halfNorms = [Float](repeating: .infinity, count: panelCount * 16)
        for centroid in 0..<count {
            let start = (centroid / 16) * 16 * dimensions + centroid % 16
            var norm: Float = 0
            for place in 0..<dimensions {
                let value = values[centroid * dimensions + place]
                panels[start + place * 16] = value
                norm += value * value
            }
            halfNorms[centroid] = norm / 2
        }
        self.panels = panels
        self.halfNorms = halfNorms
    }

    /// The nearest centroid of each of `count` vectors, and how far it is, squared.
    func findNearest(
        _ vectors: UnsafePointer<Float>, _ count: Int, _ nearest: UnsafeMutablePointer<UInt32>, _ distances: UnsafeMutablePointer<Float>
    ) {
        cblvec_nearest(vectors, count, dimensions, panels, halfNorms, halfNorms.count / 16, nearest, distances)
    }

    /// How many numbers are multiplied between two looks at whether the result is still wanted: some milliseconds.
    private static let mostProducts = 1 << 25

    /// The same in pieces, with `body` after each; it ends early when that is wanted.
    func findNearest(
        _ vectors: UnsafePointer<Float>, _ range: Range<Int>, _ nearest: UnsafeMutablePointer<UInt32>,
        _ distances: UnsafeMutablePointer<Float>, _ cancellation: Cancellation, _ body: (Range<Int>) -> Void = { _ in }
    ) {
        // The kernel takes six at a time.
        let size = max(Centroids.mostProducts / max(count * dimensions, 1) / 6, 1) * 6
        for start in stride(from: range.lowerBound, to: range.upperBound, by: size) {
            guard !cancellation.isRequested() else { return }
            let piece = start..<min(start + size, range.upperBound)
            findNearest(vectors + start * dimensions, piece.count, nearest + start, distances + start)
            body(piece)
        }
    }

    /// The nearest of each of many vectors, on all cores.
    func assign(
        _ vectors: SharedArray<Float>, _ count: Int, _ cancellation: Cancellation
    ) throws(Cancellation.Cancelled) -> (nearest: SharedArray<UInt32>, distances: SharedArray<Float>) {
        let nearest = SharedArray<UInt32>(repeating: 0, count: count)
        let distances = SharedArray<Float>(repeating: 0, count: count)
        Parallel.run(count, atLeast: 256) { [self] _, range in
            findNearest(vectors.base, range, nearest.base, distances.base, cancellation)
        }
        try cancellation.check()
        return (nearest, distances)
    }

    /// Those that a query looks at, the nearest first.
    func nearest(to query: [Float], _ limit: Int, byProduct: Bool) -> [Int] {
        var distances = [Float](repeating: 0, count: count)
        if byProduct {
            cblvec_dot_products(query, values, count, dimensions, &distances)
            for place in distances.indices { distances[place].negate() }
        } else {
            cblvec_squared_distances(query, values, count, dimensions, &distances)
        }
        guard limit < count else { return distances.indices.sorted { distances[$0] < distances[$1] } }
        var queue = NearestQueue(limit: limit)
        for (centroid, distance) in distances.enumerated() {
            queue.offer(distance, VectorID(sequence: UInt64(centroid), check: 0))
        }
        return queue.sorted().map { Int($0.id.sequence) }
    }

    @inline(__always)
    func withCentroid<Result>(_ centroid: Int, _ body: (UnsafePointer<Float>) -> Result) -> Result {
        values.withUnsafeBufferPointer { body($0.baseAddress! + centroid * dimensions) }
    }
}
