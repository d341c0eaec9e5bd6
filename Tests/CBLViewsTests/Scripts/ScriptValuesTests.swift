import CBLFleece
import CBLTestSupport
import Testing

@testable import CBLViews

@Suite struct ScriptValuesTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-1", "2047", "123456789012", "9007199254740992", "-9007199254740992", "1.5", "-0.001", "1e+300",
        ##""""##, ##""a""##, ##""a longer text of more than fifteen bytes""##, ##""ünïcödé""##, ##""日本語""##, ##""😀 and 🎉""##,
        ##""\u0000\u0001""##,
        ##""\"\\/""##, "[]", "{}", "[[[[[[[]]]]]]]", ##"{"":1}"##, ##"{"a":{"b":{"c":[1,2,{"d":null}]}}}"##,
        ##"{"__proto__":1,"constructor":2}"##,
        ##"{"hasOwnProperty":1,"length":3,"toJSON":4,"toString":5,"valueOf":{}}"##, ##"{"0":1,"2":3,"-1":4}"##,
        ##"["ü",["😀",["x",["y",["z",[1]]]]]]"##,
    ])
    func valuesComeBackAsTheyWent(json: String) throws {
        // Whole, as members, and by way of what the function touches alone.
        #expect(try sorted(ScriptBench("function (value) { return value; }").result(json)) == sorted(json))
        #expect(try sorted(ScriptBench("function (value) { return [value.inner]; }").result("{\"inner\":\(json)}")) == sorted("[\(json)]"))
        let rows = try ScriptBench(mapping("emit(doc.inner, {v: doc.inner})")).rows("{\"inner\":\(json)}")
        #expect(rows == ["\(try sorted(json)) → \(try sorted("{\"v\":\(json)}"))"])
    }

    /// The text with the members of all objects in the order that encodings have.
    private func sorted(_ json: String) throws -> String {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        return try encoder.finish().withRoot { root in
            var buffer = ByteBuffer()
            _ = JSONWriter.write(root, keys: nil, to: &buffer)
            return buffer.string
        }
    }

    @Test func textsAreInUnitsOfTheLanguage() throws {
        let bench = try ScriptBench(
            "function (s) { return [s.length, s.charCodeAt(0), s.charAt(0), s.substring(0, 2), s.split('').reverse().join('')]; }")
        #expect(try bench.result(##""😀x""##) == "[3,55357,\"\u{FFFD}\",\"😀\",\"x\u{FFFD}\u{FFFD}\"]")
        #expect(
            try ScriptBench("function () { return ['\\ud83d\\ude00', '\\ud83d', {a: '\\ude00', '\\ud83d\\ude00': 1}]; }").result()
                == "[\"😀\",\"\u{FFFD}\",{\"a\":\"\u{FFFD}\",\"😀\":1}]")
    }

    @Test func textsThatAreNotUTF8AreMended() throws {
        let bench = try ScriptBench(mapping("for (var key in doc) emit(key, doc[key]); emit(Object.getOwnPropertySymbols(doc).length)"))
        for bad: [UInt8] in [
            [0xFF, 0x61], [0x80, 0x61], [0x81], [0x82, 0xFF], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82],
        ] {
            let encoder = FleeceEncoder()
            encoder.beginDictionary()
            bad.withUnsafeBytes { bytes in
                encoder.writeKey(bytes)
                encoder.writeString(bytes)
            }
            encoder.endDictionary()
            let rows = try bench.rows(encoder.finish(), keys: nil)
            try #require(rows.count == 5)
            #expect(rows[0].contains("\u{FFFD}"))
            #expect(rows[4] == "0 → nothing")
        }
    }

    @Test func dataIsBase64() throws {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        encoder.writeKey("data")
        [UInt8](0..<10).withUnsafeBytes { encoder.writeData($0) }
        encoder.endDictionary()
        #expect(try ScriptBench(mapping("emit(doc.data)")).rows(encoder.finish(), keys: nil) == [##""AAECAwQFBgcICQ==" → nothing"##])
    }

    @Test func numbersOfKeysAreThoseOfTheirTable() throws {
        let bench = try ScriptBench(mapping("emit(doc.a, doc.b)"))
        let whole = try ScriptBench(mapping("emit(doc.a, doc.b)"), touchesEverything: true)
        let (first, second) = (SharedKeysBuilder(), SharedKeysBuilder())
        _ = second.add("b")
        for _ in 0..<3 {
            for keys in [first, second, nil] {
                #expect(try bench.rows(##"{"a":1,"b":2}"##, keys: keys) == ["1 → 2"])
                #expect(try whole.rows(##"{"a":1,"b":2}"##, keys: keys) == ["1 → 2"])
            }
        }
        // Two tables in one call.
        let call = try ScriptBench("function (x, y) { return [x.a, y.a, x.b, y.b]; }")
        let values = try [first, second].map { keys in
            let encoder = FleeceEncoder(sharedKeys: keys)
            try JSONParser.parse(##"{"a":"A","b":"B"}"##, into: encoder)
            return try encoder.finish()
        }
        let result = try call.runner.call(call.function) { arguments in
            arguments.write(values[0].root, keys: first.state)
            arguments.write(values[1].root, keys: second.state)
        }
        var texts: [String?] = []
        try result.encoded().withRoot { root in for item in try #require(root.array) { texts.append(item.string) } }
        withExtendedLifetime(values) {}
        #expect(texts == ["A", "A", "B", "B"])
    }

    @Test func argumentsThatAreNotCompleteAreAnError() throws {
        let bench = try ScriptBench("function (a) { return a; }")
        let writers: [(ScriptArguments) -> Void] = [
            { $0.beginArray() }, { $0.endArray() }, { $0.beginObject() },
            {
                $0.writeNull(); $0.endObject()
            },
            {
                $0.beginArray(); $0.beginArray(); $0.endArray()
            },
            {
                $0.endArray(); $0.beginArray()
            },
            {
                $0.beginObject(); $0.writeNull(); $0.endObject()
            },
            {
                $0.beginObject(); $0.writeKey("a"); $0.endObject()
            },
        ]
        for write in writers {
            #expect(throws: ScriptError.self) { _ = try bench.runner.call(bench.function, write) }
            #expect(try bench.result("1") == "1")
        }
    }

    @Test func nothingIsNestedTooDeepForTheStack() throws {
        for depth in [80, 250] {
            let encoder = FleeceEncoder()
            for _ in 0..<depth {
                encoder.beginDictionary()
                encoder.writeKey("a")
            }
            encoder.writeNull()
            for _ in 0..<depth { encoder.endDictionary() }
            let body = try encoder.finish()
            let bench = try ScriptBench(mapping("var n = 0; for (var o = doc; o; o = o.a) n++; emit(n); emit(null, doc)"))
            if depth < 89 {
                #expect(try bench.rows(body, keys: nil).first == "\(depth) → nothing")
            } else {
                let error = #expect(throws: ScriptError.self) { try bench.rows(body, keys: nil) }
                #expect(error?.message == "RangeError: the value is nested too deep")
            }
        }
    }

    @Test(arguments: DataBomb.all)
    func endlessDocumentsAreErrors(bomb: DataBomb) throws {
        let bench = try ScriptBench(mapping("emit(1, doc)"), limits: ScriptLimits(time: .seconds(600), memory: 16 << 20))
        #expect(throws: ScriptError.self) { try bench.rows(FleeceData(bomb.bytes), keys: nil) }
        #expect(try bench.rows("{}").count == 1)
    }
}
