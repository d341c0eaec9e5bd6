import CBLTestSupport
import Testing

@testable import CBLFleece

/// Paths of properties and tables of shared keys, as they stand in files and queries.
@Suite struct HostileKeyTests {
    @Test func randomPathsAreReadOrRefused() throws {
        let paths = [
            "a.b[3].c", "$.x\\.y", "contacts[].emails[-1]", "[0][1]", "\\$a\\[0\\]", "é\u{301}.🇩🇪", "x[99999999999999999999]", "a..b",
            "[-2147483648]",
        ]
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        encoder.writeKey("a")
        encoder.beginArray()
        encoder.write(Int64(1))
        encoder.endArray()
        encoder.endDictionary()
        let data = try encoder.finish()
        var random = SeededRandom(31)
        var (read, refused) = (0, 0)
        repeatWithin(seconds: 0.5) {
            let bytes = Mutation.mutated(Array(random.element(of: paths).utf8), &random)
            let path = bytes.withUnsafeBytes { try? KeyPath($0) }
            data.withRoot { root in _ = path?.evaluate(in: root, keys: nil) }
            if path == nil { refused += 1 } else { read += 1 }
        }
        #expect(read > 100 && refused > 100)
    }

    @Test func randomTablesOfKeysAreTakenWholeOrNotAtAll() throws {
        let keys = SharedKeysBuilder()
        for name in ["name", "type", "x", "a_long_key"] { _ = keys.add(name) }
        let encoded = keys.state.encoded()
        let whole = withExtendedLifetime(encoded) { Array(encoded.bytes) }
        var random = SeededRandom(37)
        repeatWithin(seconds: 0.5) {
            let bytes = Mutation.mutated(whole, &random)
            let table = SharedKeysBuilder()
            _ = table.add("name")
            do {
                try bytes.withUnsafeBytes { try table.update(from: $0) }
                for index in 0..<table.state.count { #expect(table.state.bytes(at: index) != nil) }
            } catch {
                #expect(table.state.count == 1)
            }
            #expect(table.state.string(at: 0) == "name")
        }
    }
}
