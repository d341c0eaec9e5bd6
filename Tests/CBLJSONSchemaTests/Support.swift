import CBLFleece

@testable import CBLJSONSchema

/// A schema and values in JSON, checked as an app would, with and without a table of keys.
struct Sample {
    let schema: JSONSchema

    init(_ text: String, _ options: JSONSchema.Options = .init(), _ others: [String: String] = [:]) throws {
        schema = try JSONSchema(parsing: text, options) { others[$0].map { Array($0.utf8) } }
    }

    /// What is wrong, as `pointer: message`. It has to be the same in all ways to find out.
    func failures(_ json: String, limit: Int = 20) throws -> [JSONSchema.Failure] {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        let data = try encoder.finish()
        let shared = FleeceEncoder(sharedKeys: SharedKeysBuilder())
        try JSONParser.parse(json, into: shared)
        let keys = shared.sharedKeys?.state
        let sharedData = try shared.finish()
        let failures = try data.withRoot { try schema.failures(of: $0, nil, limit: limit) }
        let sharedFailures = try sharedData.withRoot { try schema.failures(of: $0, keys, limit: limit) }
        let isValid = try data.withRoot { try schema.isValid($0, nil) }
        let isSharedValid = try sharedData.withRoot { try schema.isValid($0, keys) }
        guard isValid == failures.isEmpty, isSharedValid == isValid,
            sharedFailures.map(\.message).sorted() == failures.map(\.message).sorted()
        else { throw Difference(failures: failures, sharedFailures: sharedFailures, isValid: isValid, isSharedValid: isSharedValid) }
        return failures
    }

    func isValid(_ json: String) throws -> Bool { try failures(json).isEmpty }

    struct Difference: Error {
        let failures: [JSONSchema.Failure]
        let sharedFailures: [JSONSchema.Failure]
        let isValid: Bool
        let isSharedValid: Bool
    }
}

/// The error that a schema is refused with; nil if it is not.
func refusal(of text: String, _ options: JSONSchema.Options = .init(), _ others: [String: String] = [:]) -> JSONSchemaError? {
    do throws(JSONSchemaError) {
        _ = try JSONSchema(parsing: text, options) { others[$0].map { Array($0.utf8) } }
        return nil
    } catch {
        return error
    }
}
