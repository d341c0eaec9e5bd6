import CBLBase
import Synchronization
import Testing

@testable import CBLFleece

struct SharedKeysTests {
    @Test(arguments: [
        ("sixteen_chars-16", true), ("seventeen_chars_17", false), ("dots.in.key", false), ("café", false), ("$", false), ("a b", false),
        ("", true), ("A-Z_09", true), ("a\0", false),
    ])
    func onlyShortPlainKeysAreEligible(_ key: String, _ isEligible: Bool) {
        let keys = SharedKeysBuilder()
        #expect(keys.add(key) == (isEligible ? 0 : nil))
        #expect(keys.state.index(ofKey: key) == (isEligible ? 0 : nil))
        #expect(keys.state.count == (isEligible ? 1 : 0))
    }

    @Test func theTableTakes2048KeysAndFindsThemAgain() throws {
        let keys = SharedKeysBuilder()
        let names = (0..<2048).map { String(repeating: "k", count: $0 % 12) + "\($0)" }
        for (index, name) in names.enumerated() { #expect(keys.add(name) == index) }
        #expect(keys.add("one-more") == nil)
        for (index, name) in names.enumerated() {
            #expect(keys.state.index(ofKey: name) == index)
            #expect(keys.state.string(at: index) == name)
        }
        let copy = try keys.state.encoded().withBytes { try SharedKeys(encoded: $0) }
        #expect((0..<copy.count).map { copy.string(at: $0) } == names)
        #expect(keys.state.bytes(at: 2048) == nil && keys.state.bytes(at: -1) == nil)
    }

    @Test func revertingForgetsTheNewest() {
        let keys = SharedKeysBuilder()
        for name in ["a", "bb", "ccc"] { _ = keys.add(name) }
        let identity = keys.state.identity
        keys.revert(toCount: 1)
        #expect(
            keys.state.count == 1 && keys.state.index(ofKey: "a") == 0 && keys.state.index(ofKey: "bb") == nil
                && keys.state.string(at: 1) == nil)
        #expect(keys.state.identity != identity)
        #expect(keys.add("ccc") == 1)
        keys.revert(toCount: 5)
        #expect(keys.state.count == 2)
    }

    /// What was read with a state stays readable with it, whatever becomes of the table.
    @Test func aStateStaysWhatItIs() {
        let keys = SharedKeysBuilder()
        let empty = keys.state
        for name in ["a", "bb"] { _ = keys.add(name) }
        let two = keys.state
        for name in ["ccc", "dddd"] { _ = keys.add(name) }
        #expect(empty.count == 0 && empty.index(ofKey: "a") == nil && empty.bytes(at: 0) == nil)
        #expect(two.count == 2 && two.index(ofKey: "bb") == 1 && two.index(ofKey: "ccc") == nil && two.string(at: 2) == nil)
        #expect(two.identity == keys.state.identity && keys.state.index(ofKey: "ccc") == 2)
        let four = keys.state
        keys.revert(toCount: 1)
        _ = keys.add("other")
        #expect(four.index(ofKey: "bb") == 1 && four.index(ofKey: "other") == nil)
        #expect(keys.state.index(ofKey: "other") == 1 && keys.state.index(ofKey: "bb") == nil)
        #expect(four.identity != keys.state.identity)
    }

    @Test func eachChangeIsTold() throws {
        let keys = SharedKeysBuilder()
        var told: [Int] = []
        keys.onChange = { told.append($0.count) }
        for name in ["a", "bb", "a", "no key."] { _ = keys.add(name) }
        keys.revert(toCount: 1)
        let stored = SharedKeysBuilder()
        for name in ["a", "x", "y", "z"] { _ = stored.add(name) }
        try stored.state.encoded().withBytes { try keys.update(from: $0) }
        #expect(told == [1, 2, 1, 4])
    }

    /// Threads read with the states that they were given, while the table grows.
    @Test func statesAreReadWhileTheTableGrows() {
        let keys = SharedKeysBuilder()
        let states = Mutex<[SharedKeys]>([])
        let wrong = Atomic<Int>(0)
        let readers = (0..<2).map { _ in
            WorkerThread {
                for round in 0..<20_000 {
                    guard let state = states.withLock({ $0.isEmpty ? nil : $0[round % $0.count] }) else { continue }
                    let index = round % SharedKeys.capacity
                    let isThere = index < state.count
                    if state.index(ofKey: "key\(index)") != (isThere ? index : nil) { wrong.add(1, ordering: .relaxed) }
                    if state.string(at: index) != (isThere ? "key\(index)" : nil) { wrong.add(1, ordering: .relaxed) }
                }
            }
        }
        for index in 0..<SharedKeys.capacity {
            _ = keys.add("key\(index)")
            if index % 8 == 0 { states.withLock { $0.append(keys.state) } }
        }
        for reader in readers { reader.join() }
        #expect(wrong.load(ordering: .relaxed) == 0)
    }

    @Test(arguments: ["", "3000", "7000", "6001 0001 8002", "426162008002", "6001 5161 8002"])
    func aDamagedTableIsRefused(_ text: String) {
        hex(text).withUnsafeBytes { bytes in
            _ = #expect(throws: FleeceError.self) { try SharedKeys(encoded: bytes) }
        }
    }

    @Test func aStoredTableMustContinueTheKnownOne() throws {
        let keys = SharedKeysBuilder()
        _ = keys.add("a")
        let older = keys.state.encoded()
        _ = keys.add("b")
        let newer = keys.state.encoded()
        let other = SharedKeysBuilder()
        _ = other.add("x")
        let table = SharedKeysBuilder()
        try older.withBytes { try table.update(from: $0) }
        try newer.withBytes { try table.update(from: $0) }
        #expect(table.state.count == 2)
        #expect(throws: FleeceError.self) { try older.withBytes { try table.update(from: $0) } }
        #expect(throws: FleeceError.self) { try newer.withBytes { try other.update(from: $0) } }
    }
}
