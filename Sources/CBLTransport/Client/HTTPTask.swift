import CBLBase
import Glibc

/// Who is told what comes of a request. On the client's loop.
package protocol HTTPTaskDelegate: AnyObject, Sendable {
    /// The answer, behind all redirects and challenges.
    func httpTask(_ task: HTTPTask, received head: HTTPResponseHead)
    /// What comes next of its body, unpacked; valid until this returns.
    func httpTask(_ task: HTTPTask, received bytes: UnsafeRawBufferPointer)
    /// All of it has come, or none will come any more. Nothing is told afterwards.
    func httpTask(_ task: HTTPTask, endedWith error: TransportError?)
}

/// A request under way. On its client's loop only, but for `cancelFromAnywhere`.
package final class HTTPTask: @unchecked Sendable {
    // Sendable: the loop's thread alone touches what changes.

    // Of an answer that only sends elsewhere. If it is longer, the connection costs less than to read it.
    private static let mostDiscarded = 65536
    private static let outputSize = 65536

    private let request: HTTPClientRequest
    let client: HTTPClient
    private weak var delegate: (any HTTPTaskDelegate)?
    private var conversation: HTTPConversation
    private var upload: UploadCursor
    private var ticket: HTTPConnectionPool.Ticket?
    private var connection: (connection: HTTPClientConnection, key: HTTPConnectionPool.Key, isUsed: Bool)?
    private var timer: LoopTimer?
    private var hasRepeated = false
    /// Bytes of an answer that is of no interest; nil while it is of interest.
    private var discarded: Int?
    private var decoder: ContentDecoder?
    private var decoderHasMore = false
    private var isAnswerComplete = false
    private var received = 0
    private var isOver = false
    /// What has been sent elsewhere for is here.
    package var url: PeerURL { conversation.url }

    init(_ request: HTTPClientRequest, _ client: HTTPClient, delegate: any HTTPTaskDelegate) {
        self.request = request
        self.client = client
        self.delegate = delegate
        conversation = HTTPConversation(request, digest: client.digest(for: request.url))
        upload = UploadCursor(request.body)
    }

    /// Whoever does not want more now gets no more until this is false again, and the server cannot send any more soon.
    package var isReadingPaused = false {
        didSet {
            guard oldValue, !isReadingPaused, !isOver else { return }
            client.loop.later { [self] in resume() }
        }
    }

    /// Nothing is told afterwards.
    package func cancel() {
        delegate = nil
        release()
    }

    /// Fails, since its client wants no more of anything.
    func abort() { finish(TransportError(.posix(ECANCELED), "\(url.webDescription): the request was given up")) }

    package func cancelFromAnywhere() { client.loop.perform { self.cancel() } }

    func start() {
        if let limit = request.timeout {
            timer = client.loop.timer(after: limit) { [weak self] in
                guard let self else { return }
                self.finish(.timeout(self.url, after: limit, "there is no answer"))
            }
        }
        // Its owner is told later, never while it still asks.
        client.loop.later { [self] in attempt(fresh: false) }
    }

    private func release() {
        isOver = true
        timer?.cancel()
        if let ticket { client.pool.cancel(ticket) }
        ticket = nil
        connection?.connection.close()
        giveBack()
        client.forget(self)
    }

    private func giveBack() {
        guard let (connection, key, _) = connection else { return }
        self.connection = nil
        client.pool.giveBack(connection, key)
    }

    private func finish(_ error: TransportError?) {
        guard !isOver else { return }
        let delegate = delegate
        self.delegate = nil
        release()
        delegate?.httpTask(self, endedWith: error)
    }

    private func attempt(fresh: Bool) {
        guard !isOver else { return }
        let url = conversation.url
        let key = HTTPConnectionPool.Key(url, isIdentified: client.settings.identity != nil && conversation.isAtNamedServer)
        discarded = nil
        let ticket = client.pool.connection(for: key, to: url, fresh: fresh) { [weak self] result in
            guard let self else { return }
            self.ticket = nil
            switch result {
            case .success(let (connection, isUsed)):
                self.connection = (connection, key, isUsed)
                self.send(over: connection)
            case .failure(let error): self.finish(error)
            }
        }
        // If there was one at once, it may have ended already, and another one be waited for.
        if ticket.isPending { self.ticket = ticket }
    }

    private func send(over connection: HTTPClientConnection) {
        let length = request.body.length
        let settings = client.settings
        let asks = conversation.hasBody && length ?? .max >= settings.consentThreshold
        var random = SystemRandomNumberGenerator()
        let head = conversation.head(
            cookies: settings.cookies?.header(for: url), userAgent: settings.userAgent, bodyLength: length, expectsContinue: asks,
            proof: (conversation.digest.map { client.countProof($0, for: url) } ?? 0, WebSocketKey.random(using: &random)),
            time: WallClock.milliseconds / 1000)
        let form: HTTPBodyForm = !conversation.hasBody ? .none : length.map { .sized($0) } ?? .chunked
        connection.begin(
            head, form: form, consent: asks ? settings.consentTimeout : nil, patience: settings.idleTimeout, for: self)
    }

    // The same, or what the answer asks for instead, once more.
    private func again(fresh: Bool) {
        guard !conversation.hasBody || upload.rewind() else {
            return finish(
                TransportError(
                    .network(.unknown), "\(url.webDescription): what was to be sent has to be sent again, and cannot be",
                    advice: "Try again"))
        }
        attempt(fresh: fresh)
    }

    private func resume() {
        guard !isOver, !isReadingPaused else { return }
        if decoderHasMore { _ = unpack(UnsafeRawBufferPointer(start: nil, count: 0)) }
        guard !isOver, !isReadingPaused else { return }
        if isAnswerComplete { return complete() }
        connection?.connection.proceed()
    }

    // How many of the bytes were taken: not all if the owner has had enough for now.
    private func unpack(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard let decoder else {
            deliver(bytes)
            return bytes.count
        }
        var consumed = 0
        withUnsafeTemporaryAllocation(byteCount: HTTPTask.outputSize, alignment: 16) { output in
            repeat {
                do throws(Decompressor.Failure) {
                    let progress = try decoder.decode(UnsafeRawBufferPointer(rebasing: bytes[consumed...]), into: output)
                    consumed += progress.consumed
                    decoderHasMore = progress.produced == output.count
                    if progress.produced > 0 { deliver(UnsafeRawBufferPointer(rebasing: output[..<progress.produced])) }
                } catch { return finish(.damagedAnswer(error, from: url)) }
            } while !isOver && !isReadingPaused && (decoderHasMore || consumed < bytes.count)
        }
        return consumed
    }

    private func deliver(_ bytes: UnsafeRawBufferPointer) {
        received += bytes.count
        guard received <= request.mostAnswerBytes else { return finish(.damagedAnswer(.tooLong, from: url)) }
        delegate?.httpTask(self, received: bytes)
    }

    private func complete() {
        do throws(Decompressor.Failure) {
            try decoder?.finish()
            finish(nil)
        } catch { finish(.damagedAnswer(error, from: url)) }
    }

    private func answered(_ head: HTTPResponseHead) {
        var head = head
        if request.unpacksAnswer, conversation.method != "HEAD", head.status != 206 {
            guard let coding = ContentCoding.of(head.headers) else {
                return finish(.malformed("it is packed in a way that was not asked for", by: url))
            }
            do throws(Decompressor.Failure) { decoder = try coding.decoder(mostBytes: request.mostAnswerBytes) } catch {
                return finish(.damagedAnswer(error, from: url))
            }
            if decoder != nil { for name in ["Content-Encoding", "Content-Length"] { head.headers.remove(name) } }
        }
        delegate?.httpTask(self, received: head)
    }
}

