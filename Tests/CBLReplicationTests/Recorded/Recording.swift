import CBLBase
import CBLTestSupport
import FoundationEssentials

/// What a gateway and our side said to each other in one or several sessions, and what came of it. One line of JSON for each of these:
///
///     {"recording":"initial push","gateway":"4.0.7","protocol":"BLIP_3+CBMobile_3"}
///     {"session":1}
///     {"request":1,"profile":"getCheckpoint","properties":{"client":"cp-…"}}     ours, in words
///     {"frame":"…"}                                                              the gateway's, as it came, in Base64
///     {"reply":2,"body":"[]"}                                                    ours, to a request of the gateway's
///     {"end":""}                                                                 of the session, with the error if there was one
///     {"collection":"_default"}                                                  what the database holds afterwards, as lines
///     {"doc":"a","revs":[…]}                                                     of an archive, without sequences
struct Recording {
    /// Something that we say.
    struct Message: Equatable, CustomStringConvertible {
        /// The number of our request, or of the gateway's that we answer.
        var number: UInt64
        var isReply: Bool
        var isError = false
        var profile = ""
        var properties: [String: String] = [:]
        var body: [UInt8] = []

        /// What can be compared: a time is never the same again, and numbers depend on what else is going on.
        var content: Message {
            var copy = self
            if !isReply { copy.number = 0 }
            if profile == "setCheckpoint" { copy.body = Array(Message.withoutTime(String(decoding: body, as: UTF8.self)).utf8) }
            // A blob is as good as its digest.
            if isReply, body.count > Message.longestReply {
                copy.body = Array("\(body.count) bytes, SHA-1 \(body.withUnsafeBytes { SHA1.digest(of: $0) }.hex)".utf8)
            }
            return copy
        }

        private static let longestReply = 4096

        private static func withoutTime(_ body: String) -> String {
            guard let start = body.firstRange(of: "\"time\":")?.upperBound else { return body }
            return body[..<start] + "0" + body[start...].drop { $0.isNumber }
        }

        var description: String {
            let list = properties.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
            return
                "\(isError ? "error" : isReply ? "reply" : "request") \(number) \(profile) \(list) \(String(decoding: body, as: UTF8.self))"
        }
    }

    enum Step {
        case ours(Message)
        case gateway(frame: [UInt8])
    }

    struct Session {
        var steps: [Step] = []
        var failure = ""
    }

    var name: String
    var gateway: String
    var version: String
    var sessions: [Session] = []
    var database: [String] = []

    static let folder = Fixtures.package + "/Tests/CBLReplicationTests/Recordings"
    static let files = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(".jsonl") }.sorted()

    init(_ name: String, gateway: String, version: String) {
        self.name = name
        self.gateway = gateway
        self.version = version
    }

    var file: String {
        "\(name.split(separator: " ").joined(separator: "-"))-\(gateway)-\(version.suffix(1)).jsonl"
    }
}

// As a file.
extension Recording {
    private struct Line: Codable {
        var recording, gateway, `protocol`: String?
        var session: Int?
        var request, reply, error: UInt64?
        var profile: String?
        var properties: [String: String]?
        var body: String?
        /// A body that is no text.
        var data: String?
        var frame: String?
        var end: String?
    }

    struct Unreadable: Error { let line: String }

    init(file: String) throws {
        self.init("", gateway: "", version: "")
        for text in try String(contentsOfFile: Recording.folder + "/" + file, encoding: .utf8).split(separator: "\n") {
            if text.hasPrefix("{\"collection\"") || text.hasPrefix("{\"doc\"") {
                database.append(String(text))
                continue
            }
            let line = try JSONDecoder().decode(Line.self, from: Data(text.utf8))
            if let recording = line.recording {
                (name, gateway, version) = (recording, line.gateway ?? "", line.protocol ?? "")
            } else if line.session != nil {
                sessions.append(Session())
            } else if sessions.isEmpty {
                throw Unreadable(line: String(text))
            } else if let end = line.end {
                sessions[sessions.count - 1].failure = end
            } else {
                sessions[sessions.count - 1].steps.append(try Recording.step(line, String(text)))
            }
        }
    }

    private static func step(_ line: Line, _ text: String) throws -> Step {
        if let frame = line.frame.flatMap({ Data(base64Encoded: $0) }) { return .gateway(frame: Array(frame)) }
        guard let number = line.request ?? line.reply ?? line.error else { throw Unreadable(line: text) }
        let body = line.data.flatMap { Data(base64Encoded: $0) } ?? Data((line.body ?? "").utf8)
        return .ours(
            Message(
                number: number, isReply: line.request == nil, isError: line.error != nil, profile: line.profile ?? "",
                properties: line.properties ?? [:], body: Array(body)))
    }

    func write() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        var lines = [Line(recording: name, gateway: gateway, protocol: version)]
        for (index, session) in sessions.enumerated() {
            lines.append(Line(session: index + 1))
            lines += session.steps.map(Recording.line)
            lines.append(Line(end: session.failure))
        }
        let text = try lines.map { String(decoding: try encoder.encode($0), as: UTF8.self) } + database
        try Data((text.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: Recording.folder + "/" + file))
    }

    private static func line(_ step: Step) -> Line {
        switch step {
        case .gateway(let frame): return Line(frame: Data(frame).base64EncodedString())
        case .ours(let message):
            let message = message.masked
            var line = Line()
            if !message.isReply {
                line.request = message.number
            } else if message.isError {
                line.error = message.number
            } else {
                line.reply = message.number
            }
            if !message.profile.isEmpty { line.profile = message.profile }
            if !message.properties.isEmpty { line.properties = message.properties }
            if let text = String(validating: message.body, as: UTF8.self) {
                if !text.isEmpty { line.body = text }
            } else {
                line.data = Data(message.body).base64EncodedString()
            }
            return line
        }
    }
}

extension Recording.Message {
    /// Without what is never the same again, but with its number.
    fileprivate var masked: Recording.Message {
        var copy = content
        copy.number = number
        return copy
    }
}
