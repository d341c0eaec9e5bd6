import CBLTransport
import Testing

@testable import CBLListener

@Suite struct EdgeUsersTests {
    /// Of Openwall's own test of the algorithm.
    @Test(
        arguments: [
            ("U*U", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"),
            ("U*U*", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.VGOzA784oUp/Z0DY336zx7pLYAy0lwK"),
            ("", "$2a$05$CCCCCCCCCCCCCCCCCCCCC.7uG0VCzI2bS7j6ymqJi9CdcdxiRTWNy"),
        ]) func hashesAreThoseOfOthers(password: String, text: String) throws
    {
        let hash = try #require(PasswordHash(text))
        #expect(hash.matches(password))
        #expect(!hash.matches(password + "x") && !hash.matches("x\0"))
    }

    @Test func aNewHashIsOfItsPasswordAlone() throws {
        let one = try PasswordHash(password: "secret", rounds: 4)
        let two = try PasswordHash(password: "secret", rounds: 4)
        #expect(one.text.hasPrefix("$2b$04$") && one.text != two.text)
        #expect(one.matches("secret") && two.matches("secret") && !one.matches("Secret"))
    }

    @Test(arguments: [
        "", "secret", "$1$abc$def", "$2b$04$short", "$2b$31$" + String(repeating: "a", count: 53),
        "$2b$04$" + String(repeating: "!", count: 53),
        "$2c$04$" + String(repeating: "a", count: 53), "$2b$4x$" + String(repeating: "a", count: 53),
    ]) func whatIsNoHashIsNone(text: String) { #expect(PasswordHash(text) == nil) }

    private static let databases =
        #"{"databases": {"db": {"path": "db.cblite2", "enable_user_access_control": true}, "off": {"path": "off.cblite2", "enable_user_access_control": false}, "open": {"path": "open.cblite2"}}}"#
    private static let hash = "$2a$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW"

    private func users(_ text: String, _ configuration: String = EdgeUsersTests.databases) throws -> EdgeUsers {
        try EdgeUsers(json5: text.replacing("HASH", with: EdgeUsersTests.hash), for: EdgeConfiguration(json5: configuration))
    }

    @Test func aFileHasUsersWithRolesAndRules() throws {
        let users = try users(
            """
            // who may come
            {$schema: "x", ada: {password: "HASH", roles: ["admin"]}, bob: {password: "HASH", roles: ["replicate"]},
             eve: {password: "HASH", access: {"db.a": ["read"]}}}
            """)
        #expect(users.list.names == ["ada", "bob", "eve"] && users.warnings.isEmpty)
        #expect(users.list.admits(Credentials(user: "ada", password: "U*U")))
        #expect(!users.list.admits(Credentials(user: "ada", password: "U*V")))
        #expect(!users.list.admits(Credentials(user: "joe", password: "U*U")))
        #expect(users.list.rights(of: "ada")?.role == .administrator && users.list.rights(of: "bob")?.role == .replicator)
        #expect(users.list.rights(of: "eve")?.role == .user && users.list.rights(of: "eve")?.rules != nil)
        #expect(users.list.rights(of: "bob")?.rules == nil)
    }

    @Test func aFileWithNobodyLetsNobodyIn() throws { #expect(try users("// empty\n{\"$schema\": \"x\"}").list.isEmpty) }

    @Test(
        arguments: [
            (#"{ada: {}}"#, "ada.password: it is missing"),
            (#"{ada: {password: "secret"}}"#, "ada.password: it has to be a hash"),
            (#"{ada: {password: "HASH", role: "admin"}}"#, "ada.role: there is no such setting"),
            (#"{ada: {password: "HASH", roles: ["boss"]}}"#, "ada.roles: there is no role"),
            (#"{ada: {password: "HASH", access: {"db": ["drive"]}}}"#, "ada.access.db: there is no right"),
            (#"{ada: {password: "HASH", access: {"db": "read"}}}"#, "ada.access.db: it has to be a list"),
            (#"{ada: {password: "HASH", access: {"a.b.c.d": ["read"]}}}"#, "ada.access.a.b.c.d: "),
            (#"{ada: {password: "HASH", access: {"*.b": ["read"]}}}"#, "ada.access.*.b: "),
            (#"{ada: {password: "HASH", access: {"nodb": ["read"]}}}"#, #"ada.access: there is no database "nodb""#),
            (#"{ada: {password: "HASH", access: {"open": ["read"]}}}"#, "ada.access: rules do not count"),
        ]) func whatIsWrongIsSaidWithItsPlace(text: String, message: String)
    {
        #expect {
            _ = try users(text)
        } throws: { "\($0)".hasPrefix(message) }
    }

    @Test func rulesThatCountNowhereAreAMistake() throws {
        #expect(try users(#"{eve: {password: "HASH", access: {"off": ["read"]}}}"#).warnings.count == 1)
        #expect(throws: ConfigurationError.self) {
            try users(#"{eve: {password: "HASH", access: {"*": ["read"]}}}"#, #"{"databases": {"db": {"path": "db.cblite2"}}}"#)
        }
    }

    @Test func whoHasACertificateNeedsNoPassword() throws {
        let https =
            #"{"databases": {"db": {"path": "db.cblite2"}}, "https": {"tls_cert_path": "c", "tls_key_path": "k", "client_cert_path": "a"}}"#
        #expect(try users(#"{device: {}}"#, https).list.admits(Credentials(user: "device", password: "")) == false)
    }

    @Test func aUserIsAddedBesideTheOthers() throws {
        let hash = try #require(PasswordHash(EdgeUsersTests.hash))
        let first = try EdgeUsers.adding("ada", hash, role: "admin", to: nil)
        let second = try EdgeUsers.adding("bob", hash, role: nil, to: "// people\n" + first)
        let read = try users(second)
        #expect(read.list.names == ["ada", "bob"] && read.list.rights(of: "ada")?.role == .administrator)
        let third = try EdgeUsers.adding("ada", hash, role: nil, to: second)
        #expect(try users(third).list.rights(of: "ada")?.role == .user)
    }

    @Test(
        arguments: [
            ("db", "db", "_default._default", true), ("db", "db", "a", false), ("db.a", "db", "a", true), ("db.a", "db", "s.a", false),
            ("db.s.a", "db", "s.a", true), ("db.s.*", "db", "s.b", true), ("db.s.*", "db", "b", false), ("db.*", "db", "s.b", true),
            ("db.*", "db", "_default._default", true), ("db.*", "other", "a", false), ("*", "other", "s.b", true),
        ]) func aPatternIsOfAPlace(pattern: String, database: String, collection: String, matches: Bool) throws
    {
        var rules = AccessRules()
        add(pattern, reads: true, writes: false, to: &rules)
        #expect(rules.access(to: database, try .init(parsing: collection)) == (matches ? .readOnly : nil))
    }

    private func add(_ pattern: String, reads: Bool, writes: Bool, to rules: inout AccessRules) {
        let isPattern = rules.add(pattern, reads: reads, writes: writes)
        #expect(isPattern)
    }

    @Test func rightsAddUp() throws {
        var rules = AccessRules()
        add("db.*", reads: true, writes: false, to: &rules)
        add("db.a", reads: false, writes: true, to: &rules)
        #expect(rules.access(to: "db", try .init(parsing: "a")) == .readWrite)
        #expect(rules.access(to: "db", try .init(parsing: "b")) == .readOnly)
        #expect(AccessRules().access(to: "db", .default) == nil)
    }
}
