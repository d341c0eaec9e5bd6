internal import CBLFleece
internal import CBLFunctions
import Foundation

/// Makes a dictionary of a dictionary, for example with the help of a trained network. Queries ask it with `PREDICTION()`.
public protocol PredictiveModel {
    /// Nil if there is nothing to say: for the query that is MISSING. It is called while a query runs, or a document is saved, on whichever
    /// thread, and must not change the database.
    func predict(input: DictionaryObject) -> DictionaryObject?
}

/// The predictive models of this program, by name. Queries of all databases can ask them.
///
///     Database.prediction.registerModel(EchoModel(), withName: "echo")
public class Prediction: @unchecked Sendable {
    fileprivate init() {}

    /// Has a model asked by this name, instead of the one that had it before.
    public func registerModel(_ model: PredictiveModel, withName name: String) {
        let model = Unchecked(model)
        PredictionModels.set({ try Prediction.ask(model.value, $0) }, named: name)
    }

    /// From now on, queries that name it fail. If there is none, nothing happens.
    public func unregisterModel(withName name: String) { PredictionModels.set(nil, named: name) }

    private static func ask(_ model: any PredictiveModel, _ input: PredictionInput) throws -> FleeceData? {
        let encoder = FleeceEncoder()
        encoder.write(input.value, keys: input.keys)
        let database = OpenDatabases.database(at: input.database.databasePath)
        let stored = StoredValues(try encoder.finish(), keys: nil, database: database)
        let dictionary = DictionaryObject(DictionaryStorage(stored.root, in: stored, isMutable: false))
        guard let output = model.predict(input: dictionary) else { return nil }
        encoder.reset()
        try output.storage.write(to: PropertyWriter(encoder: encoder, database: nil))
        return try encoder.finish()
    }
}

extension Database {
    /// The predictive models that queries can ask.
    public static let prediction = Prediction()
}
