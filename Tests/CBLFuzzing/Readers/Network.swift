import CBLBase

@testable import CBLTransport

extension FuzzedReader {
    static let network = [
        FuzzedReader("websocket", "frames of WebSocket", mostBytes: 400, seeds: webSocketSeeds) { bytes in
            var isAccepted = false
            for role in [WebSocketRole.client, .server] {
                let whole = events(bytes, role, piece: .max)
                require(events(bytes, role, piece: 3) == whole, "what is read depends on how it was cut")
                if whole.last.map({ $0 != "violation" }) ?? false { isAccepted = true }
            }
            return isAccepted
        },
        FuzzedReader("http", "heads and bodies of HTTP", mostBytes: 600, texts: httpTexts, readHTTP),
        FuzzedReader(
            "http-header", "what stands in headers, and URLs", mostBytes: 300, texts: headerTexts, others: otherHeaderTexts, readHeader),
        FuzzedReader("multipart", "bodies in parts", mostBytes: 400, texts: ["--B\r\nA: b\r\n\r\none\r\n--B\r\n\r\n\r\n--B--"]) { bytes in
            let whole = parts(bytes, piece: .max)
            for piece in [1, 7] { require(parts(bytes, piece: piece) == whole, "what is read depends on how it was cut") }
            return whole != nil
        },
        FuzzedReader("compressed", "gzip, zlib and deflate", mostBytes: 400, seeds: compressedSeeds) { bytes in
            var isAccepted = false
            for format in [CompressedFormat.gzip, .zlib, .raw] {
                let whole = decompressed(bytes, format, piece: .max)
                require(decompressed(bytes, format, piece: 5) == whole, "what is read depends on how it was cut")
                if whole != nil { isAccepted = true }
            }
            return isAccepted
        },
        FuzzedReader(
            "certificate", "certificates", mostBytes: 2000,
            seeds: certificates.map(\.der) + [Array(identity?.certificatePEM.utf8 ?? "".utf8)]
        ) { bytes in
            let found = try Certificate.read(bytes, name: "x")
            for certificate in found {
                _ = (certificate.fingerprint, certificate.isSelfSigned, certificate.isFor("localhost"), certificate.pem)
            }
            return !found.isEmpty
        },
        FuzzedReader("pkcs12", "keys in files with a password", mostBytes: 4000, seeds: []) { bytes in
            _ = try TLSIdentity.read(pkcs12: bytes, password: "secret", name: "x")
            return true
        },
        FuzzedReader("announcement", "what peers on the network say of themselves", mostBytes: 400, seeds: [announcementSeed]) { bytes in
            var parts = InputParts(bytes)
            var entries: [[UInt8]] = []
            while !parts.isEmpty { entries.append(parts.piece()) }
            let text = ServiceText(entries)
            let peer = FoundPeer(.init(name: "x"), host: "h.local", port: 1, addresses: ["::1"], text: text)
            _ = peer.kind
            return PeerAnnouncement(text) != nil
        },
    ]

    // MARK: WebSocket

    private static let webSocketSeeds: [[UInt8]] = [
        [0x01, 0x03] + Array("Hel".utf8) + [0x89, 0x00, 0x80, 0x02] + Array("lo".utf8) + [0x88, 0x04, 0x03, 0xE8, 0x6F, 0x6B],
        [0x82, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58, 0x82, 0xFE, 0x00, 0x80, 1, 2, 3, 4]
            + [UInt8](repeating: 7, count: 128),
    ]

    private static func events(_ bytes: [UInt8], _ role: WebSocketRole, piece: Int) -> [String] {
        var reader = FrameReader(role: role, maximumMessageSize: 1000)
        var queue = ByteQueue()
        var events: [String] = []
        var rest = bytes[...]
        repeat {
            queue.append(Array(rest.prefix(piece)))
            rest = rest.dropFirst(piece)
            do throws(WebSocketViolation) {
                while let event = try reader.next(in: &queue) { events.append(words(event)) }
            } catch {
                return events + ["violation"]
            }
        } while !rest.isEmpty
        return events
    }

