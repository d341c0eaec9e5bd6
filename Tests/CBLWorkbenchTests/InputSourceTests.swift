import CBLTestSupport
import CBLWorkbench
import FoundationEssentials
import Glibc
import Testing

@Suite struct InputSourceTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func source(_ text: String) throws -> InputSource {
        let path = directory.path + "/input"
        try text.write(toFile: path)
        return try InputSource(path: path)
    }

    @Test func aLineWithoutEndDoesNotFillTheMemory() throws {
        let input = try source("short\n" + String(repeating: "x", count: 2_000_000))
        #expect(try input.nextLine(limit: 500_000)?.count == 5)
        let error = #expect(throws: FileError.self) { try input.nextLine(limit: 500_000) }
        #expect(error?.message.contains("line 2") == true)
    }

    @Test(arguments: [
        ("", []), ("a", ["a"]), ("a\n", ["a"]), ("a\nb", ["a", "b"]), ("a\r\nb\r\n", ["a", "b"]), ("\n\na\n", ["", "", "a"]),
        ("\r\n", [""]),
        ("a\rb\n", ["a\rb"]), ("é\n日本", ["é", "日本"]),
    ])
    func linesEndWithALineFeed(text: String, expected: [String]) throws {
        let input = try source(text)
        var lines: [String] = []
        while let line = try input.nextLine() { lines.append(String(decoding: line, as: UTF8.self)) }
        #expect(lines == expected)
        #expect(input.lineNumber == expected.count)
        #expect(input.offset == text.utf8.count)
    }

    @Test func linesLongerThanTheBufferAndAcrossItsEndsArriveWhole() throws {
        let lengths = [0, 1, 100_000, 262_143, 262_144, 262_145, 1_000_000, 3, 500_000, 7]
        let expected = lengths.enumerated().map { String(repeating: "abcdefghij".dropFirst($0 % 10).first ?? "x", count: $1) }
        let input = try source(expected.joined(separator: "\n") + "\n")
        for line in expected { #expect(try input.nextLine().map { String(decoding: $0, as: UTF8.self) } == line) }
        #expect(try input.nextLine() == nil)
        #expect(try input.nextLine() == nil)
    }

    @Test func aLookAheadTakesNothing() throws {
        let input = try source("\n  \t [1]\nx")
        #expect(try input.peek() == UInt8(ascii: "["))
        #expect(try input.nextLine()?.count == 0)
        #expect(try input.nextLine().map { String(decoding: $0, as: UTF8.self) } == "  \t [1]")
        #expect(try input.withAll { String(decoding: $0, as: UTF8.self) } == "x")
        #expect(try input.peek() == nil)
        #expect(try source(String(repeating: " ", count: 600_000)).peek() == nil)
    }

    @Test func everythingIsReadAtOnceOrInPieces() throws {
        let text = String(repeating: "0123456789", count: 100_000)
        #expect(try source(text).withAll { String(decoding: $0, as: UTF8.self) } == text)
        let input = try source(text)
        #expect(input.size == 1_000_000)
        var count = 0
        while let chunk = try input.nextChunk() { count += chunk.count }
        #expect(count == 1_000_000)
    }

    @Test func aFileThatGrewIsReadToItsEnd() throws {
        // Files of the proc file system say that they are empty.
        #expect(try InputSource(path: "/proc/self/status").withAll { $0.count } > 100)
    }

    @Test func whatCannotBeReadIsNamed() {
        #expect(throws: FileError("/nonexistent/file: No such file or directory")) { try InputSource(path: "/nonexistent/file") }
        #expect(throws: FileError("/usr: is a directory")) { try InputSource(path: "/usr") }
    }
}

extension String {
    fileprivate func write(toFile path: String) throws { try write(toFile: path, atomically: false, encoding: .utf8) }
}
