import CBLFleece
import Synchronization

/// A schema, ready to check values. Any thread may use it; each that does so at the same time gets memory of its own for it.
///
///     let schema = try JSONSchema(parsing: text)
///     if try !schema.isValid(body, keys) {
///         for failure in try schema.failures(of: body, keys) { print(failure) }
///     }
package final class JSONSchema: Sendable {
    package struct Options: Sendable {
        /// What a schema is written in that does not say so itself. If this does not say it either, it is draft 2020-12, or draft 4 if the
        /// schema has an `id` and no `$id`.
        package var draft: Draft?
        /// Where the schema is: what its references are relative to.
        package var location: String
        package var formats: FormatRule
        /// How many times one call may apply a schema to a value.
        package var stepLimit: Int

        package init(draft: Draft? = nil, location: String = "", formats: FormatRule = .asDraft, stepLimit: Int = 20_000_000) {
            self.draft = draft
            self.location = location
            self.formats = formats
            self.stepLimit = stepLimit
        }
    }

    /// What the schema is written in.
    package let draft: Draft
    let program: SchemaProgram
    let stepLimit: Int
    private let idle = Mutex<[Idle]>([])

    // Sendable: only one thread has it at a time.
    private struct Idle: @unchecked Sendable {
        let evaluator: Evaluator
    }

    /// Compiles the JSON text of a schema. Other documents that it refers to come from `source`, which is called with their URIs; those of the
    /// drafts themselves are known.
    package init(
        parsing text: [UInt8], _ options: Options = Options(), source: @escaping (String) -> [UInt8]? = { _ in nil }
    ) throws(JSONSchemaError) {
        let library = SchemaLibrary(source: source)
        let place = try library.addRoot(text, uri: options.location, draft: options.draft)
        draft = place.resource.dialect.draft
        stepLimit = options.stepLimit
        program = try SchemaCompiler(library: library, formats: options.formats).compile(place)
    }

    package convenience init(
        parsing text: String, _ options: Options = Options(), source: @escaping (String) -> [UInt8]? = { _ in nil }
    ) throws(JSONSchemaError) {
        try self.init(parsing: Array(text.utf8), options, source: source)
    }

    /// Whether a value is valid. This stops at the first thing that is wrong. `keys` is the table that the value was encoded with.
    package func isValid(_ value: Value, _ keys: SharedKeys?) throws(JSONSchemaError) -> Bool {
        let evaluator = borrow()
        defer { give(evaluator) }
        return try evaluator.isValid(value, keys)
    }

    /// What is wrong with a value: nothing if it is valid, and otherwise at least one thing and at most `limit`.
    package func failures(of value: Value, _ keys: SharedKeys?, limit: Int = 20) throws(JSONSchemaError) -> [Failure] {
        let evaluator = borrow()
        defer { give(evaluator) }
        return try evaluator.failures(of: value, keys, limit: max(limit, 1))
    }

    /// The same for JSON text.
    package func failures(ofJSON text: UnsafeRawBufferPointer, limit: Int = 20) throws -> [Failure] {
        let encoder = FleeceEncoder()
        try JSONParser.parse(text, into: encoder)
        return try encoder.finish().withRoot { try failures(of: $0, nil, limit: limit) }
    }

    /// For whoever checks many values in a row on one thread: this saves looking for free memory before each. It is not for two threads.
    package func checker() -> Checker { Checker(evaluator: Evaluator(self)) }

    package struct Checker {
        fileprivate let evaluator: Evaluator

        package func isValid(_ value: Value, _ keys: SharedKeys?) throws(JSONSchemaError) -> Bool {
            try evaluator.isValid(value, keys)
        }

        package func failures(of value: Value, _ keys: SharedKeys?, limit: Int = 20) throws(JSONSchemaError) -> [Failure] {
            try evaluator.failures(of: value, keys, limit: max(limit, 1))
        }
    }

    private func borrow() -> Evaluator {
        idle.withLock { $0.popLast() }?.evaluator ?? Evaluator(self)
    }

    private func give(_ evaluator: Evaluator) {
        let kept = Idle(evaluator: evaluator)
        idle.withLock { if $0.count < 16 { $0.append(kept) } }
    }
}
