import CBLFleece
import Synchronization

/// The models that `prediction(model, input[, property])` asks, by name: one list for the whole process.
package enum PredictionModels {
    /// Makes a dictionary of a dictionary; nil for none. The input is only valid during the call.
    package typealias Model = @Sendable (_ input: Value, _ keys: SharedKeys?, _ databasePath: String) throws -> FleeceData?

    private static let models = Mutex<[String: Model]>([:])

    /// Replaces what had the name before; nil takes it away.
    package static func set(_ model: Model?, named name: String) { models.withLock { $0[name] = model } }

    static func model(_ name: String) -> Model? { models.withLock { $0[name] } }
}

enum PredictionFunction {
    static let rows = [
        FunctionRow("prediction", 2) { Call($0, $1, $2).prediction() }, FunctionRow("prediction", 3) { Call($0, $1, $2).prediction() },
    ]
}

extension Call {
    fileprivate func prediction() {
        guard let name = self[0].string else { return fail("the name of a predictive model must be a text") }
        guard let model = PredictionModels.model(name) else { return fail("there is no predictive model \"\(name)\"") }
        let input = self[1]
        if input.isMissing { return }
        let database = database
        guard let value = input.pointer ?? input.encodedValue, value.dictionary != nil else {
            return fail("the input of the predictive model \"\(name)\" must be a dictionary")
        }
        do {
            guard let output = try model(value, database.sharedKeys, database.databasePath) else { return }
            output.withRoot { set($0, of: count > 2 ? self[2].string : nil, database) }
        } catch {
            fail("the predictive model \"\(name)\" failed: \(error)")
        }
    }

    /// The output, or one property of it. Models have no shared keys.
    private func set(_ output: Value, of property: String?, _ database: FunctionContext) {
        guard let property else { return encode { $0.write(output, keys: nil) } }
        guard let path = try? KeyPath(property) else { return fail("\"\(property)\" is no path of a property") }
        set(path.evaluate(in: output, keys: nil))
    }
}
