/// What can be wrong with an encoding, or with the way one is being written.
public enum FleeceError: Error, Equatable, Sendable {
    /// The bytes at `offset` cannot be part of an encoding.
    case damaged(reason: String, offset: Int)
    /// Collections are nested deeper than ``Limits/depth``.
    case tooDeep
    /// The encoding would exceed ``Limits/bytes``, or its values are shared so often that walking them would not end in reasonable time.
    case tooLarge
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
    public var description: String {
        switch self {
        case .damaged(let reason, let offset): "damaged value at byte \(offset): \(reason)"
        case .tooDeep: "values are nested more than \(Limits.depth) levels deep"
        case .tooLarge: "the value is too large"
        case .duplicateKey(let key): "the key \"\(key)\" occurs twice in one dictionary"
        case .notANumber: "a floating-point value is not a number"
        case .misuse(let what): what
        case .badSharedKeys(let why): "the table of shared keys is damaged: \(why)"
        }
    }
}

/// Bounds that keep hostile bytes from exhausting the stack or the clock.
public enum Limits {
    /// How deep collections may nest wherever code recurses over a value. The JSON parser stops at 101.
    public static let depth = 256
    /// The largest encoding, in bytes: pointers and offsets are 31-bit quantities.
    public static let bytes = 0x7FFF_FFF0
    /// How many values a walk over an encoding of `byteCount` bytes may visit. Without shared containers no walk needs half of that;
    /// with them, an encoding of a few hundred bytes could describe more values than there are atoms.
    @inlinable public static func visits(byteCount: Int) -> Int { byteCount &* 8 &+ 1024 }
}
