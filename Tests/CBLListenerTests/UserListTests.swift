import CBLTransport
import Testing

@testable import CBLListener

@Suite struct UserListTests {
    @Test func onlyTheRightPasswordAdmits() {
        var users = UserList()
        users.set("ada", password: "secret")
        users.set("bob", password: "")
        #expect(users.admits(Credentials(user: "ada", password: "secret")))
        for (user, password) in [
            ("ada", "Secret"), ("ada", ""), ("ada", "secret "), ("", "secret"), ("eve", ""), ("eve", "secret"), ("bob", "x"),
        ] {
            #expect(!users.admits(Credentials(user: user, password: password)), "\(user)")
        }
    }

    @Test func passwordsAreNeverPrinted() {
        var users = UserList()
        users.set("ada", password: "correct horse")
        var dumped = ""
        dump(users, to: &dumped)
        #expect(!"\(users)".contains("correct") && !dumped.contains("correct"))
    }

    @Test func aFileHasALineForEach() {
        var users = UserList()
        #expect(users.read(lines: "# who\nada:pass:word\r\n\nbob:x\n") == nil)
        #expect(users.names == ["ada", "bob"])
        #expect(users.admits(Credentials(user: "ada", password: "pass:word")))
        #expect(users.read(lines: "ada:x\nbob\n") == 2)
        #expect(users.read(lines: ":x") == 1)
        #expect(users.read(lines: "ada:") == 1)
    }

    @Test func linesInBracketsSayWhatThoseBelowMay() {
        var users = UserList()
        let lines = "ada:x\n[read-only]\nbob:x\n[push-only travel, my hotels]\ncarl:x\n[read-write]\n[eve:x\n"
        #expect(users.read(lines: lines) == nil)
        #expect(users.names == ["[eve", "ada", "bob", "carl"])
        #expect(users.rights(of: "ada") == UserRights(.readWrite))
        #expect(users.rights(of: "bob") == UserRights(.readOnly))
        #expect(users.rights(of: "carl") == UserRights(.writeOnly, databases: ["travel", "my hotels"]))
        #expect(users.rights(of: "[eve") == UserRights(.readWrite) && users.rights(of: "eve") == nil)
        #expect(users.databases == ["travel", "my hotels"])
        // Nobody gets more than was meant because a word is misspelt.
        for header in ["[readonly]", "[]", "[ ]", "[read-only a,]", "[read-only a/b]", "[admin:x]"] {
            #expect(users.read(lines: "ada:x\n\(header)\nbob:x") == 2, "\(header)")
        }
    }
}
