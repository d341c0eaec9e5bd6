import CBLFleece
import Synchronization

/// The models that `prediction(model, input[, property])` asks, by name: one list for the whole process.
///
///     PredictionModels.set({ input in try answer(to: input.value) }, named: "sizes")
///
/// It is looked at in each call: queries and triggers see what is there now.
package enum PredictionModels {
    /// Makes a dictionary of a dictionary; nil for none. An error fails the query with the error's description. Models are called on any thread,
    /// and must not use the connection that asks.
    package typealias Model = @Sendable (_ input: PredictionInput) throws -> FleeceData?

    private static let models = Mutex<[String: Model]>([:])

    /// Replaces what had the name before; nil takes it away.
    package static func set(_ model: Model?, named name: String) { models.withLock { $0[name] = model } }

    package static func model(_ name: String) -> Model? { models.withLock { $0[name] } }
}

/// What a model is asked about. It is only valid during the call.
package struct PredictionInput {
    /// A dictionary.
    package let value: Value
    /// Those that the names in it refer to.
    package let keys: SharedKeys?
    package let database: FunctionContext

    package init(value: Value, keys: SharedKeys?, database: FunctionContext) {
        self.value = value
        self.keys = keys
        self.database = database
    }

    /// The content of a blob in it; nil if that is not there.
    package func content(of blob: DictionaryView) -> [UInt8]? { database.blobContent?(blob, keys) }
}
