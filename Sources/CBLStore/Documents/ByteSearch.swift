import Glibc

extension UnsafeRawBufferPointer {
    /// Whether these bytes hold a text somewhere. Hot: each revision that arrives is looked through (benchmark `bench-sync`).
    package func contains(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        let text = text.utf8Start
        guard let baseAddress, length > 0, count >= length else { return false }
        guard length > 1 else { return memchr(baseAddress, Int32(text[0]), count) != nil }
        let last = count - length
        func isFound(at place: Int) -> Bool { memcmp(baseAddress + place, text, length) == 0 }
        // A single character is often a frequent one; two together are rare. Sixteen places are looked at in one go.
        typealias Lanes = SIMD16<UInt8>
        let (first, second) = (Lanes(repeating: text[0]), Lanes(repeating: text[1]))
        var place = 0
        while place <= last, place &+ Lanes.scalarCount < count {
            let here = baseAddress.loadUnaligned(fromByteOffset: place, as: Lanes.self)
            let next = baseAddress.loadUnaligned(fromByteOffset: place &+ 1, as: Lanes.self)
            if any((here .== first) .& (next .== second)) {
                for candidate in place..<Swift.min(place &+ Lanes.scalarCount, last &+ 1) where isFound(at: candidate) { return true }
            }
            place &+= Lanes.scalarCount
        }
        while place <= last {
            if isFound(at: place) { return true }
            place &+= 1
        }
        return false
    }
}
