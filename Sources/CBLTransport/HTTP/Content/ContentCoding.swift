import CBLBase

/// How the bytes of a body are packed on their way: `Content-Encoding`.
package enum ContentCoding: String, Sendable {
    case identity
    case gzip
    case deflate

    private init?(name: String) {
        switch lowerCased(name) {
        case "gzip", "x-gzip": self = .gzip
        case "deflate": self = .deflate
        case "identity": self = .identity
        default: return nil
        }
    }

    /// Of a body with these headers. Nil if it is one that is not known here, or if there are several.
    package static func of(_ headers: HTTPHeaders) -> ContentCoding? {
        var found = ContentCoding.identity
        for name in headers.list("Content-Encoding") {
            guard let coding = ContentCoding(name: name), coding == .identity || found == .identity else { return nil }
            if coding != .identity { found = coding }
        }
        return found
    }

    /// The one that the client of a request likes best, of these and `identity`. Nil if it accepts none of them.
    package static func preferred(_ headers: HTTPHeaders, of offered: [ContentCoding] = [.gzip, .deflate]) -> ContentCoding? {
        guard let preferences = HTTPPreferences(headers, "Accept-Encoding") else { return .identity }
        func quality(_ coding: ContentCoding) -> Int? {
            let item =
                preferences.items.first { ContentCoding(name: $0.value) == coding } ?? preferences.items.first { $0.value == "*" }
            return item?.quality
        }
        var best: (coding: ContentCoding?, quality: Int) = (nil, 0)
        for coding in offered where coding != .identity {
            if let quality = quality(coding), quality > best.quality { best = (coding, quality) }
        }
        // Who does not speak of it takes it if there is nothing better.
        guard let plain = quality(.identity) else { return best.coding ?? .identity }
        return plain > best.quality ? .identity : best.coding
    }

    /// What packs bytes; nil if they stay as they are.
    package func compressor() throws(Compressor.Failure) -> Compressor? {
        switch self {
        case .identity: nil
        case .gzip: try Compressor(.gzip)
        case .deflate: try Compressor(.zlib)
        }
    }

    /// What unpacks them, up to so many.
    package func decoder(mostBytes: Int) throws(Decompressor.Failure) -> ContentDecoder? {
        switch self {
        case .identity: nil
        case .gzip: ContentDecoder(try Decompressor(.gzip, mostBytes: mostBytes, mostRatio: Decompressor.usualRatio))
        // In both of its meanings.
        case .deflate: ContentDecoder(try Decompressor(nil, mostBytes: mostBytes, mostRatio: Decompressor.usualRatio))
        }
    }
}

/// Unpacks a body. One of no bytes at all is empty, as answers to `HEAD` are, whatever their headers say.
package final class ContentDecoder {
    private let decompressor: Decompressor
    private var hasBegun = false

    fileprivate init(_ decompressor: Decompressor) { self.decompressor = decompressor }

    /// Takes what it can of the input, and fills the output as far as it can. If that is full then, there may be more to come without any input.
    package func decode(
        _ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer
    ) throws(Decompressor.Failure) -> CompressionProgress {
        hasBegun = hasBegun || !input.isEmpty
        return try decompressor.decode(input, into: output)
    }

    /// Takes all of the input, and gives what comes of it in pieces that are not large.
    package func decode(_ input: UnsafeRawBufferPointer, _ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        hasBegun = hasBegun || !input.isEmpty
        try decompressor.decode(input, receive)
    }

    /// The body has ended.
    package func finish() throws(Decompressor.Failure) { if hasBegun { try decompressor.finish() } }
}
