/// How the numbers of a vector are kept.
package enum VectorEncoding: Hashable, Sendable {
    /// As 32-bit floats.
    case none
    /// Each as a few bits: 4, 6 or 8.
    case scalar(bits: Int)
    /// Parts of the vector as the numbers of the most similar ones among 2^bits.
    case product(parts: Int, bits: Int)

    package static let standard = VectorEncoding.scalar(bits: 8)

    /// As definitions of tables spell it: `none`, `SQ8`, `PQ32x8`.
    package init?(name: String) {
        if name.lowercased() == "none" {
            self = .none
            return
        }
        let text = name.uppercased()
        if text == "SQ" {
            self = .standard
        } else if text.hasPrefix("SQ"), let bits = Int(text.dropFirst(2)) {
            self = .scalar(bits: bits)
        } else if text.hasPrefix("PQ") {
            let numbers = text.dropFirst(2).split(separator: "X", omittingEmptySubsequences: false)
            guard numbers.count == 2, let parts = Int(numbers[0]), let bits = Int(numbers[1]) else { return nil }
            self = .product(parts: parts, bits: bits)
        } else {
            return nil
        }
    }

    package var name: String {
        switch self {
        case .none: "none"
        case .scalar(let bits): "SQ\(bits)"
        case .product(let parts, let bits): "PQ\(parts)x\(bits)"
        }
    }

    /// The bytes that one vector takes.
    package func size(dimensions: Int) -> Int {
        switch self {
        case .none: dimensions * MemoryLayout<Float>.size
        case .scalar(let bits): (dimensions * bits + 7) / 8
        case .product(let parts, let bits): (parts * bits + 7) / 8
        }
    }
}
