/// The name of a property as documents know it, byte by byte. Swift takes both spellings of "é" for the same text; a document may have both.
struct PropertyName: Hashable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (one: PropertyName, two: PropertyName) -> Bool { one.text.hasSameBytes(as: two.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}

extension String {
    /// Of texts that differ, hardly any are equal to Swift, and those are ruled out sooner by its own comparison.
    func hasSameBytes(as other: String) -> Bool { self == other && utf8.elementsEqual(other.utf8) }
}
