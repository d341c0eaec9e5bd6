import CBLFleece
import CBLFunctions
import CBLTestSupport
import Testing

@testable import CBLShell

/// What a model's program may answer, and what becomes of anything else.
@Suite struct ModelTextTests {
    private func answer(_ text: String) throws -> String {
        switch try ModelText.answer(Array(text.utf8)) {
        case .output(let data): data.withRoot { $0.json() }
        case .nothing: "nothing"
        case .error(let message): "error: \(message)"
        }
    }

    @Test(arguments: [
        ("null", "nothing"), (" null ", "nothing"), ("{}", "{}"), (#"{"a":[1,{"b":null}]}"#, #"{"a":[1,{"b":null}]}"#),
        (#"{"error":"no"}"#, "error: no"), (#"{"error":"no","a":1}"#, #"{"a":1,"error":"no"}"#), (#"{"error":5}"#, #"{"error":5}"#),
        (#"{"error":null}"#, #"{"error":null}"#),
    ])
    func anObjectOrNullIsAnAnswer(text: String, expected: String) throws { #expect(try answer(text) == expected) }

    @Test(arguments: [
        "", " ", "{", "}", "[", "nul", "{}{}", "{} x", "'a'", "{a:1}", "{\"a\":1,}", "{\"a\":NaN}", "\u{0}", "{\"a\":\"\u{1}\"}",
    ])
    func everythingElseIsNoJSON(text: String) throws {
        let error = #expect(throws: ModelTextError.self) { try ModelText.answer(Array(text.utf8)) }
        if case .noJSON = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test(arguments: ["[]", "7", "-1.5", "true", "\"text\"", "[{}]"])
    func aValueThatIsNoObjectIsNoAnswer(text: String) throws {
        let error = #expect(throws: ModelTextError.self) { try ModelText.answer(Array(text.utf8)) }
        if case .noObject = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func noBytesBringItDown() throws {
        let valid = Array(#"{"a":[1.5,"ä\n",true,null],"error":{"b":-7}}"#.utf8)
        func survives(_ bytes: [UInt8]) {
            guard case .output(let data)? = try? ModelText.answer(bytes) else { return }
            #expect(data.withRoot { $0.dictionary != nil })
        }
        for length in valid.indices { survives(Array(valid[..<length])) }
        for bit in 0..<(valid.count * 8) {
            var bytes = valid
            bytes[bit / 8] ^= 1 << (bit % 8)
            survives(bytes)
        }
        var random = SeededRandom(19)
        let alphabet = Array("{}[]\",:0123456789.eE+-truefalsn\\u \t\u{7f}".utf8) + [0, 0xC3, 0xFF, 0xED, 0xA0]
        for _ in 0..<20_000 {
            survives((0..<Int.random(in: 0..<40, using: &random)).map { _ in alphabet.randomElement(using: &random) ?? 0 })
        }
        survives(Array(String(repeating: "[", count: 100_000).utf8))
        survives(Array((String(repeating: "{\"a\":", count: 5000) + "1" + String(repeating: "}", count: 5000)).utf8))
    }

    // Questions

    private func input(_ json: String, _ database: FunctionContext = FunctionContext()) throws -> (FleeceData, (Value) -> PredictionInput) {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        return (try encoder.finish(), { PredictionInput(value: $0, keys: nil, database: database) })
    }

    private func question(_ json: String, _ database: FunctionContext = FunctionContext()) throws -> String {
        let (data, input) = try input(json, database)
        return try data.withRoot { try ModelText.question(input($0)).string }
    }

    @Test func aQuestionIsALine() throws {
        #expect(try question("{}") == "{}\n")
        #expect(try question(#"{"a":[1,{"b":"x\ny"}],"c":null}"#) == #"{"a":[1,{"b":"x\ny"}],"c":null}"# + "\n")
    }

    @Test func theContentOfABlobGoesAlong() throws {
        let database = FunctionContext()
        database.blobContent = { blob, keys in blob.value(forKey: "digest", keys)?.string == "there" ? [1, 2, 3] : nil }
        #expect(
            try question(#"{"p":[{"@type":"blob","data":"old","digest":"there"}]}"#, database)
                == #"{"p":[{"@type":"blob","data":"AQID","digest":"there"}]}"# + "\n")
        let gone = #"{"p":{"@type":"blob","data":"old","digest":"gone"}}"#
        #expect(try question(gone, database) == gone + "\n")
    }

    @Test func threadsTakeTurns() async throws {
        let program = ModelProgram(try ModelDeclaration("m=cat"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for thread in 0..<6 {
                group.addTask {
                    for number in 0..<50 {
                        let encoder = FleeceEncoder()
                        encoder.beginDictionary()
                        encoder.writeKey("n")
                        encoder.write(Int64(thread * 1000 + number))
                        encoder.endDictionary()
                        let data = try encoder.finish()
                        let answer = try data.withRoot { root in
                            try program.answer(PredictionInput(value: root, keys: nil, database: FunctionContext()))
                        }
                        #expect(answer?.withRoot { $0.json() } == "{\"n\":\(thread * 1000 + number)}")
                    }
                }
            }
            try await group.waitForAll()
        }
        program.end()
    }

    @Test(arguments: ["", "m", "=", "=x", "m=", "m=  "])
    func aDeclarationHasANameAndAProgram(text: String) { #expect(throws: CommandError.self) { try ModelDeclaration(text) } }

    @Test func theFirstEqualsSignPartsThem() throws {
        let declaration = try ModelDeclaration("a b=x=1 y --z=2")
        #expect(declaration.name == "a b" && declaration.command == "x=1 y --z=2")
    }
}
