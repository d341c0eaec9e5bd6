import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLFleece

@Suite struct DeltaTests {
    /// The delta between two texts, and canonical JSON of what it makes of the first.
    private func delta(_ old: String, _ new: String, keys: SharedKeysBuilder? = nil) throws -> (delta: String, applied: String) {
        let oldData = try encoded(old, .json5, keys: keys)
        let newData = try encoded(new, .json5, keys: keys)
        let delta = try oldData.withRoot { old in try newData.withRoot { new in try Delta.create(from: old, to: new, keys: keys?.state) } }
        return (delta, try applied(delta, to: oldData, keys: keys))
    }

    private func applied(_ delta: String, to old: FleeceData, keys: SharedKeysBuilder? = nil) throws -> String {
        let encoder = FleeceEncoder(sharedKeys: keys)
        try old.withRoot { try Delta.apply(delta, to: $0, keys: keys?.state, into: encoder) }
        return try encoder.finish().json(keys: keys?.state, style: .canonical)
    }

    private func canonical(_ text: String) throws -> String { try rewritten(text, .json5, style: .canonical) }

    struct Vectors: Decodable {
        struct Created: Decodable { let old, new, delta, applied: String }
        struct Applied: Decodable { let old, delta: String; let result: String? }
        let created: [Created]
        let applied: [Applied]
    }

