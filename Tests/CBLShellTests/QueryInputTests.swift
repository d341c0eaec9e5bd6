import CBLFleece
import CBLLanguage
import CBLQuery
import CBLTestSupport
import Testing

@testable import CBLShell

@Suite struct ParameterTests {
    @Test(arguments: [
        ("n=12", "n", "12"), ("n=-1.5e3", "n", "-1500.0"), ("n=\"12\"", "n", "\"12\""), ("$city=Berlin", "city", "\"Berlin\""),
        ("x={a:[1,null]}", "x", #"{"a":[1,null]}"#), ("x=[]", "x", "[]"), ("t=true", "t", "true"), ("t=null", "t", "null"),
        ("s=a=b", "s", "\"a=b\""), ("s='it''s'", "", ""), ("d=2024-05-17", "d", "\"2024-05-17\""),
        ("d=2024-05-17T10:00:00Z", "d", "\"2024-05-17T10:00:00Z\""), ("s=Ünal Ö", "s", "\"Ünal Ö\""), ("s=/a/b", "s", "\"/a/b\""),
        ("s=%5th%", "s", "\"%5th%\""), ("s=", "", ""), ("s=12abc", "", ""), ("s=1,5", "", ""), ("s={a:", "", ""), ("s=\"x", "", ""),
        ("s=True", "", ""),
        ("s=NULL", "", ""), ("s=nan", "", ""), ("s=-", "", ""), ("s=2024-5-17", "", ""), ("=1", "", ""), ("x", "", ""), ("", "", ""),
    ])
    func valuesAreJSONOrWhatCannotBeAnythingButText(text: String, name: String, json: String) throws {
        guard !name.isEmpty else {
            let error = #expect(throws: CommandError.self) { try ParameterInput.parse(text) }
            #expect(error?.exitCode == .usage)
            return
        }
        let (found, value) = try ParameterInput.parse(text)
        #expect(found == name)
        #expect(value.withRoot { $0.json(style: .canonical) } == json)
    }

    @Test func theErrorSaysHowATextIsWritten() throws {
        let error = try #require(#expect(throws: CommandError.self) { try ParameterInput.parse("code=12abc") })
        #expect(error.message == "--param code: \"12abc\" is not JSON")
        #expect(error.hint == "If it is meant as a text, write it in quotes: --param 'code=\"12abc\"'")
    }
}

@Suite struct QueryInputTests {
    @Test func aMistakeInALaterStatementOfALineIsShownThere() throws {
        let text = "SELECT count(*) FROM _; SELEC 1"
        let second = QueryInput.statements(of: text)[1]
        let error = try #require(#expect(throws: QueryError.self) { _ = try Statement(sqlpp: second.text) })
        let lines = second.commandError(error).description.split(separator: "\n").map(String.init)
        #expect(lines.first?.contains("at column 25:") == true, "\(lines)")
        #expect(Array(lines.dropFirst().prefix(2)) == ["    " + text, "    " + String(repeating: " ", count: 24) + "^~~~~"], "\(lines)")
    }

    @Test(arguments: [("{}", true), (" \n[\"=\"]", true), ("SELECT 1", false), ("", false), ("$x", false)])
    func theFormOfAQueryShowsAtItsBeginning(text: String, isJSON: Bool) {
        #expect(QueryInput(text).isJSON == isJSON)
    }

    @Test func statementsOfAScriptAreFoundAgain() throws {
        let source = "SELECT 'a;b' FROM _;\n\n SELECT \"ä\";\n"
        let inputs = QueryInput.statements(of: source, named: "script.sqlpp")
        #expect(inputs.map { $0.text.split(separator: " ").last } == ["_", "\"ä\""])
        let error = inputs[1].commandError("it failed")
        #expect(error.message == "script.sqlpp:3:2: it failed")
    }
}
