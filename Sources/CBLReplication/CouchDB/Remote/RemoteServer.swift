import CBLTransport

/// A server that speaks CouchDB's protocol, over the network or in this process. Who asks it waits, on a thread that may.
package protocol RemoteServer: AnyObject, Sendable {
    /// Gives the answer when its head has come, whatever its status.
    func send(_ request: RemoteRequest) throws -> RemoteAnswer
    /// Ends what is under way: who waits for it gets an error. Later requests are answered again.
    func interrupt()
    /// So many requests at the same time are of use.
    var mostRequests: Int { get }
}

/// What is asked of a server.
package struct RemoteRequest {
    package enum Body {
        case none
        case json([UInt8])
        /// Of that type.
        case product(HTTPProduct, type: String)
    }

    package var method: String
    /// Decoded; the first component is the name of the database.
    package var path: [String]
    package var query: HTTPQuery
    package var headers: HTTPHeaders = [:]
    package var body = Body.none

    package init(_ method: String, _ path: [String], query: HTTPQuery = HTTPQuery(), body: Body = .none) {
        self.method = method
        self.path = path
        self.query = query
        self.body = body
    }

    /// All headers, with that of the body's type.
    package var allHeaders: HTTPHeaders {
        var headers = headers
        switch body {
        case .none: break
        case .json: headers.set("Content-Type", "application/json")
        case .product(_, let type): headers.set("Content-Type", type)
        }
        return headers
    }
}

/// What a server answers; its body is read piece by piece. To be used by one thread.
package final class RemoteAnswer {
    package let status: Int
    package let headers: HTTPHeaders
    private let source: (UnsafeMutableRawBufferPointer) throws -> Int

    package init(_ status: Int, _ headers: HTTPHeaders, source: @escaping (UnsafeMutableRawBufferPointer) throws -> Int) {
        self.status = status
        self.headers = headers
        self.source = source
    }

    package var isSuccess: Bool { (200..<300).contains(status) }

    package func forEachPiece(_ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        try withUnsafeTemporaryAllocation(byteCount: 65536, alignment: 16) { space in
            while case let count = try source(space), count > 0 { try take(UnsafeRawBufferPointer(rebasing: space[..<count])) }
        }
    }

    /// All of it. What is longer is an error: nobody is to fill our memory.
    package func readAll(most: Int = RemoteAnswer.longest) throws -> [UInt8] {
        var bytes: [UInt8] = []
        try forEachPiece { piece in
            guard bytes.count + piece.count <= most else { throw SyncError.http(502, "the server's answer is longer than \(most) bytes") }
            bytes.append(contentsOf: piece)
        }
        return bytes
    }

    package static let longest = 1 << 28
}
