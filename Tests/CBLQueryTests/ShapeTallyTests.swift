import CBLFleece
import CBLTestSupport
import Testing

@testable import CBLQuery

@Suite struct ShapeTallyTests {
    private func tally(_ documents: [String], limits: ShapeTally.Limits = .init(), keys: SharedKeysBuilder = SharedKeysBuilder()) throws
        -> ShapeTally
    {
        var tally = ShapeTally(limits: limits)
        for json in documents {
            let encoder = FleeceEncoder()
            encoder.sharedKeys = keys
            try JSONParser.parse(json, into: encoder)
            let data = try encoder.finish()
            let isTaken = data.withBytes { tally.add(Value(root: $0) ?? .undefined, byteCount: $0.count, keys.state) }
            #expect(isTaken)
        }
        return tally
    }

    /// `name:count:types`, inner places in parentheses.
    private func outline(_ property: Shape.Property) -> String {
        let facts = property.facts
        let types = [
            ("n", facts.nulls), ("b", facts.booleans), ("i", facts.integers), ("d", facts.doubles), ("s", facts.strings),
            ("a", facts.arrays), ("o", facts.objects), ("blob", facts.blobs), ("?", facts.unreadable),
        ].filter { $0.1 > 0 }.map { "\($0.0)\($0.1)" }.joined()
        let inside = (property.items + property.members + property.properties).map(outline).joined(separator: " ")
        return property.name.text + ":" + types + (inside.isEmpty ? "" : "(\(inside))") + (property.isCut ? "…" : "")
    }

