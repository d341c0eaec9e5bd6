import CBLBase
import CBLTestSupport
import CBLTransport
import FoundationEssentials

@testable import CBLReplication

/// What a server that speaks CouchDB's protocol and our side said to each other, and what came of it. One line of JSON for each of these:
///
///     {"recording":"push","server":"couchdb-3.5.0"}
///     {"session":1}
///     {"request":"POST /push/_revs_diff","type":"application/json","body":"{…}","status":200,"headers":{…},"answer":"{…}"}
///     {"end":""}                                      of the session, with the error if there was one
///     {"doc":"a","revs":[…]}                          what the database holds afterwards, as lines of an archive
///
/// Bodies that are no text are in Base64, as `data` and `bytes`.
struct CouchRecording {
    /// What we ask.
    struct Question: Equatable, CustomStringConvertible {
        var target: String
        var type: String?
        var body: [UInt8] = []

        init(target: String, type: String?, body: [UInt8]) {
            self.target = target
            self.type = type
            self.body =
                body.count > Question.longest
                ? Array("\(body.count) bytes, SHA-1 \(body.withUnsafeBytes { SHA1.digest(of: $0) }.hex)".utf8) : body
        }

        /// Without what is never the same again: what stands between the parts of a body.
        init(_ request: RemoteRequest) throws {
            var target = request.method + " /" + request.path.map { PercentEncoding.unreserved($0) }.joined(separator: "/")
            if !request.query.items.isEmpty { target += "?" + request.query.encoded }
            var body: [UInt8] = []
            switch request.body {
            case .none: break
            case .json(let bytes): body = bytes
            case .product(let product, _):
                var space = [UInt8](repeating: 0, count: 4096)
                while case let count = try space.withUnsafeMutableBytes({ try product.next($0) }), count > 0 { body += space[..<count] }
                try product.restart?()
            }
            var type = request.allHeaders["Content-Type"]
            if let boundary = type?.split(separator: "boundary=").dropFirst().first?.filter({ $0 != "\"" }) {
                type = type?.replacing(boundary, with: "…")
                body = Question.replace(Array(boundary.utf8), with: Array("…".utf8), in: body)
            }
            self.init(target: target, type: type, body: body)
        }

        private static let longest = 4096

        private static func replace(_ old: [UInt8], with new: [UInt8], in bytes: [UInt8]) -> [UInt8] {
            Array(bytes.split(separator: old, omittingEmptySubsequences: false).joined(separator: new))
        }

        var description: String { "\(target) \(type ?? "") \(String(decoding: body, as: UTF8.self))" }
    }

    struct Answer {
        var status: Int
        var headers: [String: String]
        var body: [UInt8]
    }

    struct Session {
        /// An answer is nil where the connection broke instead.
        var steps: [(question: Question, answer: Answer?)] = []
        var failure = ""
    }

    var name: String
    var server: String
    var sessions: [Session] = []
    var database: [String] = []

    static let files = ((try? FileManager.default.contentsOfDirectory(atPath: Recording.folder + "/HTTP")) ?? []).filter {
        $0.hasSuffix(".jsonl")
    }.sorted()

    init(_ name: String, server: String) {
        self.name = name
        self.server = server
    }
}

// As a file.
extension CouchRecording {
    private struct Line: Codable {
        var recording, server: String?
        var session: Int?
        var request, type, body, data: String?
        var status: Int?
        var headers: [String: String]?
        var answer, bytes: String?
        var end: String?

        init() {}
    }

    init(file: String) throws {
        self.init("", server: "")
        for text in try String(contentsOfFile: Recording.folder + "/HTTP/" + file, encoding: .utf8).split(separator: "\n") {
            if text.hasPrefix("{\"collection\"") || text.hasPrefix("{\"doc\"") {
                database.append(String(text))
                continue
            }
            let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            if let recording = line.recording {
                (name, server) = (recording, line.server ?? "")
            } else if line.session != nil {
                sessions.append(Session())
            } else if sessions.isEmpty {
                throw Recording.Unreadable(line: String(text))
            } else if let end = line.end {
                sessions[sessions.count - 1].failure = end
            } else {
                let question = Question(target: line.request ?? "", type: line.type, body: CouchRecording.bytes(line.body, line.data))
                let answer = line.status.map {
                    Answer(status: $0, headers: line.headers ?? [:], body: CouchRecording.bytes(line.answer, line.bytes))
                }
                sessions[sessions.count - 1].steps.append((question, answer))
            }
        }
    }

    func write() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var lines = [line { ($0.recording, $0.server) = (name, server) }]
        for (index, session) in sessions.enumerated() {
            lines.append(line { $0.session = index + 1 })
            for step in session.steps {
                lines.append(
                    line { line in
                        (line.request, line.type) = (step.question.target, step.question.type)
                        (line.body, line.data) = CouchRecording.texts(step.question.body)
                        (line.status, line.headers) = (step.answer?.status, step.answer?.headers)
                        (line.answer, line.bytes) = CouchRecording.texts(step.answer?.body ?? [])
                    })
            }
            lines.append(line { $0.end = session.failure })
        }
        let text = try lines.map { String(decoding: try encoder.encode($0), as: UTF8.self) } + database
        try FileManager.default.createDirectory(atPath: Recording.folder + "/HTTP", withIntermediateDirectories: true)
        try Data((text.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: "\(Recording.folder)/HTTP/\(name)-\(server).jsonl"))
    }

    private func line(_ change: (inout Line) -> Void) -> Line {
        var line = Line()
        change(&line)
        return line
    }

    private static func bytes(_ text: String?, _ data: String?) -> [UInt8] {
        Array(data.flatMap { Data(base64Encoded: $0) } ?? Data((text ?? "").utf8))
    }

    private static func texts(_ bytes: [UInt8]) -> (String?, String?) {
        if bytes.isEmpty { return (nil, nil) }
        if let text = String(validating: bytes, as: UTF8.self) { return (text, nil) }
        return (nil, Data(bytes).base64EncodedString())
    }
}
