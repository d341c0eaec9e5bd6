import Foundation

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
    func hasSameBytes(as other: String) -> Bool {
        guard self == other, utf8.count == other.utf8.count else { return false }
        let isSame = utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { two in memcmp(one.baseAddress!, two.baseAddress!, one.count) == 0 }
        }
        return isSame.flatMap { $0 } ?? utf8.elementsEqual(other.utf8)
    }
}