    private func vectors() throws -> Vectors {
        try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: URL(filePath: Fixtures.path("fleece/deltas.json"))))
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func createdDeltasAreTheReferences() throws {
        for item in try vectors().created {
            let made = try delta(item.old, item.new)
            // Any edit script of a text will do.
            if !item.delta.contains(",0,2]") { #expect(made.delta == item.delta) }
            #expect(made.delta.utf8.count <= item.delta.utf8.count, "\(made.delta)")
            #expect(made.applied == item.applied)
            #expect(try applied(item.delta, to: encoded(item.old)) == item.applied)
            let keys = SharedKeysBuilder()
            let shared = try delta(item.old, item.new, keys: keys)
            #expect(shared.applied == item.applied)
        }
    }

    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func appliedDeltasGiveWhatTheReferenceMakesOfThem() throws {
        for item in try vectors().applied {
            let old = try encoded(item.old)
            if let result = item.result {
                #expect(try applied(item.delta, to: old) == result, "\(item.delta)")
            } else {
                #expect(throws: DeltaError.self, "\(item.delta)") { try applied(item.delta, to: old) }
            }
        }
    }

    /// The suite of jsondiffpatch. Its deltas of arrays are of another kind; all others are understood.
    @Test(.enabled(if: Fixtures.arePresent, "\(Fixtures.absence)")) func theForeignSuiteRoundTrips() throws {
        let data = try encoded(String(contentsOfFile: Fixtures.path("fleece/DeltaTests.json5"), encoding: .utf8), .json5)
        var count = 0
        try data.withRoot { root in
            for (section, tests) in try #require(root.dictionary) {
                for test in tests.array.map(Array.init) ?? [] where test.dictionary != nil {
                    let sides = ["left", "right"].map { test.dictionary?.value(forKey: $0, nil)?.json() }
                    guard let left = sides[0], let right = sides[1] else { continue }
                    count += 1
                    #expect(try delta(left, right).applied == canonical(right))
                    #expect(try delta(right, left).applied == canonical(left))
                    guard section.string != "arrays" else { continue }
                    for (name, start, end) in [("delta", left, right), ("reverse", right, left)] {
                        guard let theirs = test.dictionary?.value(forKey: name, nil)?.json() else { continue }
                        #expect(try applied(theirs, to: encoded(start)) == canonical(end), "\(theirs)")
                    }
                }
            }
        }
        #expect(count > 40)
    }

    @Test(arguments: [
        ("{a: 1}", "{a: 1, b: {c: [1, {d: 2}]}}", #"{"b":[{"c":[1,{"d":2}]}]}"#),
        ("[1, 2, [3]]", "[1, 2, [4, 5]]", #"{"2":{"0":4,"1-":[5]}}"#),
        ("{a: -0.0}", "{a: 0.0}", #"{"a":0.0}"#),
        ("{a: 18446744073709551615}", "{a: -1}", #"{"a":-1}"#),
        (#"{"": 1}"#, #"{"": 2}"#, #"{"":2}"#),
        ("1", "2", "[2]"), ("1", "1", "{}"), ("'x'", "{}", "[{}]"), ("[]", "[]", "{}"),
        (#"{"q\"": 1}"#, #"{"q\"": null}"#, #"{"q\"":null}"#),
    ])
    func createdDelta(old: String, new: String, expected: String) throws {
        let made = try delta(old, new)
        #expect(made.delta == expected)
        #expect(try made.applied == canonical(new))
    }

    @Test(arguments: [
        "{\"a\":", "", "{\"a\":1", "[1,2,3]", "[[],0,2]", "[\"1=\",0,2]", "{\"s\":[\"99999999999999999999999999=\",0,2]}",
        "{\"s\":[\"9223372036854775807+x|\",0,2]}", "{\"s\":[\"-1=\",0,2]}", "{\"s\":[\"=\",0,2]}", "{\"s\":[\"3\",0,2]}",
        "{\"s\":[\"3=\",0,2]}",
        "{\"s\":[\"5=1+|\",0,2]}", "{\"s\":[\"5=2+x|\",0,2]}", "{\"s\":[\"1=4-1+x\",0,2]}", "{\"s\":[\"5=x\",0,2]}",
        "{\"s\":[\"2=1-2=\",0,2]}",
        "{\"s\":[5,0,2]}", "{\"n\":[\"1=\",0,2]}", "{\"s\":[1,2,3,4]}", "{\"s\":{\"x\":1}}", "{\"new\":[1,2]}", "{\"l\":{\"1-\":5}}",
        "{\"new\":{\"1-\":5}}",
    ])
    func wrongDeltasAreRefused(delta: String) throws {
        // The string has a character of two bytes in the middle.
        let old = try encoded(#"{"s":"anöx","n":5,"l":[1,2,3]}"#)
        #expect(throws: DeltaError.self) { try applied(delta, to: old) }
    }

    @Test func errorsNameThePlace() throws {
        let old = try encoded(#"{"a":[{"b":1}]}"#)
        #expect(throws: DeltaError("the delta deletes what is not there").within("c").within("0").within("a")) {
            try applied(#"{"a":{"0":{"c":[]}}}"#, to: old)
        }
    }

    @Test func whatJSONCannotSayHasNoDelta() throws {
        let encoder = FleeceEncoder()
        encoder.beginArray()
        encoder.write(Double.infinity)
        encoder.endArray()
        let new = try encoder.finish()
        #expect(throws: DeltaError.self) {
            try new.withRoot { new in try FleeceData.emptyDictionary.withRoot { try Delta.create(from: $0, to: new) } }
        }
    }

    @Test func anItemMayBecomeUndefined() throws {
        let encoder = FleeceEncoder()
        encoder.beginArray()
        encoder.write(Int64(1))
        encoder.writeUndefined()
        encoder.endArray()
        let new = try encoder.finish()
        let old = try encoded("[1,2]")
        let delta = try old.withRoot { old in try new.withRoot { try Delta.create(from: old, to: $0) } }
        #expect(delta == #"{"1":[]}"#)
        #expect(try applied(delta, to: old) == "[1,undefined]")
    }

    @Test func documentsOfTheGreatestDepthHaveDeltas() throws {
        let deep = String(repeating: "[", count: 100) + "1" + String(repeating: "]", count: 100)
        #expect(try delta("{}", deep).applied == deep)
        #expect(try delta(deep, deep.replacing("1", with: "2")).applied == deep.replacing("1", with: "2"))
    }

    // Random pairs

    @Test func randomPairsRoundTrip() throws {
        var random = SeededRandom(7)
        let keys = SharedKeysBuilder()
        try repeatWithin(seconds: 2) {
            for _ in 0..<20 {
                var document = RandomDocument(random: random)
                let old = document.value(depth: 4)
                let new = document.variation(of: old)
                random = document.random
                let made = try delta(old.json, new.json, keys: random.next() & 1 == 0 ? nil : keys)
                let expected = try canonical(new.json)
                if made.applied != expected { Issue.record("\(old.json) to \(new.json) gave \(made.delta), which makes \(made.applied)") }
            }
        }
    }

    @Test func randomDeltasNeverCrash() throws {
        var random = SeededRandom(8)
        let seeds = [
            #"{"s":["1=1-1+Q|3=",0,2],"n":{"a":[1,0,0]},"l":{"0":[],"1":9,"2-":[1,2]}}"#, #"[{"a":1}]"#, #"{"l":{"3-":[4]},"n":{"x":[2]}}"#,
        ]
        let old = try encoded(#"{"s":"anöx","n":{"a":1},"l":[1,2,3]}"#)
        var (applied, refused) = (0, 0)
        repeatWithin(seconds: 1) {
            for _ in 0..<200 {
                var bytes = Array(random.element(of: seeds).utf8)
                for _ in 0...random.below(4) {
                    let place = random.below(bytes.count)
                    switch random.below(4) {
                    case 0: bytes[place] ^= 1 << UInt8(random.below(8))
                    case 1: bytes.remove(at: place)
                    case 2: bytes.insert(random.element(of: Array("0123456789=-+|[]{},\" ".utf8)), at: place)
                    default: bytes.replaceSubrange(place..<min(place + 3, bytes.count), with: bytes.suffix(random.below(6)))
                    }
                    if bytes.isEmpty { bytes = [0x30] }
                }
                let encoder = FleeceEncoder()
                do {
                    try bytes.withUnsafeBytes { delta in
                        try old.withRoot { try Delta.apply(delta, to: $0, keys: nil, into: encoder) }
                    }
                    let data = try encoder.finish()
                    try Validator.validate(data)
                    applied += 1
                } catch {
                    refused += 1
                    #expect(error is DeltaError, "\(String(decoding: bytes, as: UTF8.self)): \(error)")
                }
            }
        }
        #expect(applied > 10 && refused > 10)
    }
}
