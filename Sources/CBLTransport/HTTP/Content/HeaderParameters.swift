/// What stands behind the semicolons of a header: `; charset="utf-8"; q=0.5`. Names are compared without regard to case.
package struct HeaderParameters: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package let name: String
        package let value: String
    }

    package private(set) var items: [Item] = []

    package init() {}

    /// Reads what stands behind the first semicolon, without it. Nil if a quotation does not end, or something has no name.
    init?(_ text: some StringProtocol) {
        guard let pieces = HeaderParameters.pieces(text, at: UInt8(ascii: ";")) else { return nil }
        for piece in pieces where !piece.utf8.allSatisfy(HTTPSyntax.isBlank) {
            let parts = split(piece, at: UInt8(ascii: "="), most: 2).map { trimmed($0) }
            guard parts.count == 2, !parts[0].isEmpty, parts[0].utf8.allSatisfy(HTTPSyntax.isToken),
                let value = HeaderParameters.value(parts[1])
            else { return nil }
            add(parts[0], value)
        }
    }

    /// The first of that name counts.
    package subscript(name: String) -> String? { items.first { isSameASCII($0.name, name) }?.value }

    package mutating func add(_ name: String, _ value: String) { items.append(Item(name: name, value: value)) }

    mutating func remove(_ name: String) { items.removeAll { isSameASCII($0.name, name) } }

    /// With a semicolon in front of each; quoted where that is needed.
    package var description: String {
        items.map { item in
            let isToken = !item.value.isEmpty && item.value.utf8.allSatisfy(HTTPSyntax.isToken)
            return "; \(item.name)=" + (isToken ? item.value : HeaderParameters.quoted(item.value))
        }.joined()
    }

    /// In quotation marks. What cannot stand in a header becomes a blank.
    static func quoted(_ text: String) -> String {
        var bytes = [UInt8(ascii: "\"")]
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(HTTPSyntax.isFieldContent(byte) ? byte : 0x20)
        }
        return String(decoding: bytes + [UInt8(ascii: "\"")], as: UTF8.self)
    }

    private static func value(_ text: String) -> String? {
        guard text.utf8.first == UInt8(ascii: "\"") else { return text.utf8.contains(UInt8(ascii: "\"")) ? nil : text }
        var bytes: [UInt8] = []
        var rest = text.utf8.dropFirst()
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return rest.isEmpty ? String(decoding: bytes, as: UTF8.self) : nil }
            guard byte == UInt8(ascii: "\\") else {
                bytes.append(byte)
                continue
            }
            guard let escaped = rest.popFirst() else { return nil }
            bytes.append(escaped)
        }
        return nil
    }

    /// The pieces between those of the bytes that are not in a quotation. Nil if one does not end.
    static func pieces(_ text: some StringProtocol, at separator: UInt8) -> [Substring]? {
        let text = Substring(text)
        var pieces: [Substring] = []
        var start = text.startIndex
        var isQuoted = false
        var isEscaped = false
        for index in text.utf8.indices {
            let byte = text.utf8[index]
            if isEscaped {
                isEscaped = false
            } else if byte == UInt8(ascii: "\\"), isQuoted {
                isEscaped = true
            } else if byte == UInt8(ascii: "\"") {
                isQuoted.toggle()
            } else if byte == separator, !isQuoted {
                pieces.append(text[start..<index])
                start = text.utf8.index(after: index)
            }
        }
        return isQuoted ? nil : pieces + [text[start...]]
    }
}
