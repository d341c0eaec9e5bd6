import CBLBase
import CBLQuery
import CBLStore
import CBLVectors

/// The part of `mkindex` that is about vector indexes.
enum VectorIndexFlags {
    static let metrics = ["euclidean_squared", "euclidean", "cosine", "dot"]
    private static let names = ["dimensions", "centroids", "metric", "encoding", "probes", "minTraining", "maxTraining", "lazy"]

    /// Flags of vector indexes make no sense for others.
    static func refuse(_ invocation: Invocation) throws(CommandError) {
        if let name = names.first(where: { invocation.count($0) > 0 }) {
            throw invocation.usageError("--\(name) is for vector indexes: --vector")
        }
    }

    static func definition(_ name: String, _ text: String?, _ invocation: Invocation) throws -> IndexDefinition {
        let others = ["fts", "unnest", "predict", "outputs", "where", "language", "ignoreDiacritics", "noStemming", "stopWords"]
        if let other = others.first(where: { invocation.count($0) > 0 }) {
            throw invocation.usageError("--vector and --\(other) exclude each other")
        }
        guard let text else { throw invocation.usageError("EXPRESSIONS are missing: what gives the vector, such as embedding") }
        let collection = try invocation.collectionName()
        let options = try options(invocation, collection)
        return try QueryReport.describing(text) {
            try IndexDefinition(name: name, in: collection, .vector(options), text, language: invocation.flag("json") ? .json : nil)
        }
    }

    private static func options(_ invocation: Invocation, _ collection: CollectionName) throws -> VectorOptions {
        guard let dimensions = invocation.int("dimensions") else {
            throw invocation.usageError("a vector index needs --dimensions N: how many numbers a vector has")
        }
        var options = VectorOptions(dimensions: dimensions, centroids: 1)
        options.clustering = .flat(try invocation.int("centroids") ?? usualCentroids(invocation, collection))
        if let metric = invocation.string("metric").flatMap({ VectorMetric(name: $0) }) { options.metric = metric }
        if let name = invocation.string("encoding") {
            guard let encoding = VectorEncoding(name: name) else {
                throw invocation.usageError("--encoding is none, SQ8, SQ6, SQ4 or such as PQ32x8, not \"\(TerminalText.escaped(name))\"")
            }
            options.encoding = encoding
        }
        options.probes = invocation.int("probes") ?? 0
        options.minimumTraining = invocation.int("minTraining") ?? 0
        options.maximumTraining = invocation.int("maxTraining") ?? 0
        options.isLazy = invocation.flag("lazy")
        if let problem = options.problem { throw invocation.usageError("a vector index's \(problem)") }
        return options
    }

    /// The vendor's advice: the square root of the number of documents; but no more than there are documents to learn them from.
    private static func usualCentroids(_ invocation: Invocation, _ collection: CollectionName) throws -> Int {
        let count = try invocation.database().read { snapshot in
            try snapshot.counts(of: invocation.existing(collection, in: snapshot)).live
        }
        return min(max(min(Int(Double(count).squareRoot().rounded()), count / 25), 1), VectorOptions.centroidRange.upperBound)
    }
}
