import CBLFleece
import FoundationEssentials

@testable import CBLJSONSchema

/// Runs files of the official suite.
enum OfficialSuite {
    static let folder = ProcessInfo.processInfo.environment["CBLITE_JSON_SCHEMA_SUITE"]

    struct Outcome {
        var passed = 0
        var failed: [String] = []
    }

    private static func name(of draft: Draft) -> String {
        switch draft {
        case .draft4: "draft4"
        case .draft6: "draft6"
        case .draft7: "draft7"
        case .draft2019: "draft2019-09"
        case .draft2020: "draft2020-12"
        }
    }

    static func run(_ draft: Draft, in part: String, formats: FormatRule = .asDraft) throws -> Outcome {
        let path = "\(folder ?? "")/tests/\(name(of: draft))/\(part)"
        var outcome = Outcome()
        for file in try FileManager.default.contentsOfDirectory(atPath: path).sorted() where file.hasSuffix(".json") {
            try run(path + file, part + file, draft, formats, &outcome)
        }
        return outcome
    }

    private static func run(_ path: String, _ name: String, _ draft: Draft, _ formats: FormatRule, _ outcome: inout Outcome) throws {
        for group in try groups(path) {
            let schema: JSONSchema
            do throws(JSONSchemaError) {
                schema = try JSONSchema(parsing: group.schema, .init(draft: draft, formats: formats), source: remote)
            } catch {
                outcome.failed.append("\(name): \(group.description): \(error)")
                continue
            }
            for test in group.tests { check(test, schema, "\(name): \(group.description)", &outcome) }
        }
    }

    private static func check(_ test: Case, _ schema: JSONSchema, _ name: String, _ outcome: inout Outcome) {
        do {
            let encoder = FleeceEncoder()
            try JSONParser.parse(test.data, into: encoder)
            let data = try encoder.finish()
            let shared = FleeceEncoder(sharedKeys: SharedKeysBuilder())
            try JSONParser.parse(test.data, into: shared)
            let keys = shared.sharedKeys?.state
            let sharedData = try shared.finish()
            let isValid = try data.withRoot { try schema.isValid($0, nil) }
            let isValidWithKeys = try sharedData.withRoot { try schema.isValid($0, keys) }
            let failures = try data.withRoot { try schema.failures(of: $0, nil) }
            if isValid == test.isValid, isValidWithKeys == test.isValid, failures.isEmpty == test.isValid {
                outcome.passed += 1
            } else {
                outcome.failed.append("\(name): \(test.description): \(isValid) \(isValidWithKeys) \(failures)")
            }
        } catch {
            outcome.failed.append("\(name): \(test.description): \(error)")
        }
    }

    struct Group {
        var description: String
        var schema: String
        var tests: [Case]
    }

    struct Case {
        var description: String
        var data: String
        var isValid: Bool
    }

    private static func groups(_ path: String) throws -> [Group] {
        let encoder = FleeceEncoder()
        let text = try String(contentsOfFile: path, encoding: .utf8)
        // Numbers that are beyond a double have no place in a document.
        guard (try? JSONParser.parse(text, into: encoder)) != nil else { return [] }
        return try encoder.finish().withRoot { root in
            (root.array.map(Array.init) ?? []).map { group in
                let members = group.dictionary
                let tests = members?.value(forKey: "tests", nil)?.array.map(Array.init) ?? []
                return Group(
                    description: members?.value(forKey: "description", nil)?.string ?? "",
                    schema: json(members?.value(forKey: "schema", nil)),
                    tests: tests.map {
                        Case(
                            description: $0.dictionary?.value(forKey: "description", nil)?.string ?? "",
                            data: json($0.dictionary?.value(forKey: "data", nil)),
                            isValid: $0.dictionary?.value(forKey: "valid", nil)?.boolean == true)
                    })
            }
        }
    }

    private static func json(_ value: Value?) -> String {
        var buffer = ByteBuffer()
        JSONWriter.write(value ?? .undefined, keys: nil, to: &buffer)
        return buffer.string
    }

    private static func remote(_ uri: String) -> [UInt8]? {
        guard uri.hasPrefix("http://localhost:1234/"), let folder else { return nil }
        return FileManager.default.contents(atPath: folder + "/remotes/" + uri.dropFirst(22)).map(Array.init)
    }
}
