/// What can be wrong with an encoding, or with the way one is being written.
package enum FleeceError: Error, Equatable, Sendable {
    /// The bytes at `offset` cannot be part of an encoding.
    case damaged(reason: String, offset: Int)
    /// Collections are nested deeper than ``Limits/depth``.
    case tooDeep
    /// The encoding would exceed ``Limits/bytes``.
    case tooLarge
    /// Its parts are referred to so often that walking them would not end in reasonable time, as only hostile bytes do.
    case endless
    /// A dictionary got the same key twice.
    case duplicateKey(String)
    /// NaN has no place in an encoding.
    case notANumber
    /// The encoder was used out of turn: a programming error, or a value that cannot be written.
    case misuse(String)
    /// A table of shared keys that is not one.
    case badSharedKeys(String)
}

extension FleeceError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .damaged(let reason, let offset): "damaged value at byte \(offset): \(reason)"
        case .tooDeep: "values are nested more than \(Limits.depth) levels deep"
        case .tooLarge: "the value is too large"
        case .endless: "it refers to its parts again and again without end"
        case .duplicateKey(let key): "the key \"\(key)\" occurs twice in one dictionary"
        case .notANumber: "a floating-point value is not a number"
        case .misuse(let what): what
        case .badSharedKeys(let why): "the table of shared keys is damaged: \(why)"
        }
    }
}

/// Bounds that keep hostile bytes from exhausting the stack or the clock.
@usableFromInline package enum Limits {
    /// How deep collections may nest wherever code recurses over a value. The JSON parser stops at 101.
    package static let depth = 256
    /// The largest encoding, in bytes: pointers and offsets are 31-bit quantities.
    @usableFromInline package static let bytes = 0x7FFF_FFF0
    /// How large the text of an encoding of so many bytes may become, and how much a walk through it may cost (see ``WalkBudget``). Within a tree
    /// a slot of two bytes leads to a shared string of at most 15 bytes, or to bytes of its own; so only a very large document needs more than
    /// the second bound, which keeps a file of a hundred megabytes from filling the memory.
    @inlinable package static func expansion(byteCount: Int) -> Int {
        min(1 << 20 &+ 32 &* byteCount, 1 << 30 &+ 8 &* byteCount)
    }
}
