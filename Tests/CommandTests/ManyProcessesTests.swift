import CBLTestSupport
import FoundationEssentials
import Glibc
import Testing

/// Several processes work on one database at the same time.
@Suite struct ManyProcessesTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path + "/shared.cblite2"
        try #require(try Program.run(["--create", "put", path, "counter", #"{"n":0}"#]).exitCode == 0)
    }

    /// Starts a shell script: `$C` is the program, `$D` the database.
    private func start(_ script: String) throws -> RunningProgram {
        try RunningProgram(["-c", script], program: "/bin/sh", environment: ["C": Program.path, "D": path])
    }

    @Test func nobodysWorkIsLost() throws {
        let follower = try RunningProgram(["changes", "--follow", "--json", path])
        let writers = try (1...4).map { writer in
            try start(
                """
                i=0; while [ $i -lt 6 ]; do i=$((i+1))
                "$C" put "$D" \(writer)-$i "{\\"key-\(writer)-$i\\":$i,\\"common-$i\\":\(writer)}" || exit 1
                "$C" put "$D" same "{\\"writer\\":\(writer)}" || exit 1
                printf '{"_id":"many-\(writer)-%s"}\\n' $i a$i b$i | "$C" import "$D" - || exit 1
                done
                """)
        }
        let readers = try ["ls -l", "cat"].map { command in
            try start(
                """
                i=0; while [ $i -lt 12 ]; do i=$((i+1)); "$C" \(command) "$D" '*' >/dev/null || exit 1; done
                """)
        }
        for program in writers + readers {
            let result = program.finish()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        let documents = Set(try Program.run(["cat", "--raw", path, "*"]).lines)
        for writer in 1...4 {
            for index in 1...6 {
                #expect(
                    documents.contains(
                        #"{"_id":"\#(writer)-\#(index)", "common-\#(index)":\#(writer),"key-\#(writer)-\#(index)":\#(index)}"#))
            }
        }
        #expect(documents.count == 2 + 4 * 6 * 4)
        // Each of 24 saves of the same document became a revision; a put that changes nothing makes one too.
        #expect(try Program.run(["ls", "-l", "--raw", path, "same"]).output.contains(" 24-"))
        try expectWhole()

        let last = try #require(try Program.run(["changes", path, "--json"]).lines.last)
        for _ in 0..<Int(10 * Patience.seconds) where !follower.outputSoFar.contains(last) {
            follower.readOutput(atLeast: .max, timeout: 0.1)
        }
        #expect(follower.outputSoFar.contains(last))
        follower.send(signal: SIGINT)
        #expect(follower.finish().exitCode == 130)
    }

    @Test func aChangeThatAnotherOvertookIsAConflict() throws {
        let writers = try (0..<4).map { _ in
            try start(
                """
                i=0; while [ $i -lt 5 ]; do
                doc=$("$C" cat --raw --rev "$D" counter 2>"$D.$$"); result=$?
                # The file may change while it is read without locks, when it is opened or later: the program says so, and asks to repeat.
                case $result in
                0) ;;
                3) continue;;
                *) if grep -q 'please repeat' "$D.$$"; then continue; fi; cat "$D.$$" >&2; exit $result;;
                esac
                rev=$(echo "$doc" | sed 's/.*"_rev":"\\([^"]*\\)".*/\\1/'); n=$(echo "$doc" | sed 's/.*"n":\\([0-9]*\\).*/\\1/')
                "$C" put --if-rev "$rev" "$D" counter "{\\"n\\":$((n+1))}" 2>/dev/null; result=$?
                case $result in 0) i=$((i+1));; 4) ;; *) exit $result;; esac
                done
                """)
        }
        for writer in writers {
            let result = writer.finish()
            #expect(result.exitCode == 0, "\(result.errors)")
        }
        #expect(try Program.run(["cat", "--raw", path, "counter"]).output == "{\"_id\":\"counter\", \"n\":20}\n")
        try expectWhole()
    }

    @Test func aWriterWaitsForAnotherAndReadersDoNot() throws {
        let slow = try RunningProgram(["import", path, "-"])
        slow.feed(Array(String(repeating: "{\"text\":\"0123456789\",\"list\":[1,2,3]}\n", count: 5000).utf8))
        // Reading does not wait.
        #expect(try Program.run(["ls", path]).output == "counter\n")
        let late = try RunningProgram(["put", path, "late", "{}"])
        usleep(300_000)
        #expect(slow.finish().exitCode == 0)
        #expect(late.finish().exitCode == 0)
        try expectWhole()
    }

    private func expectWhole() throws {
        #expect(try Program.run(["sql", "--json", path, "PRAGMA integrity_check"]).lines == [#"{"integrity_check":"ok"}"#])
        let check = try Program.run(["check", path])
        #expect(check.exitCode == 0, "\(check.output)")
    }
}
