import CBLBase
import CBLFleece
import CBLReplication
import CBLStore
import CBLTransport

/// A request on its way to an answer. It stays on the thread that answers.
final class RESTCall {
    let exchange: any HTTPExchange
    let service: RESTService
    let place: RESTPlace
    let visitor: Visitor
    /// What it takes to have the database answer.
    var needs = RESTRoutes.Need.everything
    var parameters: RESTParameters
    /// Whether the client was told a status.
    private(set) var hasBegun = false
    private let extraHeaders: HTTPHeaders
    private var found: Keyspace?
    private var heldBytes = 0
    /// What everybody's body may have.
    private static let smallBody = 1 << 18

    init(_ exchange: any HTTPExchange, _ place: RESTPlace, _ visitor: Visitor, _ headers: HTTPHeaders, _ service: RESTService) {
        self.visitor = visitor
        extraHeaders = headers
        self.exchange = exchange
        self.place = place
        self.service = service
        parameters = RESTParameters(exchange.request.query)
    }

    deinit { if heldBytes > 0 { service.bodies.give(back: heldBytes) } }

    var request: HTTPRequest { exchange.request }
    var isHead: Bool { request.method == "HEAD" }
    var isReading: Bool { isHead || request.method == "GET" }

    /// What the client understands.
    var accepted: AcceptedTypes { AcceptedTypes(request.headers) }

    /// The collection that the request is about. What is not for the visitor is not there for them.
    func keyspace() throws -> Keyspace {
        if let found { return found }
        let keyspace = try service.settings.edge == nil ? service.databases.keyspace(named: place.database) : edgeKeyspace()
        guard let access = visitor.rights.access(to: keyspace.served.share, keyspace.collection) else {
            throw nothing(at: keyspace.served.name)
        }
        guard keyspace.served.share.contains(keyspace.collection) else { throw RESTError.notFound("no such collection") }
        if let missing = needs.missing(in: access) { throw RESTError.forbidden(missing) }
        found = keyspace
        return keyspace
    }

    /// What somebody is told who asks for what is not there for them.
    func nothing(at name: String) -> RESTError {
        service.settings.edge?.refusal(of: name, to: visitor) ?? .notFound("no such database")
    }

    /// Where rules count, nobody learns by asking what there is. And what is due is gone, even if nobody has removed it yet.
    private func edgeKeyspace() throws -> Keyspace {
        do {
            let keyspace = try service.databases.keyspace(named: place.database)
            try keyspace.database.purgeWhatIsDue()
            return keyspace
        } catch let error as RESTError where error.status == 404 {
            let refusal = nothing(at: try Keyspace.split(place.database).database)
            throw refusal.status == 404 ? error : refusal
        }
    }

    /// What is to be said to somebody who may not change how the database answers, and whom it refuses; nil to all others.
    func missingForDesigns(of keyspace: Keyspace) -> String? {
        guard let access = visitor.rights.access(to: keyspace.served.share, keyspace.collection) else { return "this is not yours" }
        return RESTRoutes.Need.everything.missing(in: access)
    }

    /// Tells of what was done, if somebody has to know later.
    func audit(_ event: AuditEvent, document: String? = nil, text: String? = nil) {
        service.settings.audit?.tell(
            event, .init(user: visitor.name, address: request.address, keyspace: place.database, document: document, text: text))
    }

    // What was asked for.

    /// The whole body.
    func body() throws -> [UInt8] {
        var bytes: [UInt8] = []
        let limit = service.settings.maximumBody
        try readBody(most: limit) { piece in
            guard bytes.count + piece.count <= limit else { throw RESTError.tooLarge("the body is longer than \(limit) bytes") }
            try hold(bytes.count + piece.count)
            bytes.append(contentsOf: piece)
        }
        return bytes
    }

    /// So many bytes of the body are in memory, until the request is answered.
    func hold(_ total: Int) throws(RESTError) {
        let more = total - RESTCall.smallBody - heldBytes
        guard more > 0 else { return }
        try service.bodies.take(more)
        heldBytes += more
    }

    /// Gives the body to `take`, piece by piece, unpacked.
    func readBody(most: Int = BlobFolder.longest, _ take: (UnsafeRawBufferPointer) throws -> Void) throws {
        guard let coding = ContentCoding.of(request.headers) else { throw RESTError.badContentType("the body is packed in an unknown way") }
        let decoder = try coding.decoder(mostBytes: most)
        let space = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
        defer { space.deallocate() }
        while true {
            let count = try exchange.read(into: space)
            let piece = UnsafeRawBufferPointer(rebasing: space[..<count])
            if let decoder {
                if count == 0 { try decoder.finish() } else { try decoder.decode(piece, take) }
            } else if count > 0 {
                try take(piece)
            }
            guard count > 0 else { return }
        }
    }

    /// The body, which is a JSON object.
    func object() throws -> FleeceData {
        let data = try RESTCall.parse(try body())
        guard data.withRoot({ $0.dictionary != nil }) else { throw RESTError.badJSON("the body is not an object") }
        return data
    }

