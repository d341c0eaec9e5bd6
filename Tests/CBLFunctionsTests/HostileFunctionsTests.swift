import CBLSQLite
import CBLSystemSQLite
import CBLTestSupport
import Testing

@testable import CBLFunctions

/// Functions with arguments that would have them work for ever, or fill the memory. A query, or what a file's schema calls, can name any.
@Suite struct HostileFunctionsTests {
    let connection: Connection

    init() throws {
        connection = try registeredConnection()
        // A megabyte, as much as a value may have here.
        sqlite3_limit(connection.handle, SQLITE_LIMIT_LENGTH, 1 << 20)
    }

    private func error(_ expression: String, _ arguments: [String] = []) -> SQLiteError? {
        do {
            try connection.withStatement("SELECT \(expression)") { row in
                for (index, argument) in arguments.enumerated() { try row.bind(argument, Int32(index + 1)) }
                _ = try row.step()
            }
            return nil
        } catch {
            return error as? SQLiteError
        }
    }

    private static let long = String(repeating: "a", count: 500_000)

    @Test(arguments: [
        "concat(?1, ?1, ?1)", "concat(?1, ?1, ?1, ?1, ?1, ?1, ?1, ?1, ?1)", "array_of(?1, ?1, ?1)", "dict_of('a', ?1, 'b', ?1, 'c', ?1)",
        "array_agg(x) FROM (SELECT ?1 AS x UNION ALL SELECT ?1 UNION ALL SELECT ?1)", "regexp_replace(?1, 'a', '$&$&$&')",
        "regexp_replace(?1, 'a', '$''$''$''')", "fl_result(concat(?1, ?1, ?1))",
    ])
    func noValueGrowsBeyondTheLimit(expression: String) {
        #expect(error(expression, [Self.long])?.code == SQLITE_TOOBIG)
    }

    @Test(arguments: [
        ("regexp_like(?1, ?2)", String(repeating: "a", count: 5000), "(a*)*(a*)*(a*)*b"),
        ("regexp_replace(?1, ?2, 'x')", String(repeating: "a", count: 200_000), "(a|aa)+$b|a"),
        ("fl_like(?1, ?2, 'LCUnicode_C__')", long, "%" + String(repeating: "A", count: 200_000) + "B%"),
        ("contains(?1, ?2, 'LCUnicode_C__')", long, String(repeating: "A", count: 200_000) + "B"),
    ])
    func whatTakesTooLongIsGivenUp(expression: String, text: String, pattern: String) {
        let error = error(expression, [text, pattern])
        #expect(error?.message.contains("too long") == true || error?.message.contains("too much") == true, "\(String(describing: error))")
    }

    private static let extremes = ["-9223372036854775808", "9223372036854775807", "-1", "1e300", "-9e999", "'x'", "NULL", "x'00'"]
    private static let parts = ["'millisecond'", "'day'", "'month'", "'millennium'", "'x'", "NULL"]

    /// Whatever the numbers are, there is a result, or none.
    @Test(arguments: extremes) func datesEndWhereCalendarsDo(number: String) {
        for part in Self.parts {
            for date in ["'2000-01-01T00:00:00+14:00'", "'-9999-01-01T00:00:00-14:00'", "'9999-12-31'", number] {
                for expression in [
                    "date_add_str(\(date), \(number), \(part))", "date_add_millis(\(number), \(number), \(part))",
                    "date_diff_millis(\(number), \(Self.extremes[0]), \(part))", "date_diff_str(\(date), '2000-01-01', \(part))",
                    "millis_to_str(\(number))", "millis_to_utc(\(number))", "millis_to_tz(\(number), \(number))",
                    "str_to_tz(\(date), \(number))", "round(\(number), \(number))", "trunc(\(number), \(number))",
                    "idiv(\(number), -1)", "power(\(number), \(number))", "abs(\(number))", "tostring(\(number))",
                ] {
                    #expect(error(expression) == nil, "\(expression)")
                }
            }
        }
    }
}
