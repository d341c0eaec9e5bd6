import CBLFleece
import CBLLanguage
import CBLReplication
import CBLStore
import CBLWorkbench
import Testing

@Suite struct SyncRuleTests {
    private func conflict(_ local: String?, _ remote: String?, base: String? = nil) throws -> SyncConflict {
        try SyncConflict(
            documentID: "d", collection: .default, localRevision: try RevisionID(parsing: "2-aa"),
            remoteRevision: try RevisionID(parsing: "2-bb"), local: local.map { try DocumentProperties(json: $0) },
            remote: remote.map { try DocumentProperties(json: $0) }, base: base.map { try DocumentProperties(json: $0) })
    }

    @Test(arguments: [
        ("local", SyncResolution.local), ("REMOTE", .remote), ("default", .remote),
        ("merge", .merged(try! DocumentProperties(json: #"{"x":2,"y":2}"#))),
        ("{'x': local.x + 1, 'y': remote.y}", .merged(try! DocumentProperties(json: #"{"x":3,"y":2}"#))), ("NULL", .deleted),
    ])
    func aRuleIsAWordOrAnExpression(text: String, expected: SyncResolution) throws {
        let conflict = try conflict(#"{"x":2,"y":1}"#, #"{"x":1,"y":2}"#, base: #"{"x":1,"y":1}"#)
        #expect(try ConflictRule(text).resolution(conflict) == expected)
    }

    /// What an expression gives is one of the sides if it says the same: nothing new is made then.
    @Test func aSideIsASide() throws {
        let conflict = try conflict(#"{"x":2}"#, #"{"x":1}"#)
        #expect(try ConflictRule("CASE WHEN local.x > remote.x THEN local ELSE remote END").resolution(conflict) == .local)
    }

    @Test(arguments: [
        ("1 + 1", "a number"), ("'te' || 'xt'", "a text"), ("[local]", "an array"), ("base.x", "MISSING"), ("TRUE", "a truth value"),
    ])
    func whatIsNoObjectSettlesNothing(text: String, result: String) throws {
        let rule = try ConflictRule(text)
        let conflict = try conflict("{}", nil)
        #expect(throws: ConflictRule.UnusableResult(result: result)) { try rule.resolution(conflict) }
    }

    @Test func mistakesAreFoundAtOnce() {
        #expect(throws: QueryError.self) { try ConflictRule("local +") }
        #expect(throws: QueryError.self) { try FilterRule("city =") }
    }

    @Test(arguments: [
        ("city = 'Paris'", nil, "city = 'Paris'"), ("hotels:stars > 3", "hotels", "stars > 3"),
        ("a.b:x = ':'", "a.b", "x = ':'"), ("name = 'a:b'", nil, "name = 'a:b'"), (":x", nil, ":x"),
    ])
    func aCollectionStandsBeforeAColon(text: String, collection: String?, condition: String) {
        let split = FilterRule.split(text)
        #expect(split.collection == collection)
        #expect(split.condition == condition)
    }

    private func passes(_ rule: FilterRule, _ json: String, isDeleted: Bool = false, isKnown: Bool = false) throws -> Bool {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        return try rule.filter(
            SyncRevision(
                documentID: "d", collection: .default, revision: try RevisionID(parsing: "1-aa"), isDeleted: isDeleted, losesAccess: false,
                properties: try encoder.finish(), keys: nil, isKnownToReceiver: isKnown))
    }

    @Test func aDeletionIsTheBusinessOfWhoHasTheDocument() throws {
        let rule = try FilterRule("stars > 3")
        #expect(try passes(rule, #"{"stars":4}"#))
        #expect(try !passes(rule, #"{"stars":3}"#))
        #expect(try !passes(rule, "{}", isDeleted: true))
        #expect(try passes(rule, "{}", isDeleted: true, isKnown: true))
        #expect(try !passes(FilterRule("NOT META().deleted"), "{}", isDeleted: true, isKnown: true))
    }

    @Test func theRuleOfACollectionGoesBeforeThatOfAll() throws {
        let people = try CollectionName(parsing: "people")
        let rules = FilterRules(push: [try FilterRule("a = 1"), try FilterRule("b = 1", for: people)], pull: [])
        var named = ReplicatorSettings.Collection(people, push: .once, pull: .off)
        var other = ReplicatorSettings.Collection(.default, push: .once, pull: .off)
        rules.apply(to: &named)
        rules.apply(to: &other)
        #expect(named.filterName == "b = 1\n")
        #expect(other.filterName == "a = 1\n")
        #expect(named.pushFilter != nil && named.pullFilter == nil)
    }
}
