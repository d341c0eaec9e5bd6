import CBLLanguage
import CBLStore
import CBLTestSupport
import Testing

@testable import CBLQuery

@Suite struct ShapeScanTests {
    private struct Stop: Error {}

    private func numbers(_ result: ShapeScan.Result) -> Extent<Double>? {
        result.survey.whole.shape.properties.first { $0.name.text == "n" }?.facts.numbers
    }

    /// Two threads find what one finds.
    @Test func allDocumentsAreSeenOnceHoweverTheTableIsDivided() throws {
        let sample = try Sample()
        try sample.saveNumbers(1000)
        try sample.database.read { snapshot in
            let one = try ShapeScan(.default, kinds: .together, sample: nil, pieces: ScanPieces(length: 64, fewestRows: .max)).run(
                on: snapshot)
            let two = try ShapeScan(.default, kinds: .together, sample: nil, pieces: ScanPieces(length: 7, fewestRows: 1)).run(on: snapshot)
            #expect(one.survey.whole.shape == two.survey.whole.shape)
            #expect(two.examined == 1000 && two.total == 1000 && !two.isSample)
            #expect(numbers(two) == Extent(least: 0, greatest: 999))
        }
    }

    @Test func aSampleComesFromEverywhere() throws {
        let sample = try Sample()
        try sample.saveNumbers(2000)
        try sample.database.read { snapshot in
            let found = try ShapeScan(.default, kinds: .together, sample: 100, pieces: ScanPieces(length: 64, fewestRows: 1)).run(
                on: snapshot)
            #expect(found.isSample && found.total == 2000)
            #expect((90...100).contains(found.examined))
            let range = try #require(numbers(found))
            #expect(range.least < 20 && range.greatest >= 1980)
        }
    }

    @Test func ofLongDocumentsFewAreLookedAt() throws {
        let sample = try Sample()
        let text = String(repeating: "x", count: 10_000)
        try sample.database.write { transaction in
            for number in 0..<200 {
                let json =
                    #"{"type": "\#(number % 2 == 0 ? "hotel" : "airline")", "\#(number % 2 == 0 ? "stars" : "iata")": 3, "text": "\#(text)"}"#
                try transaction.save("d\(number)", body: transaction.encode(json: json))
            }
        }
        try sample.database.read { snapshot in
            for kinds in [ShapeScan.Kinds.together, .automatic, .by("type")] {
                let found = try ShapeScan(.default, kinds: kinds, sample: 100_000, mostBytes: 200_000).run(on: snapshot)
                #expect(found.isSample && found.total == 200 && (10...30).contains(found.examined))
            }
            // One that is longer than all that may be looked at is no reason to look at nothing.
            #expect(try ShapeScan(.default, sample: 100_000, mostBytes: 1).run(on: snapshot).examined == 6)
            #expect(try ShapeScan(.default, sample: 100_000, mostBytes: 1 << 30).run(on: snapshot).examined == 200)
        }
    }

    @Test func itEndsWhenItIsToldTo() throws {
        let sample = try Sample()
        try sample.saveNumbers(500)
        try sample.database.read { snapshot in
            let scan = ShapeScan(.default, kinds: .together, sample: nil, pieces: ScanPieces(length: 1000, fewestRows: .max))
            #expect(throws: Stop.self) { try scan.run(on: snapshot) { _ in throw Stop() } }
            return
        }
    }

    @Test func kindsAreFoundWhereTheyAreClear() throws {
        let sample = try Sample()
        try sample.database.write { transaction in
            for number in 0..<40 {
                let json =
                    number % 2 == 0
                    ? #"{"type": "hotel", "stars": 3, "rooms": 40, "name": "x"}"#
                    : #"{"type": "airline", "iata": "AF", "icao": "AFR", "name": "y"}"#
                try transaction.save("d\(number)", body: transaction.encode(json: json))
            }
        }
        try sample.database.read { snapshot in
            let found = try ShapeScan(.default).run(on: snapshot)
            #expect(found.survey.discriminator == "type")
            #expect(found.survey.shapes.map(\.kind.name) == ["airline", "hotel"])
            #expect(found.survey.shapes.map(\.shape.documents) == [20, 20])
            #expect(found.survey.shapes[0].shape.properties.map(\.name.text) == ["iata", "icao", "name", "type"])
            #expect(try ShapeScan(.default, kinds: .together).run(on: snapshot).survey.shapes.count == 1)
        }
    }

    /// A property of that name that says nothing about the others does not divide documents.
    @Test func documentsThatDifferInOnePropertyOnlyAreOneKind() throws {
        let sample = try Sample()
        try sample.database.write { transaction in
            for number in 0..<40 {
                let json = #"{"type": "\#(number % 2 == 0 ? "home" : "work")", "number": "555", "owner": "x"}"#
                try transaction.save("d\(number)", body: transaction.encode(json: json))
            }
        }
        try sample.database.read { snapshot in
            #expect(try ShapeScan(.default).run(on: snapshot).survey.discriminator == nil)
            let asked = try ShapeScan(.default, kinds: .by("type")).run(on: snapshot)
            #expect(asked.survey.shapes.map(\.kind.name) == ["home", "work"])
            let absent = try ShapeScan(.default, kinds: .by("nothing")).run(on: snapshot)
            #expect(absent.survey.shapes.map(\.kind) == [.none])
        }
    }

    @Test func tooManyKindsArePutTogether() throws {
        let sample = try Sample()
        try sample.database.write { transaction in
            for number in 0..<300 { try transaction.save("d\(number)", body: transaction.encode(json: #"{"kind": "kind \#(number)"}"#)) }
        }
        try sample.database.read { snapshot in
            let found = try ShapeScan(.default, kinds: .by("kind")).run(on: snapshot)
            #expect(found.survey.shapes.count == ShapeSurvey.mostKinds + 1)
            #expect(found.survey.shapes.last?.kind == .others)
            #expect(found.survey.documents == 300)
        }
    }
}
