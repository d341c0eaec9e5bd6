import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Glibc
import Testing

/// A Markdown file with requests in it: blocks in which `$ curl …` is typed, for a server at `localhost`. They are sent in order to one server with
/// an empty directory, by a client of ours that understands what of curl's flags is used there. If the file has a configuration for a server, in its
/// first block of JSON, it is that server.
struct CurlDocument {
    private let path: String
    private let text: String
    /// Where the server is in the examples.
    private let host: String
    private let hasConfiguration: Bool

    init(path: String, port: Int = 4984, hasConfiguration: Bool = false) throws {
        self.path = path
        self.hasConfiguration = hasConfiguration
        host = "localhost:\(port)"
        text = try String(contentsOfFile: path, encoding: .utf8)
    }

    /// Compares what the blocks show with what is answered, or writes the file anew. Gives the number of requests.
    func play() throws -> Int {
        let directory = try TemporaryDirectory()
        let program = try RunningProgram(["serve", "--port", "0"] + (try arguments(in: directory.path)), directory: directory.path)
        while !program.outputSoFar.contains("\n") { program.readOutput(atLeast: program.outputSoFar.utf8.count + 1) }
        let base = String(program.outputSoFar.prefix { $0 != "\n" }.dropLast())
        let client = HTTPClient()
        var result: [String] = []
        var count = 0
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)[...]
        while let line = lines.popFirst() {
            result.append(line)
            guard line.hasPrefix("$ curl ") else { continue }
            let expected = Array(lines.prefix { !$0.hasPrefix("$ ") && !$0.hasPrefix("```") && !$0.isEmpty })
            lines = lines.dropFirst(expected.count)
            let found = try answer(to: line, base, client)
            result += CurlDocument.isSame(found, expected) ? expected : found
            count += 1
        }
        client.close()
        program.send(signal: SIGINT)
        #expect(program.finish().exitCode == 0)
        try Capture.check(path, text, result.joined(separator: "\n"))
        return count
    }

    private func arguments(in directory: String) throws -> [String] {
        guard hasConfiguration else { return ["--dir", directory] }
        let block = try #require(text.firstRange(of: "```json\n"))
        let json = text[block.upperBound...].prefix(upTo: try #require(text[block.upperBound...].firstRange(of: "```")).lowerBound)
        try String(json).write(toFile: directory + "/edge.json", atomically: true, encoding: .utf8)
        return ["--config", "edge.json"]
    }

    private func answer(to line: String, _ base: String, _ client: HTTPClient) throws -> [String] {
        var words = try CurlDocument.words(line)[2...]
        var (method, url, showsHead) = (String?.none, "", false)
        var headers = HTTPHeaders()
        var body: String?
        while let word = words.popFirst() {
            switch word {
            case "-X": method = words.popFirst()
            case "-I": (method, showsHead) = ("HEAD", true)
            case "-d": body = words.popFirst()
            case "-H":
                let parts = (words.popFirst() ?? "").split(separator: ":", maxSplits: 1)
                headers.add(String(parts[0]), String(parts[1].drop { $0 == " " }))
            default: url = word
            }
        }
        try #require(url.hasPrefix(host + "/"), "\(line)")
        let target = url.dropFirst(host.count)
        var request = HTTPClientRequest(
            method ?? (body == nil ? "GET" : "POST"), try PeerURL(base + target), headers: headers,
            body: body.map { .bytes(Array($0.utf8)) } ?? .none)
        request.isRepeatable = false
        let answer = try client.send(request)
        let text = String(decoding: try answer.readAll(), as: UTF8.self)
        guard showsHead else { return text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) }
        return ["HTTP/1.1 \(answer.head.status) \(answer.head.reason)"] + answer.head.headers.fields.map { "\($0.name): \($0.value)" }
    }

    /// `…` stands for whatever is another one each time.
    private static func isSame(_ found: [String], _ expected: [String]) -> Bool {
        guard found.count == expected.count else { return false }
        return zip(found, expected).allSatisfy { found, expected in
            let parts = expected.split(separator: "…", omittingEmptySubsequences: false).map(String.init)
            guard parts.count > 1 else { return found == expected }
            var rest = Substring(found)
            for part in parts {
                guard let place = rest.ranges(of: part).first else { return false }
                rest = rest[place.upperBound...]
            }
            return found.hasPrefix(parts[0]) && found.hasSuffix(parts[parts.count - 1])
        }
    }

    /// As a shell would read it.
    private static func words(_ line: String) throws -> [String] {
        var (words, word, quote) = ([String](), String?.none, Character?.none)
        for character in line {
            if let open = quote {
                if character == open { quote = nil } else { word = (word ?? "") + String(character) }
            } else if character == "'" || character == "\"" {
                (quote, word) = (character, word ?? "")
            } else if character == " " {
                if let complete = word { words.append(complete) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        try #require(quote == nil, "\(line)")
        return words + (word.map { [$0] } ?? [])
    }
}
