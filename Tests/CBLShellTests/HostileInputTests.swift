import CBLTestSupport
import Testing

@testable import CBLShell

/// Lines that come from outside: whatever the bytes are, they are read to their end or refused with words.
@Suite struct HostileInputTests {
    /// Scripts and pasted text: statements are taken off until none is left, and what completes a line looks at every beginning of it.
    @Test func randomLinesOfTheShell() {
        let lines = [
            "ls -l 'two words' \"x\\\"y\" a\\ b; cat x | less > y # no", #"put doc {"a": "x; y", b: [1, /* */ 2]}"#,
            "SELECT `a``b`, 'it''s' FROM _ -- x\n;",
            ".mode json\n!ls\n.param a = {x: 1}", "UPDATE h SET x = $p WHERE (1",
        ].map { Array($0.utf8) }
        var random = SeededRandom(19)
        repeatWithin(seconds: 1) {
            let bytes = Mutation.mutated(random.element(of: lines), &random)
            let text = String(decoding: bytes, as: UTF8.self)
            var reader = StatementReader(commands: Commands.all)
            for line in text.split(separator: "\n", omittingEmptySubsequences: false) { reader.append(String(line)) }
            var count = 0
            do {
                while try reader.next(isLast: true) != nil {
                    count += 1
                    if count > bytes.count { break }
                }
            } catch {
                reader.clear()
            }
            #expect(count <= bytes.count, "\(text.debugDescription)")
            _ = CommandLineContext(bytes, ArgumentParser(commands: Commands.all, hasOpenDatabase: true))
            _ = QueryContext(text)
            #expect(HistoryFile.unescaped(Array(HistoryFile.escaped(text).utf8)) == text)
            _ = HistoryFile.unescaped(bytes)
            _ = try? PromptTemplate(text)
        }
    }
}
