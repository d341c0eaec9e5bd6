internal import CBLQuery
internal import CBLStore
import Foundation

/// What has indexes.
public protocol Indexable {
    /// The names of all indexes, in no particular order.
    func indexes() throws -> [String]
    /// Makes an index, and fills it. If there is the same one, nothing happens; another of that name is replaced.
    func createIndex(withName name: String, config: IndexConfiguration) throws
    /// Makes an index, and fills it. If there is the same one, nothing happens; another of that name is replaced.
    func createIndex(_ index: Index, name: String) throws
    /// Deletes an index. If there is none, nothing happens.
    func deleteIndex(forName name: String) throws
    /// An index by its name; nil if there is none.
    func index(withName name: String) throws -> QueryIndex?
}

extension Collection: Indexable {
    /// The names of the indexes.
    public func indexes() throws -> [String] { try storedIndexes().map(\.name) }

    /// Makes an index, and fills it. If there is the same one, nothing happens; another of that name is replaced.
    public func createIndex(withName name: String, config: IndexConfiguration) throws {
        switch config {
        case let config as ValueIndexConfiguration:
            try create(name, .value, .sqlpp, config.expressions.joined(separator: ","), where: config.where)
        case let config as FullTextIndexConfiguration:
            let language = config.language ?? IndexLanguage.ofProcess
            let options = options(language: language.flatMap { $0.isEmpty ? nil : $0 }, config.ignoreAccents)
            try create(name, .fullText(options), .sqlpp, config.expressions.joined(separator: ","), where: config.where)
        case let config as ArrayIndexConfiguration:
            try create(name, .array(path: config.path), .sqlpp, config.expressions?.joined(separator: ",") ?? "")
        case let config as VectorIndexConfiguration:
            config.check()
            try create(name, .vector(config.options), .sqlpp, config.expression)
        default:
            programmerError(.invalidArgument, "\(type(of: config)) is no index: only the configurations of this library are.")
        }
    }

    /// Makes an index, and fills it. If there is the same one, nothing happens; another of that name is replaced.
    public func createIndex(_ index: Index, name: String) throws {
        switch index {
        case let index as ValueIndex: try create(name, .value, .json, QueryJSON.array(index.items).text)
        case let index as FullTextIndex:
            let options = options(language: index.options.language, index.options.ignoresAccents)
            try create(name, .fullText(options), .json, QueryJSON.array(index.items).text)
        case let index as PredictiveIndex: try create(name, .predictive, .json, QueryJSON.array([index.call]).text)
        default: programmerError(.invalidArgument, "\(type(of: index)) is no index: only those that IndexBuilder makes are.")
        }
    }

    private func options(language: String?, _ ignoresAccents: Bool) -> FullTextOptions {
        var options = FullTextOptions()
        options.language = language
        options.ignoresDiacritics = ignoresAccents
        return options
    }

    private func create(
        _ name: String, _ kind: IndexDefinition.Kind, _ language: IndexDefinition.Language, _ text: String, where condition: String? = nil
    ) throws {
        try write { transaction in
            let definition = try IndexDefinition(name: name, in: coreName, kind, text, where: condition, language: language)
            _ = try transaction.createIndex(definition)
        }
    }

    /// Deletes an index. If there is none, nothing happens.
    public func deleteIndex(forName name: String) throws {
        try write { transaction in
            guard try transaction.indexes().contains(where: { $0.name == name && $0.collection == coreName }) else { return }
            try transaction.dropIndex(name)
        }
    }

    /// An index by its name; nil if there is none.
    public func index(withName name: String) throws -> QueryIndex? {
        try storedIndexes().contains { $0.name == name } ? QueryIndex(name, of: self) : nil
    }

    func storedIndexes() throws -> [StoredIndex] {
        try read { snapshot in try snapshot.indexes().filter { $0.collection == coreName } }
    }

    /// All that is known of each index.
    func indexesInfo() throws -> [[String: Any]]? {
        try storedIndexes().map { index in
            let (language, text) = IndexSpecification.Source.parts(of: index.expression ?? "")
            var info: [String: Any] = [
                "name": index.name, "type": NSNumber(value: index.type), "lang": language == .json ? "json" : "n1ql", "expr": text,
            ]
            if let condition = index.condition { info["where"] = condition }
            if index.kind == .array, let path = index.tableName?.components(separatedBy: ":unnest:").last {
                info["unnestPath"] = path.filter { $0 != "\\" }
            }
            return info
        }
    }
}

/// An index that there is.
public class QueryIndex: @unchecked Sendable {
    /// Whose documents are in it.
    public let collection: Collection
    /// What it was called when it was made.
    public let name: String

    init(_ name: String, of collection: Collection) {
        self.name = name
        self.collection = collection
    }

    /// Takes up to so many documents whose vectors are to be computed by the program; nil if there are none. Only lazy vector indexes have such.
    public func beginUpdate(limit: UInt64) throws -> IndexUpdater? {
        programmerErrorUnless(limit > 0, .invalidArgument, "An update of an index must be for at least one document.")
        let core = try collection.openCore()
        return try translatingErrors {
            try VectorUpdate(of: name, in: collection.coreName, limit: Int(clamping: limit), in: core).map {
                IndexUpdater($0, of: collection)
            }
        }
    }
}
