/// JSON text that turns one value into another, sent instead of the whole value where both sides have the old one.
///
/// A delta node is a scalar (the new value), an array (`[new]`, `[old, new]`, `[]` or `[old, 0, 0]` for a deletion, `["…", 0, 2]` for a
/// text patch), or an object whose members patch those of an object, or the items of an array (`"3"`, and `"5-"` for all from there on).
/// The outermost node is not a bare scalar.
package enum Delta {
    /// How many steps making one delta may take to look for what texts have in common: a few hundredths of a second.
    static let textWork = 1 << 24

    /// The third item of a node of three tells what it is.
    static let deletionCode = 0.0
    static let textPatchCode = 2.0

    /// Whether two scalars need no delta. Unlike ``Value/isEqual(to:)``, a double is not the same as an integer, nor -0.0 as 0.0: their texts differ.
    static func areSame(_ a: Value, _ b: Value) -> Bool {
        guard a.kind == b.kind else { return false }
        switch a.kind {
        case .undefined, .null: return true
        case .boolean: return a.boolean == b.boolean
        case .integer: return a.integerBits == b.integerBits && (a.integer == nil) == (b.integer == nil)
        case .double: return a.double?.bitPattern == b.double?.bitPattern
        case .string: return haveSameBytes(a.stringBytes, b.stringBytes)
        case .data: return haveSameBytes(a.dataBytes, b.dataBytes)
        case .array, .dictionary: return false
        }
    }

    private static func haveSameBytes(_ a: UnsafeRawBufferPointer?, _ b: UnsafeRawBufferPointer?) -> Bool {
        guard let a, let b else { return false }
        return compareBytes(a, b) == 0
    }
}
