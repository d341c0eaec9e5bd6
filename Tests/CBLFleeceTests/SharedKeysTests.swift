import Testing

@testable import CBLFleece

struct SharedKeysTests {
    @Test(arguments: [
        ("sixteen_chars-16", true), ("seventeen_chars_17", false), ("dots.in.key", false), ("café", false), ("$", false), ("a b", false),
        ("", true), ("A-Z_09", true), ("a\0", false),
    ])
    func onlyShortPlainKeysAreEligible(_ key: String, _ isEligible: Bool) {
        let keys = SharedKeys()
        #expect(keys.add(key) == (isEligible ? 0 : nil))
        #expect(keys.index(ofKey: key) == (isEligible ? 0 : nil))
        #expect(keys.count == (isEligible ? 1 : 0))
    }

    @Test func theTableTakes2048KeysAndFindsThemAgain() throws {
        let keys = SharedKeys()
        let names = (0..<2048).map { String(repeating: "k", count: $0 % 12) + "\($0)" }
        for (index, name) in names.enumerated() { #expect(keys.add(name) == index) }
        #expect(keys.add("one-more") == nil)
        for (index, name) in names.enumerated() {
            #expect(keys.index(ofKey: name) == index)
            #expect(keys.string(at: index) == name)
        }
        let copy = try keys.encoded().withBytes { try SharedKeys(encoded: $0) }
        #expect((0..<copy.count).map { copy.string(at: $0) } == names)
        #expect(keys.bytes(at: 2048) == nil && keys.bytes(at: -1) == nil)
    }

    @Test func revertingForgetsTheNewest() {
        let keys = SharedKeys()
        for name in ["a", "bb", "ccc"] { _ = keys.add(name) }
        let identity = keys.identity
        keys.revert(toCount: 1)
        #expect(keys.count == 1 && keys.index(ofKey: "a") == 0 && keys.index(ofKey: "bb") == nil && keys.string(at: 1) == nil)
        #expect(keys.identity != identity)
        #expect(keys.add("ccc") == 1)
        keys.revert(toCount: 5)
        #expect(keys.count == 2)
    }

    @Test func aReadOnlyTableStaysAsItIs() {
        let keys = SharedKeys()
        _ = keys.add("a")
        keys.isReadOnly = true
        #expect(keys.add("b") == nil && keys.add("a") == 0)
    }

    @Test(arguments: ["", "3000", "7000", "6001 0001 8002", "426162008002", "6001 5161 8002"])
    func aDamagedTableIsRefused(_ text: String) {
        hex(text).withUnsafeBytes { bytes in
            _ = #expect(throws: FleeceError.self) { try SharedKeys(encoded: bytes) }
        }
    }

    @Test func aStoredTableMustContinueTheKnownOne() throws {
        let keys = SharedKeys()
        _ = keys.add("a")
        let older = keys.encoded()
        _ = keys.add("b")
        let newer = keys.encoded()
        let other = SharedKeys()
        _ = other.add("x")
        let table = try older.withBytes { try SharedKeys(encoded: $0) }
        try newer.withBytes { try table.update(from: $0) }
        #expect(table.count == 2)
        #expect(throws: FleeceError.self) { try older.withBytes { try table.update(from: $0) } }
        #expect(throws: FleeceError.self) { try newer.withBytes { try other.update(from: $0) } }
    }
}