extension HTTPTask: HTTPClientConnectionOwner {
    func connection(
        _ connection: HTTPClientConnection, wantsBody space: UnsafeMutableRawBufferPointer
    ) throws(TransportError) -> Int? {
        if upload.isAtEnd { return 0 }
        let loop = client.loop
        return try upload.read(into: space) { [weak self] in
            loop.perform { [weak self] in self?.connection?.connection.proceed() }
        }
    }

    func connection(_ connection: HTTPClientConnection, received head: HTTPResponseHead) {
        client.settings.cookies?.add(from: head.headers, of: url)
        switch conversation.step(after: head) {
        case .answered: answered(head)
        case .again: discarded = 0
        case .failed(let error): finish(error)
        }
    }

    func connection(_ connection: HTTPClientConnection, offers bytes: UnsafeRawBufferPointer) -> Int {
        guard let count = discarded else { return isReadingPaused ? 0 : unpack(bytes) }
        discarded = count + bytes.count
        if count + bytes.count > HTTPTask.mostDiscarded {
            connection.close()
            connectionIsDone(connection)
        }
        return bytes.count
    }

    func connectionIsDone(_ connection: HTTPClientConnection) {
        giveBack()
        guard discarded == nil else { return again(fresh: false) }
        isAnswerComplete = true
        if !decoderHasMore { complete() }
    }

    func connection(_ connection: HTTPClientConnection, failed error: TransportError, beforeAnswer: Bool) {
        let isUsed = self.connection?.isUsed ?? false
        giveBack()
        if discarded != nil { return again(fresh: false) }
        // The server may have ended the connection while the request was on its way: then it has not seen it, or has it seen without answering.
        guard isUsed, beforeAnswer, request.mayBeRepeated, !hasRepeated, error.persistence == .transient else { return finish(error) }
        hasRepeated = true
        again(fresh: true)
    }
}

extension TransportError {
    fileprivate static func damagedAnswer(_ failure: Decompressor.Failure, from url: PeerURL) -> TransportError {
        let reason =
            switch failure {
            case .damaged: "it is compressed, and damaged"
            case .cutOff: "it is compressed, and cut off"
            case .tooLong: "it is longer than it may be"
            case .outOfMemory: "there is no memory for it"
            }
        return TransportError(.network(.unknown), "\(url.webDescription): the answer cannot be read: \(reason)")
    }
}
