/// What names a state of something: `"2-c5557c"`, or `W/"2-c5557c"` if others that mean the same may have the name, too.
package struct EntityTag: Hashable, Sendable, CustomStringConvertible {
    package let value: String
    package let isWeak: Bool

    /// Nil if the value has a character that cannot stand in a tag.
    package init?(_ value: String, isWeak: Bool = false) {
        guard value.utf8.allSatisfy(EntityTag.isTagCharacter) else { return nil }
        self.value = value
        self.isWeak = isWeak
    }

    /// As it stands in a header.
    package init?(header text: some StringProtocol) {
        var rest = Substring(trimmed(text)).utf8
        guard let tag = EntityTag(next: &rest), rest.isEmpty else { return nil }
        self = tag
    }

    /// Takes one from the front.
    fileprivate init?(next rest: inout Substring.UTF8View) {
        isWeak = rest.starts(with: "W/".utf8)
        if isWeak { rest = rest.dropFirst(2) }
        guard rest.first == UInt8(ascii: "\""), let end = rest.dropFirst().firstIndex(of: UInt8(ascii: "\"")) else { return nil }
        let content = rest.dropFirst()[..<end]
        guard content.allSatisfy(EntityTag.isTagCharacter) else { return nil }
        value = String(Substring(content))
        rest = rest[rest.index(after: end)...]
    }

    private static func isTagCharacter(_ byte: UInt8) -> Bool { byte > 0x20 && byte != UInt8(ascii: "\"") && byte != 0x7F }

    package var description: String { "\(isWeak ? "W/" : "")\"\(value)\"" }

    /// Whether both name the same bytes.
    package func isSameBytes(as other: EntityTag) -> Bool { !isWeak && !other.isWeak && value == other.value }

    /// Whether both name what means the same.
    package func isSameMeaning(as other: EntityTag) -> Bool { value == other.value }
}

/// The tags of `If-Match` or `If-None-Match`: `*`, or a list.
package enum EntityTagList: Hashable, Sendable {
    case any
    case tags([EntityTag])

    /// Nil if there is no such header. What is no tag in it matches nothing.
    package init?(_ headers: HTTPHeaders, _ name: String) {
        let values = headers.values(name)
        guard !values.isEmpty else { return nil }
        if values.contains(where: { trimmed($0) == "*" }) {
            self = .any
        } else {
            self = .tags(values.flatMap(EntityTagList.tags))
        }
    }

    // A comma may be part of a tag.
    private static func tags(_ text: String) -> [EntityTag] {
        var tags: [EntityTag] = []
        var rest = Substring(text).utf8
        while true {
            rest = rest.drop { HTTPSyntax.isBlank($0) || $0 == UInt8(ascii: ",") }
            guard !rest.isEmpty else { return tags }
            if let tag = EntityTag(next: &rest) {
                tags.append(tag)
            } else {
                rest = rest.drop { $0 != UInt8(ascii: ",") }
            }
        }
    }

    func contains(where isWanted: (EntityTag) -> Bool) -> Bool {
        switch self {
        case .any: true
        case .tags(let tags): tags.contains(where: isWanted)
        }
    }
}