    @Test func propertiesAreCountedWithTheirTypes() throws {
        let shape = try tally([
            #"{"name": "Ada", "age": 36, "tags": ["a", "b"], "address": {"city": "London"}}"#,
            #"{"name": "Bob", "age": 1.5, "tags": [], "address": {"city": null, "zip": 7}}"#,
            #"{"name": true, "list": [{"x": 1}, {"x": 2, "y": [[1]]}]}"#,
        ]).shape
        #expect(
            shape.properties.map(outline) == [
                "name:b1s2", "address:o2(city:n1s1 zip:i1)", "age:i1d1", "tags:a2([]:s2)", "list:a1([]:o2(x:i2 y:a1([]:a1([]:i1))))",
            ])
        #expect(shape.documents == 3)
    }

    @Test func rangesLengthsAndDatesAreFound() throws {
        let shape = try tally([
            #"{"n": -5, "s": "äöü", "d": "2024-02-29T12:00:00Z", "a": [1,2,3]}"#,
            #"{"n": 1.5e10, "s": "", "d": "2023-01-01", "a": []}"#,
        ]).shape
        let facts = Dictionary(uniqueKeysWithValues: shape.properties.map { ($0.name.text, $0.facts) })
        #expect(facts["n"]?.numbers == Extent(least: -5, greatest: 1.5e10))
        #expect(facts["s"]?.textLengths == Extent(least: 0, greatest: 3))
        #expect(facts["s"]?.emptyTexts == 1)
        #expect(facts["d"]?.dates == 2)
        #expect(facts["d"]?.instants == Extent(least: 1_672_531_200_000, greatest: 1_709_208_000_000))
        #expect(facts["a"]?.arrayLengths == Extent(least: 0, greatest: 3))
        #expect(facts["n"]?.dates == 0)
    }

    @Test func referencesToBlobsAreATypeOfTheirOwn() throws {
        let shape = try tally([
            #"{"picture": {"@type": "blob", "digest": "sha1-x", "length": 12, "content_type": "image/png"}}"#,
            #"{"picture": {"@type": "blob", "digest": "sha1-y", "length": 7}}"#,
        ]).shape
        #expect(shape.properties.map(outline) == ["picture:blob2"])
        #expect(shape.properties.first?.facts.sizes == Extent(least: 7, greatest: 12))
        #expect(shape.properties.first?.facts.values.entries.map(\.value) == [.text("image/png", isWhole: true)])
    }

    /// Whatever is cut where, and taken in whichever order: the parts make the same whole.
    @Test(arguments: [ShapeTally.Limits(), ShapeTally.Limits(names: 4), ShapeTally.Limits(names: 2, depth: 3)])
    func partsMergeIntoTheWhole(limits: ShapeTally.Limits) throws {
        for seed in UInt64(1)...12 {
            var random = SeededRandom(seed)
            var documents: [String] = []
            for number in 0..<60 {
                let members = (0..<random.below(7)).map { index -> String in
                    let name = random.element(of: ["a", "b", "c", "d", "e", "longer than a shared key", "f\(random.below(90))"])
                    return "\"\(name)\(index)\": \(json(&random, depth: 3))"
                }
                documents.append("{" + (members + ["\"id\": \(number)"]).joined(separator: ",") + "}")
            }
            let whole = try tally(documents, limits: limits).shape
            for count in [0, 1, 17, 59, 60] {
                var first = try tally(Array(documents[..<count]), limits: limits)
                let second = try tally(documents[count...].reversed(), limits: limits)
                first.merge(second)
                #expect(first.shape == whole, "seed \(seed), cut at \(count)")
            }
        }
    }

    private func json(_ random: inout SeededRandom, depth: Int) -> String {
        switch depth == 0 ? random.below(5) : random.below(7) {
        case 0: return "\(random.below(200) - 100)"
        case 1: return "\(Double(random.below(1000)) / 8)"
        case 2: return "\"word \(random.below(300))\""
        case 3: return ["true", "false", "null"][random.below(3)]
        case 4: return "\"20\(10 + random.below(15))-0\(1 + random.below(9))-11\""
        case 5: return "[" + (0..<random.below(4)).map { _ in json(&random, depth: depth - 1) }.joined(separator: ",") + "]"
        default:
            return "{"
                + (0..<random.below(5)).map { "\"k\($0 * random.below(3))-\($0)\": \(json(&random, depth: depth - 1))" }
                .joined(separator: ",") + "}"
        }
    }

    @Test func anObjectWithTooManyNamesIsAMap() throws {
        let members = (0..<100_000).map { "\"user\($0)\": {\"seen\": \($0)}" }.joined(separator: ",")
        let found = try tally(["{\"visits\": {\(members)}, \"id\": 1}"])
        #expect(found.places.count < 2000)
        let shape = found.shape
        #expect(shape.properties.map(outline) == ["id:i1", "visits:o1(*:o100000(seen:i100000))"])
        let names = try #require(shape.properties.last?.names)
        #expect(!names.isComplete)
        #expect((85_000...115_000).contains(names.distinct))
        #expect(shape.properties.last?.members.first?.properties.first?.facts.numbers == Extent(least: 0, greatest: 99_999))
    }

    @Test func rareNamesWithTheSameInsideAreAMap() throws {
        let documents = (0..<600).map { "{\"translations\": {\"text\($0 % 60)\": \"t\", \"text\(($0 + 7) % 60)\": \"u\"}, \"id\": \($0)}" }
        #expect(try tally(documents).shape.properties.map(outline) == ["id:i600", "translations:o600(*:s1200)"])
        // A table with many columns is none.
        let columns = "{" + (0..<60).map { "\"column\($0)\": \($0)" }.joined(separator: ",") + "}"
        #expect(try tally([columns, columns]).shape.properties.count == 60)
    }

    @Test func whatIsNestedDeeplyIsCut() throws {
        let json = String(repeating: #"{"a":["#, count: 40) + String(repeating: "]}", count: 40)
        let shape = try tally([json]).shape
        var depth = 0
        var place = shape.document
        while let next = (place.properties + place.items).first {
            place = next
            depth += 1
        }
        #expect(depth == ShapeTally.Limits().depth)
        #expect(place.isCut)
    }

    @Test func memoryIsBoundedWhateverTheDocumentsAre() throws {
        var random = SeededRandom(5)
        var documents: [String] = []
        for _ in 0..<400 {
            documents.append(
                "{"
                    + (0..<40).map { _ in "\"\(random.next())\": {\"\(random.next())\": {\"\(random.next())\": 1}}" }
                    .joined(separator: ",") + "}")
        }
        #expect(try tally(documents).places.count <= ShapeTally.Limits().places)
    }

    /// Bytes that lead back to themselves again and again would take forever.
    @Test func documentsThatRepeatThemselvesWithoutEndAreDamaged() throws {
        // Each level refers twice to the one before.
        var bytes: [UInt8] = [0x00, 0x01]
        var previous = 0
        for _ in 0..<40 {
            let start = bytes.count
            func pointer(_ from: Int) -> [UInt8] {
                let distance = UInt16((from - previous) / 2)
                return [UInt8(0x80 | distance >> 8), UInt8(distance & 0xFF)]
            }
            bytes += [0x60, 0x02] + pointer(start + 2) + pointer(start + 4)
            previous = start
        }
        let start = bytes.count
        let distance = UInt16((start + 4 - previous) / 2)
        bytes += [0x70, 0x01, 0x00, 0x05, UInt8(0x80 | distance >> 8), UInt8(distance & 0xFF)]
        bytes += [0x80, 0x03]
        var tally = ShapeTally()
        let isTaken = bytes.withUnsafeBytes { tally.add(Value(root: $0) ?? .undefined, byteCount: $0.count, SharedKeys()) }
        #expect(!isTaken)
        #expect(tally.damaged == 1)
    }

    @Test func anyBytesAreTakenInWithoutHarm() throws {
        let keys = SharedKeysBuilder()
        let encoder = FleeceEncoder()
        encoder.sharedKeys = keys
        try JSONParser.parse(
            #"{"name": "Ada", "n": [1, 2.5, {"@type": "blob", "length": 5, "digest": "x"}], "o": {"p": {"q": null, "a long key of its own": "2024-01-01"}}}"#,
            into: encoder)
        let good = try encoder.finish().withBytes { Array($0) }
        var tally = ShapeTally()
        func take(_ bytes: [UInt8]) {
            // At an even address, as documents are.
            bytes.withUnsafeBytes { _ = tally.add(Value(root: $0) ?? .undefined, byteCount: $0.count, keys.state) }
        }
        for length in 0...good.count { take(Array(good.prefix(length))) }
        for bit in 0..<good.count * 8 {
            var bytes = good
            bytes[bit / 8] ^= 1 << (bit % 8)
            take(bytes)
        }
        var random = SeededRandom(77)
        for _ in 0..<3000 { take((0..<random.below(60)).map { _ in UInt8(truncatingIfNeeded: random.next()) }) }
        for _ in 0..<3000 {
            var bytes = good
            for _ in 0...random.below(6) { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
            take(bytes)
        }
        _ = tally.shape
        #expect(tally.documents > 0)
    }
}

@Suite struct DistinctSketchTests {
    private func sketch(_ numbers: some Sequence<Int>) -> DistinctSketch {
        var sketch = DistinctSketch()
        for number in numbers { sketch.add(ValueHash.of(Int64(number))) { .integer(Int64(number)) } }
        return sketch
    }

    @Test(arguments: [0, 1, 63, 64, 65, 1000, 50_000]) func distinctValuesAreCountedOrEstimated(count: Int) {
        let found = sketch((0..<count * 3).map { $0 % max(1, count) })
        #expect(found.isComplete == (count <= 64))
        if found.isComplete {
            #expect(found.distinct == count)
            #expect(found.entries.allSatisfy { $0.count == 3 })
        } else {
            #expect(abs(found.distinct - count) < count * 2 / 5)
            // What is kept is counted from its first time on.
            #expect(found.entries.count == 64 && found.entries.allSatisfy { $0.count == 3 })
        }
    }

    @Test(arguments: [10, 64, 65, 100, 5000]) func sketchesOfPartsMergeInAnyOrder(count: Int) {
        var random = SeededRandom(UInt64(count))
        let numbers = (0..<4000).map { _ in random.below(count) }
        let whole = sketch(numbers)
        for cut in [0, 1, 50, 2000, 3999, 4000] {
            var (first, second) = (sketch(numbers[..<cut]), sketch(numbers[cut...].reversed()))
            let before = first
            first.merge(second)
            second.merge(before)
            #expect(first == whole)
            #expect(second == whole)
        }
    }

    @Test func equalNumbersAreOneValueHoweverTheyAreWritten() {
        #expect(ValueHash.of(Int64(3)) == ValueHash.of(3.0))
        #expect(ValueHash.of(3.5) != ValueHash.of(3.0))
        #expect(ValueHash.of(-0.0) == ValueHash.of(Int64(0)))
    }
}
