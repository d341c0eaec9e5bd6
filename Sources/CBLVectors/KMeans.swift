/// Finds the middles of clusters: each vector goes to the nearest middle, each middle to the mean of its vectors, and so on.
struct KMeans {
    /// More turns hardly change what a search finds.
    static let mostTurns = 10
    /// An end before that, when what is gained by a turn is less than this part of the whole.
    private static let leastGain: Float = 0.001

    let dimensions: Int
    let cancellation: Cancellation
    var random: SeededGenerator

    init(dimensions: Int, _ cancellation: Cancellation, seed: UInt64 = 0x5eed_0fce_47e5) {
        self.dimensions = dimensions
        self.cancellation = cancellation
        random = SeededGenerator(seed: seed)
    }

    /// `count` middles of vectors that lie one after the other; of fewer vectors than that, these.
    mutating func cluster(_ vectors: SharedArray<Float>, _ vectorCount: Int, into count: Int) throws(Cancellation.Cancelled) -> Centroids {
        var centroids = first(vectors, vectorCount, min(count, vectorCount))
        var last = Float.infinity
        for _ in 0..<KMeans.mostTurns where vectorCount > count {
            let (next, error) = try turn(vectors, vectorCount, centroids)
            centroids = next
            guard error < last * (1 - KMeans.leastGain) else { break }
            last = error
        }
        return centroids
    }

    /// Different vectors by chance.
    private mutating func first(_ vectors: SharedArray<Float>, _ vectorCount: Int, _ count: Int) -> Centroids {
        var values: [Float] = []
        values.reserveCapacity(count * dimensions)
        // Each one left has the same chance (Knuth's algorithm S).
        for vector in 0..<vectorCount {
            let wanted = count - values.count / dimensions
            guard Int.random(in: 0..<vectorCount - vector, using: &random) < wanted else { continue }
            values.append(contentsOf: vectors.elements[vector * dimensions..<(vector + 1) * dimensions])
        }
        return Centroids(values, dimensions: dimensions)
    }

    private mutating func turn(
        _ vectors: SharedArray<Float>, _ vectorCount: Int, _ centroids: Centroids
    ) throws(Cancellation.Cancelled) -> (Centroids, Float) {
        let dimensions = dimensions
        let count = centroids.count
        let (nearest, distances) = try centroids.assign(vectors, vectorCount, cancellation)
        var members = [Int](repeating: 0, count: count)
        var error: Float = 0
        for vector in 0..<vectorCount {
            members[Int(nearest.base[vector])] += 1
            error += distances.base[vector]
        }
        let sums = SharedArray<Float>(repeating: 0, count: count * dimensions)
        Parallel.run(count) { _, range in
            for vector in 0..<vectorCount where range.contains(Int(nearest.base[vector])) {
                let sum = sums.base + Int(nearest.base[vector]) * dimensions
                let values = vectors.base + vector * dimensions
                for place in 0..<dimensions { sum[place] += values[place] }
            }
        }
        var values = centroids.values
        for centroid in 0..<count where members[centroid] > 0 {
            for place in centroid * dimensions..<(centroid + 1) * dimensions {
                values[place] = sums.base[place] / Float(members[centroid])
            }
        }
        try splitLargest(&values, &members)
        return (Centroids(values, dimensions: dimensions), error)
    }

    /// Middles without vectors take half of a cluster that has many: they move to its middle, and both a little away from each other.
    private func splitLargest(_ values: inout [Float], _ members: inout [Int]) throws(Cancellation.Cancelled) {
        let shift: Float = 1.0 / 1024
        for empty in members.indices where members[empty] == 0 {
            try cancellation.check()
            guard let large = members.indices.max(by: { members[$0] < members[$1] }), members[large] > 1 else { return }
            for place in 0..<dimensions {
                let value = values[large * dimensions + place]
                let isUp = place.isMultiple(of: 2)
                values[empty * dimensions + place] = value * (isUp ? 1 + shift : 1 - shift)
                values[large * dimensions + place] = value * (isUp ? 1 - shift : 1 + shift)
            }
            members[empty] = members[large] / 2
            members[large] -= members[empty]
        }
    }
}

/// Random numbers that are the same each time: the same vectors make the same index.
package struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    package init(seed: UInt64) { state = seed }

    // SplitMix64
    package mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
