import CBLBase

/// The properties of a message to be sent, encoded as they are added: `name NUL value NUL`, and so on.
///
///     var properties: MessageProperties = ["Profile": "rev", "id": id]
///     properties.append("sequence", 12)
package struct MessageProperties: Sendable, ExpressibleByDictionaryLiteral {
    /// Room in front for the length, which then needs no second array: three bytes hold every permitted one.
    static let lengthRoom = 3
    private static let empty: [UInt8] = [0, 0, 0]

    /// Empty, or the room for the length and then the properties.
    private var encoded: [UInt8] = []
    /// The first property that has a NUL in it.
    private var invalidName: String?

    package init() {}

    package init(dictionaryLiteral elements: (String, String)...) {
        for (name, value) in elements { append(name, value) }
    }

    /// Bytes of the properties.
    package var count: Int { max(0, encoded.count - MessageProperties.lengthRoom) }

    /// Adds a property. A name is used once: peers disagree about what a second one means.
    package mutating func append(_ name: String, _ value: String) {
        var value = value
        value.withUTF8 { append(name, utf8: UnsafeRawBufferPointer($0)) }
    }

    package mutating func append(_ name: String, _ value: some BinaryInteger) { append(name, String(value)) }

    /// Adds a property whose value is UTF-8 already.
    package mutating func append(_ name: String, utf8 value: UnsafeRawBufferPointer) {
        if encoded.isEmpty {
            encoded.reserveCapacity(128)
            encoded.append(contentsOf: MessageProperties.empty)
        }
        var terminated = name
        terminated.withUTF8 { name in
            assert(!contains(UnsafeRawBufferPointer(name)), "a property is set twice")
            if name.contains(0) || value.contains(0) { invalidName = invalidName ?? String(decoding: name, as: UTF8.self) }
            encoded.append(contentsOf: name)
        }
        encoded.append(0)
        encoded.append(contentsOf: value)
        encoded.append(0)
    }

    private func contains(_ name: UnsafeRawBufferPointer) -> Bool {
        encoded.withUnsafeBytes { PropertyArea(UnsafeRawBufferPointer(rebasing: $0.dropFirst(MessageProperties.lengthRoom)))[name] != nil }
    }

    /// The head of a message: where it starts in the array, and the length followed by the properties.
    consuming func head() throws(BLIPError) -> (start: Int, bytes: [UInt8]) {
        guard !encoded.isEmpty else { return (MessageProperties.lengthRoom - 1, MessageProperties.empty) }
        if let invalidName { throw .invalidProperty(invalidName) }
        let count = count
        guard count <= maximumProperties else { throw .propertiesTooLarge(bytes: count) }
        var bytes = encoded
        encoded = []
        let start = MessageProperties.lengthRoom - Varint.length(of: UInt64(count))
        bytes.withUnsafeMutableBytes { _ = Varint.write(UInt64(count), to: $0, at: start) }
        return (start, bytes)
    }
}
