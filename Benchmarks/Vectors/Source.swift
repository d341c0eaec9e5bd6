import CBLVectors
import Glibc

extension SeededGenerator {
    mutating func normal() -> Float {
        let (first, second) = (Float.random(in: 1e-7...1, using: &self), Float.random(in: 0...1, using: &self))
        return (-2 * logf(first)).squareRoot() * cosf(2 * .pi * second)
    }
}

/// Vectors of clusters in fewer dimensions than they have, with a little noise, as those of texts and pictures are.
struct Source {
    let dimensions: Int
    private var random = SeededGenerator(seed: 42)
    private var middles: [[Float]] = []
    private var projection: [Float] = []
    private static let latent = 32

    init(dimensions: Int, clusters: Int) {
        self.dimensions = dimensions
        for _ in 0..<clusters { middles.append((0..<Source.latent).map { _ in random.normal() }) }
        projection = (0..<Source.latent * dimensions).map { _ in random.normal() / Float(Source.latent).squareRoot() }
    }

    mutating func next() -> [Float] {
        let middle = middles[Int.random(in: 0..<middles.count, using: &random)]
        var vector = (0..<dimensions).map { _ in 0.05 * random.normal() }
        for place in 0..<Source.latent {
            let value = middle[place] + 0.3 * random.normal()
            for dimension in 0..<dimensions { vector[dimension] += value * projection[place * dimensions + dimension] }
        }
        return vector
    }
}
