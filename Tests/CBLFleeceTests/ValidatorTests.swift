import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLFleece

struct ValidatorTests {
    struct File: Decodable {
        struct Case: Decodable {
            let hex: String
            let json: String?
        }
        let cases: [Case]
    }

    @Test(.enabled(if: Fixtures.arePresent, Comment(rawValue: Fixtures.absence)))
    func theReferencesVerdictsAreOurs() throws {
        let text = try Data(contentsOf: URL(filePath: Fixtures.path("fleece/validation.json")))
        let file = try JSONDecoder().decode(File.self, from: text)
        #expect(file.cases.count > 20)
        for sample in file.cases {
            let isValid = (try? Validator.validate(FleeceData(hex(sample.hex)))) != nil
            #expect(isValid == (sample.json != nil), "\(sample.hex)")
        }
    }

    @Test(arguments: [
        ("nothing", ""), ("odd length", "300030"), ("no root", "3000 3000"), ("a pointer to itself", "8000"),
        ("a pointer out of the bytes", "0000 8002"), ("an external pointer without external data", "6001 0000 c002"),
        ("an array's item behind the pointer", "6001 8001 8002"), ("a string longer than the bytes", "4461 6200 8002"),
        ("a count that never ends", "4fff ffff ffff ffff ffff ffff 8006"), ("a huge count", "67ff ffff ffff 0f00 8004"),
        ("a count of 2^64", "67ff ffff ffff ffff ffff ff01 8006"),
        ("an undefined root", "3c00"), ("NaN", "2800 0000 0000 0000 f87f 8005"), ("an unknown special", "3100"),
        ("a third kind of number", "2c00 0000 0000 0000 0000 8005"),
        ("a string that is not UTF-8", "41ff"), ("half a surrogate pair", "43ed a080 8002"),
        ("keys out of order", "7002 4162 0000 4161 0000 8005"),
        ("a key twice", "7002 4161 0000 4161 0000 8005"), ("a key that is null", "7001 3000 0000 8003"),
        ("a negative key", "7001 0fff 0000 8003"),
        ("a parent that is no dictionary", "7001 0800 0000 8003"), ("a chain of three pointers in a slot", "0000 8000 0001 6001 8003 8002"),
        ("a shared key beyond the table", "7001 0005 0000 8003"),
    ])
    func damageIsFound(_ what: String, _ text: String) {
        #expect(throws: FleeceError.self, "\(what)") { try Validator.validate(FleeceData(hex(text)), keyCount: 5) }
    }

    @Test(arguments: [
        "0000", "3000", "6000", "7000", "0000 8001", "7001 0004 0000 8003", "7001 4000 7000 8003", "7001 0800 7000 8003",
        "6002 0000 8001 8003", "24ed 0000 4040 8003", "2000 cdcc cc3d 8003", "20ed cdcc cc3d 8003", "28ff 9a99 9999 9999 b93f 8005",
    ])
    func whatIsUnusualButRightIsAccepted(_ text: String) throws {
        try Validator.validate(FleeceData(hex(text)), keyCount: 5)
    }

    @Test func externalPointersMustCrossTheBoundary() throws {
        let base = FleeceData(hex("42616100 42626200 6002 8005 8004 4672656d6f746500 7002 000b 8009 001b 8008 8005"))
        func check(_ text: String) throws {
            let extra = FleeceData(hex(text))
            try Validator.validate(FleeceData(data: extra.bytes, base: base.bytes))
        }
        try check("00000000 7001 412e c00a 8003")
        #expect(throws: FleeceError.self) { try check("00000000 7001 412e 800a 8003") }
        #expect(throws: FleeceError.self) { try check("00000000 7001 412e c001 8003") }
        #expect(throws: FleeceError.self) { try Validator.validate(FleeceData(hex("00000000 7001 412e c00a 8003"))) }
    }

    @Test func nestingIsBoundedNotRecursed() throws {
        func nested(_ levels: Int) -> FleeceData {
            // An empty array, and around it one array per four bytes.
            var bytes = hex("6000 6001 8002")
            for _ in 2..<max(levels, 2) { bytes += hex("6001 8003") }
            return FleeceData(bytes + hex("8002"))
        }
        for levels in [2, 128, Limits.depth] { try Validator.validate(nested(levels)) }
        #expect(throws: FleeceError.tooDeep) { try Validator.validate(nested(Limits.depth + 2)) }
        #expect(throws: FleeceError.tooDeep) { try Validator.validate(nested(1_000_000)) }
    }

    @Test func sharedCollectionsAreCheckedOnceAndCounted() throws {
        // Each array holds the one before it twice: 2^100 paths in 600 bytes.
        var bytes = hex("6000")
        for _ in 0..<100 { bytes += hex("6002 8004 8005") }
        bytes[4...7] = [0x80, 0x02, 0x80, 0x03]
        bytes += hex("8003")
        let data = FleeceData(bytes)
        #expect(throws: FleeceError.endless) { try Validator.validate(data) }
        // A walk over it ends too.
        let copy = FleeceData(bytes)
        data.withRoot { root in
            copy.withRoot { #expect(!root.isEqual(to: $0)) }
            let encoder = FleeceEncoder()
            encoder.write(root, keys: nil)
            #expect(encoder.failure != nil)
        }
    }
}
