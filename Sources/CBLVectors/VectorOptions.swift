/// What a vector index is like, as the app that made it has said.
package struct VectorOptions: Hashable, Sendable {
    package enum Clustering: Hashable, Sendable {
        case flat(Int)
        /// An inverted multi-index: each of some parts of a vector has 2^bits centroids. Kept as what it was asked for; vectors are clustered
        /// by one list of centroids all the same.
        case multi(parts: Int, bits: Int)

        var name: String {
            switch self {
            case .flat(let count): "flat\(count)"
            case .multi(let parts, let bits): "multi\(parts)x\(bits)"
            }
        }

        /// How many lists of vectors there are.
        var centroids: Int {
            switch self {
            case .flat(let count): count
            case .multi(_, let bits): 1 << bits
            }
        }
    }

    package var dimensions: Int
    package var clustering: Clustering
    package var encoding = VectorEncoding.standard
    package var metric = VectorMetric.squaredEuclidean
    /// 0 leaves it to the index.
    package var minimumTraining = 0
    package var maximumTraining = 0
    package var probes = 0
    package var isLazy = false
    /// The extension's own laziness, which nothing here is made of.
    private var delaysEncoding = false

    package init(dimensions: Int, centroids: Int) {
        self.dimensions = dimensions
        clustering = .flat(centroids)
    }

    package var centroids: Int { clustering.centroids }

    /// The bytes of a vector as it comes.
    package var rawSize: Int { dimensions * MemoryLayout<Float>.size }

    // Training

    private var trainedCentroids: Int {
        if case .product(_, let bits) = encoding { return max(centroids, 1 << bits) }
        return centroids
    }

    private static let fewestPerCentroid = 25
    private static let mostPerCentroid = 256

    /// How many vectors there must be before they are clustered.
    package var neededForTraining: Int {
        max(minimumTraining, VectorOptions.fewestPerCentroid * trainedCentroids)
    }

    /// How many of `count` vectors are looked at for it.
    package func usedForTraining(of count: Int) -> Int {
        let asked = maximumTraining > 0 ? maximumTraining : 100 * trainedCentroids
        let most = min(max(asked, VectorOptions.fewestPerCentroid * trainedCentroids), VectorOptions.mostPerCentroid * trainedCentroids)
        return min(count, most)
    }

    /// How many lists a query looks at that does not say.
    package var usualProbes: Int { min(centroids, probes > 0 ? probes : max(8, (centroids + 199) / 200)) }

    // Text

    /// As they stand between the parentheses of the vendor's virtual table.
    package var text: String {
        var parts = ["dimensions=\(dimensions)"]
        if metric != .squaredEuclidean { parts.append("metric=\(metric.rawValue)") }
        parts.append("clustering=\(clustering.name)")
        parts.append("encoding=\(encoding.name)")
        parts.append("minToTrain=\(minimumTraining)")
        parts.append("maxToTrain=\(maximumTraining)")
        if probes > 0 { parts.append("probes=\(probes)") }
        if delaysEncoding { parts.append("lazyindex=true") }
        if isLazy { parts.append("lazyembedding=true") }
        return parts.joined(separator: ",")
    }

    /// Nil for a text that says nothing of the sort. Options that are not known are passed over, as the vendor's library does.
    package init?(text: String) {
        var dimensions: Int?
        var clustering: Clustering?
        self.init(dimensions: 0, centroids: 1)
        for option in text.split(separator: ",") {
            let sides = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let key = sides[0].filter { $0 != " " }.lowercased()
            let value = sides.count > 1 ? sides[1].filter { $0 != " " } : ""
            let isOn = !["false", "0"].contains(value.lowercased())
            switch key {
            case "dimensions": dimensions = Int(value)
            case "metric":
                guard let metric = VectorMetric(name: value) else { return nil }
                self.metric = metric
            case "clustering":
                guard let read = Clustering(name: value) else { return nil }
                clustering = read
            case "centroids": clustering = Int(value).map { .flat($0) }
            case "encoding":
                guard let encoding = VectorEncoding(name: value) else { return nil }
                self.encoding = encoding
            case "mintotrain": minimumTraining = value.lowercased() == "never" ? VectorOptions.never : Int(value) ?? 0
            case "maxtotrain": maximumTraining = Int(value) ?? 0
            case "probes": probes = Int(value) ?? 0
            case "lazyindex": delaysEncoding = isOn
            case "lazyembedding": isLazy = isOn
            default: break
            }
        }
        guard let dimensions, let clustering else { return nil }
        self.dimensions = dimensions
        self.clustering = clustering
        guard problem == nil else { return nil }
    }

    /// `minToTrain=never`
    private static let never = 999_999_999

    // Limits

    package static let dimensionRange = 2...4096
    package static let centroidRange = 1...64000
    package static let partBitRange = 4...12

    /// What is wrong with them, in the vendor's words; nil if nothing is.
    package var problem: String? {
        guard VectorOptions.dimensionRange.contains(dimensions) else { return "dimensions must be >= 2 and <= 4096." }
        switch clustering {
        case .flat(let count):
            guard VectorOptions.centroidRange.contains(count) else { return "centroids must be >= 1 and <= 64000." }
        case .multi(let parts, let bits):
            guard (2...1024).contains(parts), VectorOptions.partBitRange.contains(bits) else { return "invalid multi-index clustering." }
        }
        switch encoding {
        case .none: break
        case .scalar(let bits):
            guard [4, 6, 8].contains(bits) else { return "Scalar Quantizer's bits must be 4, 6 or 8." }
        case .product(let parts, let bits):
            guard parts > 1 else { return "Product Quantizer's subquantizers must be > 1." }
            guard parts <= dimensions, dimensions.isMultiple(of: parts) else {
                return "Product Quantizer's subquantizers must be a factor of dimensions."
            }
            guard VectorOptions.partBitRange.contains(bits) else { return "Product Quantizer's bits must be >= 4 and <= 12." }
        }
        guard minimumTraining >= 0, maximumTraining >= 0 else { return "training sizes must not be negative." }
        if minimumTraining > 0, maximumTraining > 0, minimumTraining > maximumTraining {
            return "minTrainingSize must be <= maxTrainingSize."
        }
        guard (0...centroids).contains(probes) else { return "numProbes must be <= centroids." }
        return nil
    }
}

extension VectorOptions.Clustering {
    /// `flat256`, `multi2x8`
    fileprivate init?(name: String) {
        let text = name.lowercased()
        if text.hasPrefix("flat"), let count = Int(text.dropFirst(4)) {
            self = .flat(count)
        } else if text.hasPrefix("multi") {
            let numbers = text.dropFirst(5).split(separator: "x", omittingEmptySubsequences: false)
            guard numbers.count == 2, let parts = Int(numbers[0]), let bits = Int(numbers[1]), bits <= 12 else { return nil }
            self = .multi(parts: parts, bits: bits)
        } else {
            return nil
        }
    }
}
