import CBLBase
import CBLFleece
import CBLTransport

/// A service that makes vectors of texts, asked over HTTP as OpenAI's and Ollama's are: both take `{"model":…,"input":[…]}`.
final class EmbeddingService: Embedder {
    private let url: PeerURL
    private let model: String?
    private let headers: HTTPHeaders
    private let client: HTTPClient
    /// Many vectors as text.
    private static let longestAnswer = 1 << 28

    init(_ url: PeerURL, model: String?, _ headers: HTTPHeaders) {
        self.url = url
        self.model = model
        self.headers = headers
        var settings = HTTPClientSettings()
        settings.proxy = ServerAccess.isThisMachine(url.host) ? .none : ServerAccess.proxyOfEnvironment
        // A large model thinks for minutes; Ctrl-C is there.
        settings.idleTimeout = nil
        client = HTTPClient(settings)
    }

    func end() { client.close() }

    func embed(_ values: ArrayView, _ take: ([Float]?) throws -> Void) throws {
        let texts = values.map { EmbeddingService.text($0) }
        let asked = texts.compactMap { $0 }
        guard !asked.isEmpty else {
            for _ in texts { try take(nil) }
            return
        }
        var answers: ArraySlice<[Float]?>
        do { answers = try vectors(of: asked)[...] } catch let error as EmbeddingError where error.isAboutValue && asked.count > 1 {
            // Somebody's fault: whose shows when they come one by one.
            for text in texts { try take(text.map { try vectors(of: [$0])[0] } ?? nil) }
            return
        }
        for text in texts { try take(text == nil ? nil : answers.removeFirst()) }
    }

    /// What of a value is sent; nil for what has nothing to be made a vector of. Values that are no texts are sent as JSON.
    static func text(_ value: Value) -> String? {
        if value.isNull || value.kind == .undefined { return nil }
        let text = value.string ?? value.json()
        return text.isEmpty ? nil : text
    }

    private func vectors(of texts: [String]) throws -> [[Float]?] {
        let (head, body) = try post(request(texts))
        guard (200..<300).contains(head.status) else { throw refusal(head, body) }
        let answer: FleeceData
        do {
            let encoder = FleeceEncoder()
            try body.withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
            answer = try encoder.finish()
        } catch {
            throw EmbeddingError(message: "\(url.webDescription) answered with no JSON: \(excerpt(body))", isAboutValue: false)
        }
        return try answer.withRoot { try EmbeddingService.vectors($0, count: texts.count, from: url.webDescription) }
    }

    private func request(_ texts: [String]) -> [UInt8] {
        var line = JSONObjectWriter()
        line.begin()
        if let model { line.add("model", model) }
        line.add("input", list: texts)
        line.end()
        return Array(line.buffer.bytes)
    }

    /// Reads `{"data":[{"index":0,"embedding":[…]}, …]}` and `{"embeddings":[[…], …]}`.
    static func vectors(_ root: Value, count: Int, from who: String) throws(EmbeddingError) -> [[Float]?] {
        var found: [Value?] = []
        if let list = root.dictionary?.value(forKey: "data", nil)?.array {
            found = Array(repeating: nil, count: list.count)
            for (place, item) in list.enumerated() {
                let named = item.dictionary?.value(forKey: "index", nil)?.integer
                let place = named.flatMap { Int(exactly: $0) } ?? place
                guard found.indices.contains(place), found[place] == nil, let vector = item.dictionary?.value(forKey: "embedding", nil)
                else {
                    throw EmbeddingError(message: "\(who): the answer's data has not one embedding for each text", isAboutValue: false)
                }
                found[place] = vector
            }
        } else if let list = root.dictionary?.value(forKey: "embeddings", nil)?.array {
            found = list.map { $0 }
        } else {
            throw EmbeddingError(message: "\(who): the answer has neither data nor embeddings", isAboutValue: false)
        }
        guard found.count == count else {
            throw EmbeddingError(
                message: "\(who): the answer has \(found.count) embeddings, where \(count) were asked for", isAboutValue: false)
        }
        var vectors: [[Float]?] = []
        for case let value? in found { vectors.append(try EmbeddingAnswer.vector(value, from: who)) }
        return vectors
    }

    private func refusal(_ head: HTTPResponseHead, _ body: [UInt8]) -> EmbeddingError {
        var hint: String?
        switch head.status {
        case 404, 405:
            hint = "The URL has the service's path, such as http://localhost:11434/api/embed, and --model-name is the model's."
        case 401, 403: hint = "--header 'Authorization: Bearer …' says who asks."
        default: break
        }
        let said = excerpt(body)
        let status = "\(head.status) (\(ForeignText.line(head.reason)))"
        return EmbeddingError(
            message: "\(url.webDescription) answered with status \(status)" + (said.isEmpty ? "" : ": \(said)"),
            // It may be too long, or otherwise not what the service takes.
            isAboutValue: [400, 413, 422, 500].contains(head.status), hint: hint)
    }

    /// What an answer says in words, on one line.
    private func excerpt(_ body: [UInt8]) -> String {
        let encoder = FleeceEncoder()
        if (try? body.withUnsafeBytes { try JSONParser.parse($0, into: encoder) }) != nil, let data = try? encoder.finish() {
            let message = data.withRoot { root in
                let error = root.dictionary?.value(forKey: "error", nil) ?? root.dictionary?.value(forKey: "message", nil)
                return error?.string ?? error?.dictionary?.value(forKey: "message", nil)?.string
            }
            if let message { return ForeignText.line(message) }
        }
        return ForeignText.line(String(decoding: body.prefix(300), as: UTF8.self), limit: 200)
    }

    private func post(_ body: [UInt8]) throws -> (HTTPResponseHead, [UInt8]) {
        var request = HTTPClientRequest("POST", url, headers: headers, body: .bytes(body))
        request.headers.set("Content-Type", "application/json")
        request.headers.set("Accept", "application/json")
        // The same question has the same answer.
        request.isRepeatable = true
        request.mostAnswerBytes = EmbeddingService.longestAnswer
        let answer = try WaitedAnswer()
        let (complete, client) = (request, client)
        client.loop.perform { _ = client.start(complete, delegate: answer) }
        do { return try answer.wait() } catch {
            client.close()
            throw error
        }
    }
}

/// An answer on its way, and the thread that waits for it or for Ctrl-C.
private final class WaitedAnswer: HTTPTaskDelegate {
    private enum Letter: Sendable {
        case head(HTTPResponseHead)
        case bytes([UInt8])
        case end(TransportError?)
    }

    private let mailbox: Mailbox<Letter>

    init() throws { mailbox = try Mailbox() }

    func httpTask(_ task: HTTPTask, received head: HTTPResponseHead) { mailbox.put(.head(head)) }
    func httpTask(_ task: HTTPTask, received bytes: UnsafeRawBufferPointer) { mailbox.put(.bytes(Array(bytes))) }
    func httpTask(_ task: HTTPTask, endedWith error: TransportError?) { mailbox.put(.end(error)) }

    func wait() throws -> (HTTPResponseHead, [UInt8]) {
        var head: HTTPResponseHead?
        var body: [UInt8] = []
        while true {
            try Interruption.check()
            for letter in mailbox.take() {
                switch letter {
                case .head(let received): head = received
                case .bytes(let bytes): body += bytes
                case .end(let error):
                    if let error {
                        throw EmbeddingError(message: error.message, isAboutValue: false, hint: error.advice.map { $0 + "." })
                    }
                    guard let head else { throw EmbeddingError(message: "there is no answer", isAboutValue: false) }
                    return (head, body)
                }
            }
        }
    }
}
