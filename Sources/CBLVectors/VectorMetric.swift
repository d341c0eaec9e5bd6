/// How far two vectors are from each other. The smaller, the nearer; similarities are the other way around.
package enum VectorMetric: String, Hashable, Sendable, CaseIterable {
    /// The sum of squared differences, which orders as the distance does and costs no root.
    case squaredEuclidean = "euclidean2"
    case euclidean
    case cosine
    case cosineSimilarity = "cosine_similarity"
    case dot
    case dotSimilarity = "dot_product_similarity"

    /// The name as queries and options spell it, in any case, with the synonyms of each.
    package init?(name: String) {
        switch name.lowercased() {
        case "euclidean2", "euclidean_squared", "l2_squared", "default": self = .squaredEuclidean
        case "euclidean", "l2": self = .euclidean
        case "cosine", "cosine_distance": self = .cosine
        case "cosine_similarity": self = .cosineSimilarity
        case "dot", "dot_product_distance": self = .dot
        case "dot_product_similarity": self = .dotSimilarity
        default: return nil
        }
    }

    /// Vectors count by their direction only: they are kept with length 1.
    var isOfDirections: Bool { self == .cosine || self == .cosineSimilarity }
    /// Ordered by products, not by distances.
    var isOfProducts: Bool { self == .dot || self == .dotSimilarity }
    /// Larger is nearer.
    package var isSimilarity: Bool { self == .cosineSimilarity || self == .dotSimilarity }

    /// What orders two vectors, the smaller the nearer, of vectors as they are.
    package func order(_ query: [Float], _ vector: UnsafePointer<Float>) -> Float {
        switch self {
        case .squaredEuclidean, .euclidean: Kernels.squaredDistance(query, vector)
        case .dot, .dotSimilarity: -Kernels.product(query, vector)
        case .cosine, .cosineSimilarity:
            1 - Kernels.product(query, vector) / (Kernels.length(query) * Kernels.length(vector, query.count)).orOne
        }
    }

    /// What a query reports of it.
    package func distance(fromOrder order: Float) -> Double {
        switch self {
        case .squaredEuclidean, .dot, .cosine: Double(order)
        case .euclidean: Double(max(order, 0)).squareRoot()
        case .cosineSimilarity: 1 - Double(order)
        case .dotSimilarity: -Double(order)
        }
    }
}

extension Float {
    /// Nothing can be divided by the length of a vector without a direction.
    fileprivate var orOne: Float { self > 0 ? self : 1 }
}
