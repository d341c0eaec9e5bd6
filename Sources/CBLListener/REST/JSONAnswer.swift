import CBLFleece
import CBLTransport

/// A long answer in JSON, written piece by piece. What is short after all is sent whole, with its length.
///
/// What is written with a database's snapshot at hand is only collected: `flush` waits for the client, and no snapshot waits with it.
final class JSONAnswer {
    /// Only a text that is shorter is laid out for people.
    static let longestPretty = 100_000
    private static let pieceSize = 1 << 16

    @exclusivity(unchecked) var text = ByteBuffer(capacity: 1 << 12)
    /// Of an answer that has JSON in it, and is none itself.
    var type: String?
    private let call: RESTCall
    private let headers: HTTPHeaders
    @exclusivity(unchecked) private var needsComma = false
    private var packing: PackedAnswer?

    init(_ call: RESTCall, headers: HTTPHeaders = [:]) {
        self.call = call
        self.headers = headers
    }

    /// Whether it is time to `flush`.
    var isFull: Bool { text.count >= JSONAnswer.pieceSize }

    /// The next item is the first of a list of its own.
    func beginList() { needsComma = false }

    /// What has to stand between the items of a list.
    func separate() {
        if needsComma { text.append(",\n") }
        needsComma = true
    }

    /// Sends what there is if it is much.
    func flush() throws {
        let isPretty = !call.hasBegun && call.parameters.flag("pretty")
        guard text.count >= (isPretty ? JSONAnswer.longestPretty : JSONAnswer.pieceSize) else { return }
        try send()
    }

    private func send() throws(HTTPInterruption) {
        if !call.hasBegun { try begin(length: nil) }
        if let packing {
            try packing.add(text.bytes, to: call)
        } else {
            try call.write(text.bytes)
        }
        text.removeAll()
    }

    private func begin(length: Int?) throws(HTTPInterruption) {
        var headers = headers
        headers.set("Content-Type", type ?? "application/json")
        if length == nil, type == nil { packing = try? PackedAnswer(call, of: .max, &headers) }
        try call.begin(200, headers: headers, length: length)
    }

    func end() throws {
        guard call.hasBegun || type != nil else { return try call.answer(headers: headers, json: text.bytes) }
        if !call.hasBegun { try begin(length: text.count) }
        try send()
        try packing?.end(call)
        call.exchange.end()
    }
}
