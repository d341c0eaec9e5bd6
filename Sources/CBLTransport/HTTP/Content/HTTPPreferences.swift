/// A list of what somebody would accept, with how much they like each: `gzip, deflate;q=0.5, *;q=0`.
struct HTTPPreferences {
    struct Item {
        let value: String
        let parameters: HeaderParameters
        /// From 0, which is not at all, to 1000.
        let quality: Int
    }

    /// A list may not be longer than a head allows; but each kind is compared with each.
    private static let most = 64

    let items: [Item]

    /// Nil if there is no such header. What cannot be read is left out.
    init?(_ headers: HTTPHeaders, _ name: String) {
        let values = headers.values(name)
        guard !values.isEmpty else { return nil }
        let pieces = values.flatMap { HeaderParameters.pieces($0, at: UInt8(ascii: ",")) ?? [] }
        items = pieces.lazy.compactMap(HTTPPreferences.item).prefix(HTTPPreferences.most).map { $0 }
    }

    private static func item(_ text: Substring) -> Item? {
        let halves = split(text, at: UInt8(ascii: ";"), most: 2)
        let value = lowerCased(trimmed(halves[0]))
        guard !value.isEmpty, var parameters = HeaderParameters(halves.count > 1 ? halves[1] : "") else { return nil }
        guard let quality = parameters["q"].map(quality) ?? 1000 else { return nil }
        parameters.remove("q")
        return Item(value: value, parameters: parameters, quality: quality)
    }

    /// Of `0.5`, with up to three digits behind the point.
    private static func quality(_ text: String) -> Int? {
        let parts = split(text, at: UInt8(ascii: "."), most: 2)
        guard parts[0] == "0" || parts[0] == "1" else { return nil }
        let digits = parts.count > 1 ? parts[1].utf8 : "".utf8[...]
        guard digits.count <= 3, digits.allSatisfy({ $0 >= 0x30 && $0 <= 0x39 }) else { return nil }
        let padded = Array(digits.map { Int($0 - 0x30) } + [0, 0, 0])
        let thousandths = padded[0] * 100 + padded[1] * 10 + padded[2]
        return parts[0] == "0" ? thousandths : thousandths == 0 ? 1000 : nil
    }
}

/// Which kinds of answers a client understands: `Accept: application/json, text/*;q=0.5`.
package struct AcceptedTypes: Sendable {
    private let items: [(type: MediaType, quality: Int)]?

    package init(_ headers: HTTPHeaders) {
        items = HTTPPreferences(headers, "Accept")?.items.compactMap { item in
            MediaType(item.value).map { (MediaType($0.type, $0.subtype, item.parameters), item.quality) }
        }
    }

    /// How much it is liked, up to 1000. The item that names it most precisely counts. Who says nothing takes everything.
    package func quality(of type: MediaType) -> Int {
        guard let items else { return 1000 }
        var best: (precision: Int, quality: Int)?
        for item in items {
            guard let precision = item.type.precision(for: type), precision > best?.precision ?? -1 else { continue }
            best = (precision, item.quality)
        }
        return best?.quality ?? 0
    }

    package func contains(_ type: MediaType) -> Bool { quality(of: type) > 0 }

    /// Whether it is named, and not only covered by `*`.
    package func names(_ type: MediaType) -> Bool {
        guard let items else { return false }
        return items.contains { $0.quality > 0 && $0.type.precision(for: type) ?? 0 >= 2 }
    }

    /// The one that is liked best, the first of several; nil if none is acceptable.
    package func best(of types: [MediaType]) -> MediaType? {
        var best: (type: MediaType, quality: Int)?
        for type in types {
            let quality = quality(of: type)
            if quality > best?.quality ?? 0 { best = (type, quality) }
        }
        return best?.type
    }
}
