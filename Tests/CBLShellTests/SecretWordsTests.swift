import Testing

@testable import CBLShell

/// What is left of secrets in the list of processes.
struct SecretWordsTests {
    @Test(
        arguments: [
            ("push --user ada:pw a.cblite2", "push --user ada:xx a.cblite2"), ("--user=ada:pw", "--user=ada:xx"),
            ("-user ada:pw", "-user ada:xx"),
            ("--user ada", "--user ada"), ("--user ada:@file", "--user ada:@file"), ("--token abc -v", "--token xxx -v"),
            ("-v --token -abc", "-v --token xxxx"), ("ws://ada:pw@host/db", "ws://ada:xx@host/db"),
            ("ws://ada:@host/db", "ws://ada:@host/db"),
            ("ws://ada:p@w@host:4984/db", "ws://ada:xxx@host:4984/db"), ("--continuous wss://a:b@h/d", "--continuous wss://a:x@h/d"),
            ("--proxy a:b@h:1", "--proxy a:x@h:1"), ("--header Cookie:é", "--header Cookie:xx"), ("http://h:80/a@b", "http://h:80/a@b"),
            ("a:b@c", "a:b@c"), ("--user", "--user"), ("--", "--"), ("", ""),
        ])
    func secretsAreReplacedAsLongAsTheyAre(line: String, masked: String) {
        let words = line.split(separator: " ").map(String.init)
        let result = SecretWords.masked(words)
        #expect(result.joined(separator: " ") == masked)
        #expect(zip(words, result).allSatisfy { $0.utf8.count == $1.utf8.count })
    }
}
