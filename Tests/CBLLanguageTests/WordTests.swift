import CBLLanguage
import Testing

struct WordTests {
    @Test func reservedWordsAreNoNames() throws {
        #expect(Select.reservedWords.count == 44)
        for word in Select.reservedWords {
            #expect(throws: QueryError.self) { try Select(sqlpp: "SELECT a.\(word)") }
            #expect(try Select(sqlpp: "SELECT a.`\(word)`").results.count == 1)
        }
    }

    @Test func everyFunctionHasAnEntryInTheReference() {
        for name in Select.functionNames { #expect(FunctionReference.entry(named: name) != nil, "\(name)") }
        for function in FunctionReference.all {
            for name in [function.name] + function.aliases { #expect(Select.functionNames.contains(name), "\(name)") }
        }
    }

    @Test func theWordsForCompletionAreThere() {
        #expect(Set(Select.keywords).isSuperset(of: Select.reservedWords) && Select.keywords.contains("EXISTS"))
        #expect(Set(Statement.keywords).isSuperset(of: ["SELECT", "UPSERT", "UNSET", "FULLTEXT"]) && !Select.keywords.contains("UPSERT"))
    }
}