    /// The same, or nil if there is no body.
    func objectIfAny() throws -> FleeceData? {
        let bytes = try body()
        guard !bytes.allSatisfy({ $0 == 0x20 || $0 == 0x0A || $0 == 0x0D || $0 == 0x09 }) else { return nil }
        let data = try RESTCall.parse(bytes)
        guard data.withRoot({ $0.dictionary != nil }) else { throw RESTError.badJSON("the body is not an object") }
        return data
    }

    static func parse(_ bytes: [UInt8]) throws -> FleeceData {
        let encoder = FleeceEncoder()
        try bytes.withUnsafeBytes { try JSONParser.parse($0, into: encoder) }
        return try encoder.finish()
    }

    /// When the document is to expire, in milliseconds since 1970: so many seconds from now (`ttl`), or then (`expires`, in seconds), whichever is
    /// sooner. Nil if nothing is said of that.
    func expiration() throws(RESTError) -> Int64? {
        func seconds(_ name: String) throws(RESTError) -> Int64? {
            guard let text = parameters[name] else { return nil }
            guard let number = Int64(text), number > 0, number < 1 << 40 else { throw .badParameter("\(name) is a number of seconds") }
            return number * 1000
        }
        let ends = [try seconds("ttl").map { WallClock.milliseconds + $0 }, try seconds("expires")]
        return ends.compactMap { $0 }.min()
    }

    /// The revision that the client believes to change, by any of the ways to say so.
    func parentRevision(_ inBody: String? = nil) throws(RESTError) -> String? {
        let header = request.headers["If-Match"].map {
            $0.utf8.count > 1 && $0.hasPrefix("\"") && $0.hasSuffix("\"") ? String($0.dropFirst().dropLast()) : $0
        }
        let named = [inBody, parameters["rev"], header == "*" ? nil : header].compactMap { $0 }.filter { !$0.isEmpty }
        guard Set(named).count <= 1 else { throw .badRequest("the revisions in the body, the URL and the headers differ") }
        return named.first
    }

    // What is answered.

    /// Whether the client has this state already. Then it was told so, and that is the answer.
    func isUnchanged(_ tag: String) throws(HTTPInterruption) -> Bool {
        guard isReading, request.headers["If-None-Match"] == "\"\(tag)\"" else { return false }
        try begin(304, headers: ["Etag": "\"\(tag)\""], length: 0)
        exchange.end()
        return true
    }

    func begin(_ status: Int, headers: HTTPHeaders = [:], length: Int?) throws(HTTPInterruption) {
        var headers = headers
        if isReading, status == 200, headers["Cache-Control"] == nil { headers.add("Cache-Control", "must-revalidate") }
        for field in extraHeaders.fields { headers.add(field.name, field.value) }
        hasBegun = true
        service.settings.observer?(request, visitor, status)
        try exchange.begin(HTTPResponseHead(status: status, headers: headers), length: length)
    }

    /// Nobody reads the body of an answer to HEAD.
    func write(_ bytes: UnsafeRawBufferPointer) throws(HTTPInterruption) {
        if !isHead { try exchange.write(bytes) }
    }

    func write(_ bytes: [UInt8]) throws(HTTPInterruption) {
        let result = bytes.withUnsafeBytes { piece in Result { () throws(HTTPInterruption) in try write(piece) } }
        try result.get()
    }

    /// A short answer: an object.
    func answer(_ status: Int = 200, headers: HTTPHeaders = [:], _ fill: (inout JSONObjectWriter) throws -> Void) throws {
        var object = JSONObjectWriter()
        object.begin()
        try fill(&object)
        object.end()
        try answer(status, headers: headers, json: object.buffer.bytes)
    }

    func answer(_ status: Int = 200, headers: HTTPHeaders = [:], json: UnsafeRawBufferPointer) throws {
        guard parameters.flag("pretty"), json.count < JSONAnswer.longestPretty else { return try answer(status, headers, json) }
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        var pretty = ByteBuffer(capacity: json.count * 2)
        try encoder.finish().withRoot { _ = JSONWriter.write($0, keys: nil, style: .pretty, to: &pretty) }
        try pretty.withBytes { try answer(status, headers, $0) }
    }

    private func answer(_ status: Int, _ headers: HTTPHeaders, _ json: UnsafeRawBufferPointer) throws {
        var headers = headers
        headers.set("Content-Type", "application/json")
        if let packing = try PackedAnswer(self, of: json.count, &headers) {
            var packed = ByteBuffer(capacity: json.count / 4)
            packing.finish(json) { packed.append($0) }
            try begin(status, headers: headers, length: packed.count)
            try write(packed.bytes)
        } else {
            try begin(status, headers: headers, length: json.count)
            try write(json)
        }
        exchange.end()
    }

    func answerOK(_ status: Int = 200, headers: HTTPHeaders = [:]) throws {
        try answer(status, headers: headers) { $0.add("ok", true) }
    }

    func answer(_ error: RESTError) throws { try answer(error.status) { error.write(to: &$0) } }

    /// Where the request went, without parameters, or something below it.
    func location(_ more: String? = nil) -> String {
        let path = (request.path + (more.map { [$0] } ?? [])).map { "/" + PercentEncoding.component($0) }.joined()
        guard let host = request.headers["Host"] else { return path }
        return "\(service.settings.scheme)://\(host)\(path)"
    }
}
