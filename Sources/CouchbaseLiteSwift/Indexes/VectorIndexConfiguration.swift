internal import CBLVectors
import Foundation

/// Makes vector indexes known to the library.
public class Extension {
    private init() {}

    /// Nothing has to be made known: vector search is part of this library. Programs that were written for the vendor's call it.
    public static func enableVectorSearch() throws {}
}

/// In how many bits each number of a vector is kept.
public enum ScalarQuantizerType: UInt32, Sendable {
    /// Four bits: smallest, and least exact.
    case SQ4 = 4
    /// Six bits.
    case SQ6 = 6
    /// Eight bits: the default.
    case SQ8 = 8
}

/// How the vectors of an index are kept.
public enum VectorEncoding: Equatable, Sendable {
    /// As they are.
    case none
    /// Each number in fewer bits.
    case scalarQuantizer(type: ScalarQuantizerType)
    /// Cut into so many parts, each kept in so many bits.
    case productQuantizer(subquantizers: UInt32, bits: UInt32)
}

/// What the distance of two vectors is.
public enum DistanceMetric: UInt32, Sendable {
    /// The square of the distance in space: the default, and quicker than its root with the same order.
    case euclideanSquared = 1
    /// One less the cosine of the angle: lengths do not matter.
    case cosine = 2
    /// The distance in space.
    case euclidean = 3
    /// The negated dot product.
    case dot = 4
}

/// An index over vectors, which finds those that are close to another.
public struct VectorIndexConfiguration: IndexConfiguration, Sendable {
    /// What gives the vector of a document, in SQL++.
    public let expression: String
    /// How many numbers a vector has.
    public let dimensions: UInt32
    /// Into how many groups vectors are put.
    public let centroids: UInt32
    /// Whether the program computes the vectors, when it likes, instead of the expression.
    public var isLazy: Bool = VectorIndexConfiguration.defaultIsLazy
    /// By default eight bits for each number.
    public var encoding: VectorEncoding = .scalarQuantizer(type: VectorIndexConfiguration.defaultEncoding)
    /// By default the squared distance in space.
    public var metric: DistanceMetric = VectorIndexConfiguration.defaultDistanceMetric
    /// How many vectors are needed before groups are made; 0 leaves it to the index.
    public var minTrainingSize: UInt32 = VectorIndexConfiguration.defaultMinTrainingSize
    /// How many vectors groups are made of at most; 0 leaves it to the index.
    public var maxTrainingSize: UInt32 = VectorIndexConfiguration.defaultMaxTrainingSize
    /// How many groups a search looks at; 0 leaves it to the index.
    public var numProbes: UInt32 = VectorIndexConfiguration.defaultNumProbes

    /// Dimensions are from 2 to 4096, centroids from 1 to 64000; others end the program.
    public init(expression: String, dimensions: UInt32, centroids: UInt32) {
        programmerErrorUnless((2...4096).contains(dimensions), .invalidArgument, "A vector has 2 to 4096 dimensions, not \(dimensions).")
        programmerErrorUnless((1...64000).contains(centroids), .invalidArgument, "There are 1 to 64000 centroids, not \(centroids).")
        self.expression = expression
        self.dimensions = dimensions
        self.centroids = centroids
    }

    /// False: the expression gives the vectors when a document is saved.
    public static let defaultIsLazy: Bool = false
    /// Eight bits for each number.
    public static let defaultEncoding: ScalarQuantizerType = .SQ8
    /// The squared distance in space.
    public static let defaultDistanceMetric: DistanceMetric = .euclideanSquared
    /// 0: left to the index.
    public static let defaultMinTrainingSize: UInt32 = 0
    /// 0: left to the index.
    public static let defaultMaxTrainingSize: UInt32 = 0
    /// 0: left to the index.
    public static let defaultNumProbes: UInt32 = 0

    /// Ends the program if what was set makes no sense.
    func check() {
        if case .productQuantizer(let subquantizers, let bits) = encoding {
            programmerErrorUnless(
                subquantizers > 1 && dimensions % subquantizers == 0, .invalidArgument,
                "The \(dimensions) dimensions of a vector cannot be cut into \(subquantizers) equal parts.")
            programmerErrorUnless((4...12).contains(bits), .invalidArgument, "A product quantizer has 4 to 12 bits, not \(bits).")
        }
        programmerErrorUnless(
            maxTrainingSize == 0 || minTrainingSize <= maxTrainingSize, .invalidArgument,
            "The least number of vectors to train with, \(minTrainingSize), is above the greatest, \(maxTrainingSize).")
    }

    /// The same for the core.
    var options: VectorOptions {
        var options = VectorOptions(dimensions: Int(dimensions), centroids: Int(centroids))
        switch encoding {
        case .none: options.encoding = .none
        case .scalarQuantizer(let type): options.encoding = .scalar(bits: Int(type.rawValue))
        case .productQuantizer(let parts, let bits): options.encoding = .product(parts: Int(parts), bits: Int(bits))
        }
        switch metric {
        case .euclideanSquared: options.metric = .squaredEuclidean
        case .cosine: options.metric = .cosine
        case .euclidean: options.metric = .euclidean
        case .dot: options.metric = .dot
        }
        options.minimumTraining = Int(minTrainingSize)
        options.maximumTraining = Int(maxTrainingSize)
        options.probes = Int(numProbes)
        options.isLazy = isLazy
        return options
    }
}
