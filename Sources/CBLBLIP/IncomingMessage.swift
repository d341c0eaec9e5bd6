/// A request of the peer's: what an answer is addressed to.
package struct ReceivedRequest: Hashable, Sendable {
    /// The peer's number for it: 1, 2, 3, …
    package let number: UInt64
    package let isUrgent: Bool
    package let wantsResponse: Bool
}

/// A message from the peer: properties and body, in the bytes in which they came.
///
///     if message.isProperty("Profile", "rev"), let id = message.string("id") { … message.body … }
package struct IncomingMessage: Sendable {
    package enum Origin: Hashable, Sendable {
        case request(ReceivedRequest)
        case response(to: SentMessage)
    }

    package let origin: Origin
    /// The answer to a request of ours is an error: see `error`.
    package let isError: Bool
    /// It came compressed: a hint that the peer would like its answer so.
    package let isCompressed: Bool
    /// The number under which its frames come.
    let number: UInt64
    let payload: [UInt8]
    let properties: Range<Int>

    init(origin: Origin, number: UInt64, flags: FrameFlags, payload: [UInt8], properties: Range<Int>) {
        self.origin = origin
        isError = flags.type == .error
        isCompressed = flags.contains(.compressed)
        self.number = number
        self.payload = payload
        self.properties = properties
    }

    /// The body. Of a message that has only begun it is empty.
    package var body: ArraySlice<UInt8> { payload[properties.upperBound...] }

    package func withBody<Result>(_ read: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try payload.withUnsafeBytes { try read(UnsafeRawBufferPointer(rebasing: $0[properties.upperBound...])) }
    }

    package var profile: String? { string("Profile") }

    /// A property's text; nil if there is none, or it is not UTF-8.
    package func string(_ name: String) -> String? {
        withProperty(name) { value in value.flatMap { String(validating: $0, as: UTF8.self) } }
    }

    /// Whether a property has this value; no string is made of it.
    package func isProperty(_ name: String, _ expected: String) -> Bool {
        withProperty(name) { value in
            guard let value else { return false }
            return value.elementsEqual(expected.utf8)
        }
    }

    /// A decimal number; nil if there is none.
    package func integer(_ name: String) -> Int? { string(name).flatMap { Int($0) } }

    /// `true` and `YES` in any case, or a number that is not 0.
    package func bool(_ name: String) -> Bool {
        guard let text = string(name) else { return false }
        switch text.lowercased() {
        case "true", "yes": return true
        default: return (Int(text) ?? 0) != 0
        }
    }

    /// Gives a property's value in place.
    package func withProperty<Result>(_ name: String, _ read: (UnsafeRawBufferPointer?) throws -> Result) rethrows -> Result {
        var name = name
        return try name.withUTF8 { name in
            try payload.withUnsafeBytes { payload in
                try read(PropertyArea(UnsafeRawBufferPointer(rebasing: payload[properties]))[UnsafeRawBufferPointer(name)])
            }
        }
    }

    /// All properties, in the order in which they were sent, with bytes that are not UTF-8 repaired: to be shown.
    package var allProperties: [(name: String, value: String)] {
        payload.withUnsafeBytes { payload in
            PropertyArea(UnsafeRawBufferPointer(rebasing: payload[properties])).all.map {
                (String(decoding: $0.name, as: UTF8.self), String(decoding: $0.value, as: UTF8.self))
            }
        }
    }

    /// What an error response says; nil for everything else.
    package var error: MessageError? {
        guard isError else { return nil }
        return MessageError(
            domain: string("Error-Domain") ?? "BLIP", code: integer("Error-Code") ?? MessageError.Code.unspecified.rawValue,
            message: String(decoding: body, as: UTF8.self))
    }
}
