import CBLFleece

enum PredictionFunction {
    static let rows = [
        FunctionRow("prediction", 2) { Call($0, $1, $2).prediction() }, FunctionRow("prediction", 3) { Call($0, $1, $2).prediction() },
    ]
}

extension Call {
    // The messages are the vendor's.
    fileprivate func prediction() {
        let name = self[0].string ?? ""
        guard let model = PredictionModels.model(name) else { return fail("Unknown ML model name '\(name)'") }
        let input = self[1]
        if input.isMissing || input.isNull { return }
        guard let value = input.pointer ?? input.encodedValue, value.dictionary != nil else {
            return fail("Parameter of prediction() must be a dictionary")
        }
        let database = database
        do {
            let output = try model(PredictionInput(value: value, keys: database.sharedKeys, database: database))
            guard let output else { return }
            output.withRoot { set($0, of: count > 2 ? self[2].string : nil, database) }
        } catch {
            fail("\(error)")
        }
    }

    /// The output, or one property of it. Models have no shared keys.
    private func set(_ output: Value, of property: String?, _ database: FunctionContext) {
        guard let property else { return encode { $0.write(output, keys: nil) } }
        guard let path = try? KeyPath(property) else { return fail("\"\(property)\" is no path of a property") }
        set(path.evaluate(in: output, keys: nil))
    }
}