    private static func words(_ event: FrameReader.Event) -> String {
        switch event {
        case .binary(let bytes): "binary \(Array(bytes))"
        case .text(let bytes): "text \(Array(bytes))"
        case .ping(let bytes): "ping \(Array(bytes))"
        case .pong(let bytes): "pong \(Array(bytes))"
        case .close(let code, let reason): "close \(code) \(reason)"
        }
    }

    // MARK: HTTP

    private static let httpTexts = [
        "GET /db/_blipsync?x=%20 HTTP/1.1\r\nHost: h:4984\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n",
        "PUT /db/doc HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\nT: u\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nSet-Cookie: a=b; Path=/; Max-Age=5\r\nWWW-Authenticate: Basic realm=\"x\", Digest nonce=\"y\"\r\n\r\nhello",
    ]

    private static func readHTTP(_ bytes: [UInt8]) -> Bool {
        let request = withCopy(of: bytes) { try? HTTPRequestHead($0) }
        if let request { _ = try? PeerRequest(request) }
        var reader = HTTPHeadReader(maximumLength: 500)
        var queue = ByteQueue(capacity: bytes.count)
        queue.append(bytes)
        if let response = try? reader.response(in: &queue) {
            _ = AuthenticationChallenge.all(in: response.headers)
            _ = HTTPConditions(response.headers)
            if let form = try? response.bodyForm(answering: "GET") { readBody(&queue, form) }
            return true
        }
        reader = HTTPHeadReader(maximumLength: 500)
        queue = ByteQueue(capacity: bytes.count)
        queue.append(bytes)
        guard let head = try? reader.request(in: &queue) else { return false }
        _ = AcceptedTypes(head.headers)
        _ = try? PeerRequest(head)
        if let form = try? head.bodyForm() { readBody(&queue, form) }
        return true
    }

    private static func readBody(_ queue: inout ByteQueue, _ form: HTTPBodyForm) {
        guard var reader = try? HTTPBodyReader(form, limit: 2000) else { return }
        var total = 0
        while let available = try? reader.available(in: &queue) {
            guard available > 0 else { break }
            reader.consume(available, of: &queue)
            total += available
        }
        require(total <= 2000, "a body above its limit")
        _ = try? reader.end()
    }

    private static let headerTexts = [
        "wss://user@[::1]:4984/a%20b?q=ü#f",
        "bytes=0-5,7-,-3", "bytes 0-5/7", "W/\"tag\"", "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT",
        "attachment; filename*=UTF-8''a%20b; filename=\"x\\\"y\"", "multipart/related; boundary=\"a b\"; charset=utf-8",
        "gzip;q=0.5, *;q=0, identity", "Digest realm=\"a\", nonce=\"b\", qop=\"auth,auth-int\", algorithm=SHA-256, Basic realm=x", "h:80",
        "machine a login b password \"c d\" default login e",
    ]

    private static let otherHeaderTexts = [
        "a=b; Domain=.example.com; Path=/x; Expires=Wed, 09 Jun 2027 10:18:14 GMT; Secure", "\"tag\", W/\"other\"",
    ]

