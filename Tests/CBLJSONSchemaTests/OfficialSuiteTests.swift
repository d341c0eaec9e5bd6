import CBLFleece
import FoundationEssentials
import Testing

@testable import CBLJSONSchema

/// The test suite of those who write the drafts. It is not part of the project: `CBLITE_JSON_SCHEMA_SUITE` says where its folder is.
@Suite(.enabled(if: OfficialSuite.folder != nil, "CBLITE_JSON_SCHEMA_SUITE does not name the folder of the official suite"))
struct OfficialSuiteTests {
    @Test(arguments: Draft.allCases)
    func allThatADraftRequiresIsDoneAsItSays(draft: Draft) throws {
        let outcome = try OfficialSuite.run(draft, in: "")
        print(draft.name, "required:", outcome.passed, "right,", outcome.failed.count, "wrong")
        #expect(outcome.passed > 500)
        #expect(outcome.failed == [])
    }

    @Test(arguments: Draft.allCases)
    func whatIsOptionalIsDoneButForWhatTheGuideNames(draft: Draft) throws {
        var outcome = try OfficialSuite.run(draft, in: "optional/")
        let formats = try OfficialSuite.run(draft, in: "optional/format/", formats: .asserted)
        outcome.passed += formats.passed
        outcome.failed += formats.failed
        print(draft.name, "optional:", outcome.passed, "right,", outcome.failed.count, "wrong")
        // Names of hosts in other alphabets, look-behind of any length, and what is inside of encoded strings: docs/json-schema.md.
        let known = ["idn-hostname", "(punycode)", "variable-width", "optional/content.json"]
        #expect(outcome.failed.filter { failure in !known.contains { failure.contains($0) } } == [])
    }
}
