import CBLBase

/// What stands between the parts of a body, so that a reader finds where each ends:
///
///     let writer = MultipartWriter("related")
///     send(writer.opening(["Content-Type": "application/json"]))
///     send(document)
///     send(writer.ending)
package struct MultipartWriter: Hashable, Sendable {
    package let type: MediaType
    private let boundary: String

    /// Of `multipart/related` and the like. The boundary is made by chance, of so many bits that no content has it in it.
    package init(_ subtype: String) {
        var random = SystemRandomNumberGenerator()
        self.init(subtype, using: &random)
    }

    init(_ subtype: String, using random: inout some RandomNumberGenerator) {
        let bytes = (0..<18).map { _ in UInt8.random(in: 0...255, using: &random) }
        self.init(subtype, boundary: bytes.withUnsafeBytes { Hex.text(of: $0) })
    }

    init(_ subtype: String, boundary: String) {
        self.boundary = boundary
        var parameters = HeaderParameters()
        parameters.add("boundary", boundary)
        type = MediaType("multipart", subtype, parameters)
    }

    /// The value of `Content-Type`. The boundary is in quotation marks, as CouchDB has it.
    package var contentType: String { "\(type.essence); boundary=\"\(boundary)\"" }

    /// In front of a part with these headers.
    package func opening(_ headers: HTTPHeaders) -> [UInt8] {
        var text = "\r\n--\(boundary)\r\n"
        headers.append(to: &text)
        return Array((text + "\r\n").utf8)
    }

    /// Behind the last part.
    package var ending: [UInt8] { Array("\r\n--\(boundary)--".utf8) }

    /// Of all of it, with parts of that length. Nil if it is too much for a number.
    package func length(of parts: [(headers: HTTPHeaders, length: Int)]) -> Int? {
        var sum = ending.count
        for part in parts {
            for count in [opening(part.headers).count, part.length] {
                let (next, overflow) = sum.addingReportingOverflow(count)
                guard !overflow, count >= 0 else { return nil }
                sum = next
            }
        }
        return sum
    }
}