    private static func readHeader(_ bytes: [UInt8]) -> Bool {
        let text = String(decoding: bytes, as: UTF8.self)
        var isAccepted = false
        if let url = try? PeerURL(text) {
            require((try? PeerURL(url.description))?.description == url.description, "\(url) is not read again")
            _ = url.redirected(to: text)
            isAccepted = true
        }
        for name in ["Set-Cookie", "WWW-Authenticate", "If-None-Match", "Accept-Encoding", "Accept", "Range", "If-Modified-Since"] {
            let headers: HTTPHeaders = [name: text]
            _ = HTTPConditions(headers)
            _ = AcceptedTypes(headers)
            if name == "WWW-Authenticate", !AuthenticationChallenge.all(in: headers).isEmpty { isAccepted = true }
            guard name == "Set-Cookie", let url = try? PeerURL("ws://host/db/x") else { continue }
            var store = CookieStore()
            store.add(from: headers, of: url, now: 1_700_000_000)
            if let header = store.header(for: url, now: 1_700_000_000) {
                isAccepted = true
                require(HTTPHeaders.isWritable(name: "Cookie", value: header), "a cookie that cannot be sent")
            }
        }
        if let ranges = ByteRanges(text) {
            isAccepted = true
            _ = ranges
        }
        if ContentRange(text) != nil { isAccepted = true }
        if let tag = EntityTag(header: text) {
            require(EntityTag(header: tag.description) == tag, "\(tag) is not read again")
            isAccepted = true
        }
        if let date = HTTPDate(text, now: 1_700_000_000) {
            require(HTTPDate(date.description, now: 1_700_000_000) == date, "\(date) is not read again")
            isAccepted = true
        }
        if let type = MediaType(text) {
            // What cannot stand in a header became a blank.
            require(MediaType(type.description)?.description == type.description, "\(type) is not read again")
            isAccepted = true
        }
        if ContentDisposition(text) != nil || RequestHost(text) != nil { isAccepted = true }
        _ = CookieDate.seconds(text)
        if Netrc(text).credentials(for: "a") != nil { isAccepted = true }
        return isAccepted
    }

    private static func parts(_ bytes: [UInt8], piece: Int) -> [String]? {
        guard var reader = try? MultipartReader(boundary: "B") else { return nil }
        var seen: [String] = []
        var content: [UInt8] = []
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                let part = rest.prefix(piece)
                rest = rest.dropFirst(part.count)
                try withCopy(of: part) { part in
                    try reader.read(part) { event in
                        switch event {
                        case .part(let headers): seen.append("part \(headers)")
                        case .content(let bytes): content.append(contentsOf: bytes)
                        case .partEnd:
                            seen.append("content \(content)")
                            content = []
                        case .end: seen.append("end")
                        }
                    }
                }
            }
            try reader.finish()
            return seen
        } catch {
            return nil
        }
    }

    // MARK: Compression

    private static let compressedSeeds = [CompressedFormat.gzip, .zlib, .raw].map { (format: CompressedFormat) -> [UInt8] in
        var result: [UInt8] = []
        guard let compressor = try? Compressor(format) else { return result }
        let text = Array("hello hello hello hello, and now for something completely different".utf8)
        text.withUnsafeBytes { compressor.encode($0, .finish) { result.append(contentsOf: $0) } }
        return result
    }

    private static func decompressed(_ bytes: [UInt8], _ format: CompressedFormat, piece: Int) -> [UInt8]? {
        guard let decompressor = try? Decompressor(format, mostBytes: 10_000, mostRatio: .max) else { return nil }
        var result: [UInt8] = []
        var rest = bytes[...]
        do {
            while !rest.isEmpty {
                let part = rest.prefix(piece)
                rest = rest.dropFirst(part.count)
                try withCopy(of: part) { try decompressor.decode($0) { result.append(contentsOf: $0) } }
            }
            try decompressor.finish()
        } catch {
            return nil
        }
        require(result.count <= 10_000, "more than the limit")
        return result
    }

    // MARK: Certificates and peers

    private static let identity = try? TLSIdentity.make(.server, hosts: ["localhost"], from: 0, to: 4_000_000_000, issuer: nil)
    private static let certificates = identity?.certificates ?? []
    private static let announcementSeed = InputParts.joined(
        PeerAnnouncement(
            id: String(repeating: "0123456789abcdef", count: 2),
            databases: [.init(name: "travel", uuid: String(repeating: "fedcba9876543210", count: 2)), .init(name: "b", uuid: "")],
            isInMesh: true
        ).text.entries)
}
