import Foundation

/// A request of the REST API of 1.x, for a ``RESTServer``.
///
///     RESTRequest("PUT", "/travel/hotel?rev=1-ab", json: #"{"stars":4}"#)
public struct RESTRequest: Sendable {
    /// `GET`, `PUT` and so on.
    public var method: String
    /// Where it goes: a path, percent-encoded, with parameters behind a question mark if there are any.
    public var target: String
    /// What is said of it besides.
    public var headers: [String: String]
    /// What is sent with it.
    public var body: Data

    /// A request with any body, or with none.
    public init(_ method: String, _ target: String, headers: [String: String] = [:], body: Data = Data()) {
        self.method = method
        self.target = target
        self.headers = headers
        self.body = body
    }

    /// A request whose body is JSON.
    public init(_ method: String, _ target: String, json: String) {
        self.init(method, target, headers: ["Content-Type": "application/json"], body: Data(json.utf8))
    }
}

/// What a ``RESTServer`` has answered. The body comes as it is made.
public struct RESTResponse: Sendable {
    /// As in HTTP: 200, 404 and so on.
    public let status: Int
    /// What is said of the body.
    public let headers: [String: String]
    /// The answer itself.
    public let body: RESTBody
}

/// The body of an answer, in pieces. Whoever makes it waits for whoever takes it, so that it may be longer than memory, and a feed may go on for ever;
/// one that is not taken to its end is given up when nobody has it any more.
public struct RESTBody: AsyncSequence, Sendable {
    /// Gives the pieces.
    public struct AsyncIterator: AsyncIteratorProtocol {
        let holder: BodyPipe.Holder

        /// The next piece; nil at the end.
        public mutating func next() async -> Data? { await holder.pipe.next() }
    }

    let holder: BodyPipe.Holder

    /// Begins with the pieces that nobody has taken yet.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(holder: holder) }

    /// All of it. A feed that goes on has no end to wait for.
    public func data() async -> Data {
        var all = Data()
        for await piece in self { all += piece }
        return all
    }

    /// All of it, as text.
    public func text() async -> String { String(decoding: await data(), as: UTF8.self) }
}
