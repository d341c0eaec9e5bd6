import CBLBase
import CBLFleece

// What an archive's lines hold besides plain JSON.
extension JSONObjectWriter {
    /// Begins a line in place of the last one.
    mutating func beginLine() {
        buffer.removeAll()
        begin()
    }

    mutating func endLine() {
        end()
        buffer.append("\n")
    }

    /// Bytes that are mostly text: a string, or if they are not UTF-8 a tagged value.
    mutating func add(_ name: StaticString, bytes: [UInt8]) {
        key(name)
        bytes.withUnsafeBytes { bytes in
            if isUTF8(bytes) {
                JSONWriter.write(string: bytes, to: &buffer)
            } else {
                ArchiveValueWriter.write("$data", base64: bytes, to: &buffer)
            }
        }
    }

    mutating func add(_ name: StaticString, base64 bytes: UnsafeRawBufferPointer) {
        key(name)
        buffer.append("\"")
        buffer.append(atMost: (bytes.count + 2) / 3 * 4) { Base64.write(bytes, isPadded: true, to: $0) }
        buffer.append("\"")
    }

    /// Properties, with the database's shared keys.
    mutating func add(_ name: StaticString, body: FleeceData, _ keys: SharedKeys) throws(StoreError) {
        key(name)
        // The root must not outlive its bytes.
        defer { withExtendedLifetime(body) {} }
        if body.bytes.isEmpty {
            buffer.append("{}")
            return
        }
        guard body.root.dictionary != nil else { throw StoreError(.corrupt, "its body is damaged: it is no dictionary") }
        try ArchiveValueWriter.write(body.root, byteCount: body.bytes.count, keys, to: &buffer)
    }
}

/// A parsed line, or an object within one: members by name, each asked for as what it must be.
struct ArchiveObject {
    private let dictionary: DictionaryView

    init?(_ value: Value) {
        guard let dictionary = value.dictionary else { return nil }
        self.dictionary = dictionary
    }

    subscript(name: String) -> Value? { dictionary.value(forKey: name, nil) }

    /// Refuses members that this version does not know: they would be lost.
    func check(_ known: Set<String>) throws(StoreError) {
        for (key, _) in dictionary {
            guard let name = key.keyString(nil), known.contains(name) else {
                throw ArchiveValueReader.invalid("\"\(key.keyString(nil) ?? "?")\" is not a member of such a line")
            }
        }
    }

    func text(_ name: String) throws(StoreError) -> String {
        guard let text = try textIfGiven(name) else { throw ArchiveValueReader.invalid("\"\(name)\" is missing") }
        return text
    }

    func textIfGiven(_ name: String) throws(StoreError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string else { throw ArchiveValueReader.invalid("\"\(name)\" must be a string") }
        return text
    }

    /// A whole number that is not negative.
    func number(_ name: String) throws(StoreError) -> UInt64? {
        guard let value = self[name] else { return nil }
        guard let number = value.unsigned, number <= UInt64(Int64.max) else {
            throw ArchiveValueReader.invalid("\"\(name)\" must be a whole number")
        }
        return number
    }

    func index(_ name: String, below count: Int) throws(StoreError) -> Int? {
        guard let number = try number(name) else { return nil }
        guard number < UInt64(count) else { throw ArchiveValueReader.invalid("\"\(name)\" is too large") }
        return Int(number)
    }

    func flag(_ name: String) throws(StoreError) -> Bool {
        guard let value = self[name] else { return false }
        guard let flag = value.boolean else { throw ArchiveValueReader.invalid("\"\(name)\" must be true or false") }
        return flag
    }

    func items(_ name: String) throws(StoreError) -> [Value] {
        guard let value = self[name] else { return [] }
        guard let array = value.array else { throw ArchiveValueReader.invalid("\"\(name)\" must be an array") }
        return Array(array)
    }

    func texts(_ name: String) throws(StoreError) -> [String] {
        var texts: [String] = []
        for item in try items(name) {
            guard let text = item.string else { throw ArchiveValueReader.invalid("\"\(name)\" must be an array of strings") }
            texts.append(text)
        }
        return texts
    }

    /// What `JSONObjectWriter.add(_:bytes:)` wrote.
    func bytes(_ name: String) throws(StoreError) -> [UInt8]? {
        guard let value = self[name] else { return nil }
        if let text = value.stringBytes { return Array(text) }
        guard let data = value.dictionary?.value(forKey: "$data", nil) else {
            throw ArchiveValueReader.invalid("\"\(name)\" must be a string or data")
        }
        return try ArchiveValueReader.bytes(data, "$data")
    }

    /// What `JSONObjectWriter.add(_:byNumber:)` wrote.
    func byNumber(_ name: String) throws(StoreError) -> [(number: UInt16, value: Value)] {
        guard let value = self[name] else { return [] }
        guard let dictionary = value.dictionary else { throw ArchiveValueReader.invalid("\"\(name)\" must be an object") }
        var members: [(number: UInt16, value: Value)] = []
        for (key, value) in dictionary {
            guard let number = key.keyString(nil).flatMap({ UInt16($0) }), number > 0 else {
                throw ArchiveValueReader.invalid("\"\(name)\" must have numbers for names")
            }
            members.append((number, value))
        }
        return members.sorted { $0.number < $1.number }
    }
}
