import Glibc

/// Finds a short text among bytes, with the letters of ASCII alike in both cases if so wished. Hot: `grep` looks through every body with it
/// (benchmark `grep`).
struct ByteFinder: Sendable {
    private typealias Lanes = SIMD16<UInt8>

    /// In small letters if case is ignored.
    let text: [UInt8]
    let ignoresCase: Bool
    // The first and the last byte, and the same letters in the other case: places that have both are rare.
    private let first: (Lanes, Lanes)
    private let last: (Lanes, Lanes)

    /// For who does not look for anything.
    static let unused = ByteFinder([0], 0, 0, ignoringCase: false)

    /// Nil for an empty text.
    init?(_ text: some Sequence<UInt8>, ignoringCase: Bool) {
        let text = ignoringCase ? text.map(ByteFinder.small) : Array(text)
        guard let first = text.first, let last = text.last else { return nil }
        self.init(text, first, last, ignoringCase: ignoringCase)
    }

    private init(_ text: [UInt8], _ first: UInt8, _ last: UInt8, ignoringCase: Bool) {
        self.text = text
        ignoresCase = ignoringCase
        func lanes(_ byte: UInt8) -> (Lanes, Lanes) {
            (Lanes(repeating: byte), Lanes(repeating: ignoringCase ? ByteFinder.capital(byte) : byte))
        }
        self.first = lanes(first)
        self.last = lanes(last)
    }

    @inline(__always)
    static func small(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "A") < 26 ? byte | 0x20 : byte }

    private static func capital(_ byte: UInt8) -> UInt8 { byte &- UInt8(ascii: "a") < 26 ? byte & 0xDF : byte }

    func isIn(_ bytes: UnsafeRawBufferPointer) -> Bool { place(in: bytes) != nil }

    /// Where the text begins in the bytes, not before `start`.
    func place(in bytes: UnsafeRawBufferPointer, from start: Int = 0) -> Int? {
        guard let base = bytes.baseAddress, bytes.count &- start >= text.count else { return nil }
        // Two loops: of one that asks for each block whether case counts, not all that it needs is in registers.
        if ignoresCase {
            let (first, otherFirst, last, otherLast) = (first.0, first.1, last.0, last.1)
            return place(base, start..<bytes.count) { ((($0 .== first) .| ($0 .== otherFirst)) .& (($1 .== last) .| ($1 .== otherLast))) }
        }
        let (first, last) = (first.0, last.0)
        return place(base, start..<bytes.count) { ($0 .== first) .& ($1 .== last) }
    }

    /// `isCandidate` says of sixteen places at once where there are the first and the last byte of the text.
    @inline(__always)
    private func place(
        _ base: UnsafeRawPointer, _ range: Range<Int>, _ isCandidate: (Lanes, Lanes) -> SIMDMask<SIMD16<Int8>>
    ) -> Int? {
        text.withUnsafeBytes { text -> Int? in
            let tail = text.count &- 1
            let size = Lanes.scalarCount
            // Behind this one it cannot begin.
            let end = range.upperBound &- tail
            func candidates(_ place: Int) -> SIMDMask<SIMD16<Int8>> {
                isCandidate(
                    base.loadUnaligned(fromByteOffset: place, as: Lanes.self),
                    base.loadUnaligned(fromByteOffset: place &+ tail, as: Lanes.self))
            }
            func firstMatch(_ found: SIMDMask<SIMD16<Int8>>, _ place: Int) -> Int? {
                for lane in 0..<size where found[lane] && matches(base + place + lane, text) { return place &+ lane }
                return nil
            }
            var place = range.lowerBound
            while place &+ 2 &* size <= end {
                let (near, far) = (candidates(place), candidates(place &+ size))
                if any(near .| far), let match = firstMatch(near, place) ?? firstMatch(far, place &+ size) { return match }
                place &+= 2 &* size
            }
            // The last ones may overlap with what was looked at.
            while place < end, range.lowerBound &+ size <= end {
                place = min(place, end &- size)
                let found = candidates(place)
                if any(found), let match = firstMatch(found, place) { return match }
                place &+= size
            }
            while place < end {
                if matches(base + place, text) { return place }
                place &+= 1
            }
            return nil
        }
    }

    @inline(__always)
    private func matches(_ place: UnsafeRawPointer, _ text: UnsafeRawBufferPointer) -> Bool {
        guard ignoresCase else { return text.baseAddress.map { memcmp(place, $0, text.count) == 0 } ?? false }
        for index in 0..<text.count where ByteFinder.small(place.load(fromByteOffset: index, as: UInt8.self)) != text[index] {
            return false
        }
        return true
    }
}
