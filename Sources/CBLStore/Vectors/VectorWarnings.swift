import CBLFunctions
import CBLVectors
import Synchronization

/// What one may well want to know of a vector index, though everything goes on. The description is in the vendor's words.
package enum VectorWarning: Sendable, CustomStringConvertible {
    /// A search has to look at all vectors, since the index has not learned from any yet.
    case untrained(VectorIndex)
    /// A document has something that is no vector; of which property, if the index is of one.
    case noVector(VectorProblem, property: String?)
    /// Fewer vectors to learn from were asked for than its lists need.
    case tooFewToLearnFrom(VectorOptions)

    package var description: String {
        switch self {
        case .untrained(let index):
            let present = index.id == nil ? 0 : index.pending
            return "SQLite warning: vectorsearch: Untrained index; queries may be slow. \(index.options.neededForTraining) vectors needed "
                + "for training; \(present) present."
        case .noVector(let problem, let property):
            return "Updating vector index: \(property.map { "Property '\($0)' " } ?? "")\(problem.rawValue); ignoring"
        case .tooFewToLearnFrom(let options):
            return "SQLite warning: vectorsearch: minTrainingSize of \(options.minimumTraining) is too small; raising it to "
                + "\(options.neededForTraining), based on \(options.centroids) centroids."
        }
    }
}

/// Who hears of them.
package enum VectorWarnings {
    package typealias Listener = @Sendable (VectorWarning) -> Void

    private static let listener = Mutex<Listener?>(nil)

    package static func setListener(_ hear: Listener?) { listener.withLock { $0 = hear } }

    static var current: Listener? { listener.withLock { $0 } }

    /// Before a search.
    package static func warn(_ index: VectorIndex) {
        if !index.isTrained, let hear = current { hear(.untrained(index)) }
    }
}
