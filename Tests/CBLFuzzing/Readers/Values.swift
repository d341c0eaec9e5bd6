@testable import CBLFleece

extension FuzzedReader {
    static let values = [
        FuzzedReader("fleece", "encoded values, and tables of shared keys", mostBytes: 1000, seeds: fleeceSeeds, readFleece),
        FuzzedReader("json", "JSON and JSON5", mostBytes: 1000, texts: jsonSeeds, readJSON),
        FuzzedReader("delta", "changes of documents, and of texts in them", mostBytes: 1000, texts: deltaSeeds, readDelta),
        FuzzedReader("keypath", "paths of properties", mostBytes: 200, texts: ["a.b[0]", "$.a\\.b[-1].c", ".a[12]"]) { bytes in
            let path = try withCopy(of: bytes) { try KeyPath($0) }
            documents[0].withRoot { _ = path.evaluate(in: $0, keys: nil) }
            return true
        },
    ]

    private static let jsonSeeds = [
        #"{"name":{"first":"Ada"},"age":36,"tags":["math","é\u00e9\ud83d\ude00"],"score":9.75e-3,"big":12345678901234567890,"a":-0.0}"#,
        "{ünï: 'x\\'\\x41\\\n', $b: +.5, c: 0xFF, /* d */ d: [5., -.5,], // e\n}", "[true,false,null]",
    ]
    private static let deltaSeeds = [
        #"{"a":[1],"b":{"c":2},"text":["@10=+new;5-3=",0,2],"gone":[]}"#, #"{"list":{"0":5,"2-":[7]},"new":[{"x":1}]}"#, "[1]",
    ]
    private static let fleeceSeeds = jsonSeeds.compactMap { text in (try? encoded(text))?.withBytes { Array($0) } }
    private static let documents =
        [
            #"{"a":1,"b":{"c":1,"d":[]},"list":[1,2,[3]],"text":"a text of some words that is long enough for patches","gone":null}"#,
            #"["x",{"y":"z"}]"#,
        ].compactMap { try? encoded($0) }
    private static let names = ["name", "age", "type", "tags", "x"]

    private static func encoded(_ text: String, _ dialect: JSONDialect = .json) throws -> FleeceData {
        let encoder = FleeceEncoder()
        try JSONParser.parse(text, dialect, into: encoder)
        return try encoder.finish()
    }

    private static func json(_ data: FleeceData, _ style: JSONStyle = .canonical) -> String {
        data.withRoot { $0.json(keys: nil, style: style) }
    }

    // MARK: Fleece

    private static func readFleece(_ bytes: [UInt8]) throws -> Bool {
        _ = try? withCopy(of: bytes) { try SharedKeys(encoded: $0) }
        let keys = SharedKeysBuilder()
        for name in names { _ = keys.add(name) }
        let data = withCopy(of: bytes) { FleeceData(data: $0, base: UnsafeRawBufferPointer(start: nil, count: 0)) }
        let isValid = (try? Validator.validate(data, options: .undefinedRoot)) != nil
        data.withRoot { root in
            var left = 5000
            visit(root, keys.state, &left)
            let encoder = FleeceEncoder()
            encoder.write(root, keys: keys.state)
            guard let copy = try? encoder.finish(), isValid, left > 0 else { return }
            do { try Validator.validate(copy, options: .undefinedRoot) } catch { require(false, "a copy is damaged: \(error)") }
            require(hasOddNumbers(root) || copy.withRoot { root.isEqual(to: $0, keys.state, nil) }, "a copy differs")
        }
        return isValid
    }

    /// Numbers that are not equal to themselves: a value with one is not either.
    private static func hasOddNumbers(_ value: Value) -> Bool {
        if let array = value.array { return array.contains { hasOddNumbers($0) } }
        if let dictionary = value.dictionary { return dictionary.contains { hasOddNumbers($0.0) || hasOddNumbers($0.1) } }
        return value.isUndefined || value.double.map { $0.isNaN } ?? false
    }

    /// Reads everything that can be read of a value.
    private static func visit(_ value: Value, _ keys: SharedKeys, _ left: inout Int, depth: Int = 0) {
        left -= 1
        guard left > 0, depth < Limits.depth else { return }
        _ = (value.kind, value.boolean, value.isUnsigned, value.isFloat, value.integer, value.unsigned, value.double)
        for bytes in [value.stringBytes, value.dataBytes] { _ = bytes?.reduce(0 as UInt8) { $0 ^ $1 } }
        if let array = value.array {
            _ = (array[-1].kind, array[.max].kind)
            for item in array where left > 0 { visit(item, keys, &left, depth: depth + 1) }
        }
        if let dictionary = value.dictionary {
            for (key, item) in dictionary where left > 0 {
                if let name = key.keyBytes(keys) { _ = dictionary.value(forKey: name, keys)?.kind }
                visit(item, keys, &left, depth: depth + 1)
            }
            _ = dictionary.value(forKey: "name", keys)?.kind
            _ = dictionary.value(forSharedKey: 3)?.kind
        }
        if depth == 0 {
            var output = ByteBuffer()
            JSONWriter.write(value, keys: keys, to: &output)
        }
    }

    // MARK: JSON

    private static func readJSON(_ bytes: [UInt8]) throws -> Bool {
        var isAccepted = false
        for dialect in [JSONDialect.json, .json5] {
            let encoder = FleeceEncoder()
            do throws(JSONError) {
                let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
                defer { copy.deallocate() }
                copy.copyBytes(from: bytes)
                try JSONParser.parse(UnsafeRawBufferPointer(copy), dialect, into: encoder)
            } catch {
                require((0...bytes.count).contains(error.offset) && error.line > 0 && error.column > 0, "an error at \(error.offset)")
                continue
            }
            guard let data = try? encoder.finish() else { continue }
            isAccepted = true
            let canonical = json(data)
            require((try? encoded(canonical)).map { json($0) } == canonical, "not read again: \(canonical)")
            let pretty = json(data, [.pretty, .json5])
            require((try? encoded(pretty, .json5)).map { json($0) } == canonical, "not read again: \(pretty)")
        }
        _ = withCopy(of: bytes) { bytes in
            Result { () throws(JSONError) in try JSONParser.parsePrefix(of: bytes, isWhole: false, into: FleeceEncoder()) }
        }
        return isAccepted
    }

    // MARK: Deltas

    private static func readDelta(_ bytes: [UInt8]) throws -> Bool {
        let results = documents.map { old in
            try? withCopy(of: bytes) { delta in
                let encoder = FleeceEncoder()
                try old.withRoot { try Delta.apply(delta, to: $0, keys: nil, into: encoder) }
                return try encoder.finish()
            }
        }
        for (old, new) in zip(documents, results) {
            guard let new else { continue }
            // What it makes of a document can be made again.
            guard let delta = try? old.withRoot({ old in try new.withRoot { try Delta.create(from: old, to: $0) } }) else { continue }
            let encoder = FleeceEncoder()
            try old.withRoot { try Delta.apply(delta, to: $0, keys: nil, into: encoder) }
            require(try json(encoder.finish()) == json(new), "\(delta) makes something else")
        }
        return results.contains { $0 != nil }
    }
}
