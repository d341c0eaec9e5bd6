import CBLFleece
import CBLTestSupport
import Testing

@testable import CBLViews

/// One function, and documents for it.
final class ScriptBench {
    let runner: ScriptRunner
    let program: ScriptProgram
    let function: ScriptRunner.Function
    var logs: [String] = []

    /// Without a limit that a slow machine reaches, unless a test is about that.
    init(_ source: String, limits: ScriptLimits = ScriptLimits(time: .seconds(600)), touchesEverything: Bool = false) throws {
        var program = try ScriptProgram(source, name: "test")
        if touchesEverything { program.touched = .everything }
        self.program = program
        runner = try ScriptRunner(limits: limits)
        function = try runner.add(program)
        runner.onLog = { [unowned self] name, text in logs.append("\(name): \(text)") }
    }

    /// The rows for a document in JSON, as `key → value`.
    func rows(_ json: String, keys: SharedKeysBuilder? = nil, conflicts: [String] = []) throws -> [String] {
        let encoder = FleeceEncoder(sharedKeys: keys)
        try JSONParser.parse(json, into: encoder)
        return try rows(encoder.finish(), keys: keys?.state, conflicts: conflicts)
    }

    func rows(_ body: FleeceData, keys: SharedKeys?, conflicts: [String] = []) throws -> [String] {
        var rows: [String] = []
        try withDocument(body, keys, conflicts) { document in
            try runner.map(function, document) { row in
                let value = row.value.isUndefined ? "nothing" : try text(row.value)
                rows.append("\(try text(row.key)) → \(value)")
            }
        }
        return rows
    }

    func accepts(_ json: String, parameters: [(name: String, value: String)] = []) throws -> Bool {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        return try withDocument(try encoder.finish(), nil, []) { try runner.filter(function, $0, parameters: parameters) }
    }

    /// What it gives when it is called with these values in JSON.
    func result(_ arguments: String...) throws -> String {
        let values = try arguments.map { argument in
            let encoder = FleeceEncoder()
            try JSONParser.parse(argument, into: encoder)
            return try encoder.finish()
        }
        let result = try runner.call(function) { call in
            for value in values { call.write(value.root, keys: nil) }
        }
        defer { withExtendedLifetime(values) {} }
        return result.isUndefined ? "nothing" : try text(result)
    }

    func error(_ json: String = "{}") -> ScriptError? {
        do {
            _ = try rows(json)
            return nil
        } catch { return error as? ScriptError }
    }

    private func withDocument<Result>(
        _ body: FleeceData, _ keys: SharedKeys?, _ conflicts: [String], _ use: (ScriptDocument) throws -> Result
    ) throws -> Result {
        let (id, revision) = (Array("the-id".utf8), Array("2-abc".utf8))
        return try id.withUnsafeBytes { id in
            try revision.withUnsafeBytes { revision in
                try body.withRoot { root in
                    try use(ScriptDocument(body: root, keys: keys, id: id, revision: revision, sequence: 7, conflicts: conflicts))
                }
            }
        }
    }

    private func text(_ value: ScriptValue) throws -> String {
        try value.encoded().withRoot { root in
            var buffer = ByteBuffer()
            #expect(JSONWriter.write(root, keys: nil, to: &buffer))
            return buffer.string
        }
    }
}

/// A map function around these statements.
func mapping(_ statements: String) -> String { "function (doc) { \(statements) }" }
