import CBLBase

// Names of revisions as 1.x has them: text, `2-f34206d6…`. Those that it makes itself are a generation and a digest, as those of its successors;
// what came from elsewhere may have anything behind the dash.
extension RevisionID {
    /// What a revision of 1.x is called here: what it is called there or, if no successor could read that, a name made of its generation and the
    /// digest of its text.
    init(version1 text: UnsafeRawBufferPointer) {
        if let id = RevisionID.plain(text) {
            self = id
            return
        }
        var sha1 = SHA1()
        sha1.update(text)
        let generation = Version1RevisionText.generation(of: text) ?? 1
        let id = sha1.finish().withBytes { RevisionID(generation: generation, digest: $0) }
        // Twenty bytes always make one.
        self = id ?? RevisionID(Version(time: 1, source: .local))
    }

    /// Whether successors call it by the same name.
    static func isPlain(version1 text: UnsafeRawBufferPointer) -> Bool { plain(text) != nil }

    private static func plain(_ text: UnsafeRawBufferPointer) -> RevisionID? {
        guard text.count <= maximumTextLength, text.first != UInt8(ascii: "0"), let dash = text.firstIndex(of: UInt8(ascii: "-")),
            let generation = Version1RevisionText.generation(of: text)
        else { return nil }
        let digits = UnsafeRawBufferPointer(rebasing: text[(dash + 1)...])
        guard !digits.isEmpty, digits.count.isMultiple(of: 2), digits.count <= 2 * maximumLength else { return nil }
        return withUnsafeTemporaryAllocation(byteCount: digits.count / 2, alignment: 1) { bytes in
            for index in bytes.indices {
                guard let high = Hex.value(ofDigit: digits[2 * index]), let low = Hex.value(ofDigit: digits[2 * index + 1]) else {
                    return nil
                }
                bytes[index] = high << 4 | low
            }
            return RevisionID(generation: generation, digest: UnsafeRawBufferPointer(bytes))
        }
    }
}

// How 1.x names what is made there. Its successors do so by another digest, and take either.
extension RevisionID {
    /// The ID that 1.x gives a new child of a revision, or a first revision. Nil if nothing can follow the parent.
    static func nextOfVersion1(after parent: RevisionID?, isDeleted: Bool, canonicalJSON body: UnsafeRawBufferPointer) -> RevisionID? {
        var md5 = MD5()
        var generation: UInt32 = 1
        if let parent {
            guard !parent.isVersion, parent.generation < UInt32.max else { return nil }
            generation = parent.generation + 1
            let text = Array(parent.text.utf8)
            ([UInt8(text.count)] + text).withUnsafeBytes { md5.update($0) }
        }
        withUnsafeBytes(of: isDeleted ? 1 as UInt8 : 0) { md5.update($0) }
        md5.update(body)
        return md5.finish().withUnsafeBytes { RevisionID(generation: generation, digest: $0) }
    }
}

/// The text of a revision's name in 1.x, and the collation `REVID` by which it orders them.
enum Version1RevisionText {
    private static let dash = UInt8(ascii: "-")
    private static let mostDigits = 9

    /// The number before the dash, of at most nine digits; nil if there is none, or zero.
    static func generation(of text: UnsafeRawBufferPointer) -> UInt32? {
        guard let dash = text.prefix(mostDigits + 1).firstIndex(of: dash), dash > 0 else { return nil }
        var generation: UInt32 = 0
        for digit in text[..<dash] {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            generation = generation * 10 + UInt32(digit - UInt8(ascii: "0"))
        }
        return generation > 0 ? generation : nil
    }

    /// Negative if `a` comes first: by generation, then by what is behind the dash. What has no generation is compared as it is.
    static func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        // One digit each: the bytes tell as much.
        if a.count > 1, b.count > 1, a[1] == dash, b[1] == dash { return compareBytes(a, b) }
        guard let (x, first) = parts(a), let (y, second) = parts(b) else { return compareBytes(a, b) }
        return x == y ? compareBytes(first, second) : x < y ? -1 : 1
    }

    private static func parts(_ text: UnsafeRawBufferPointer) -> (UInt32, UnsafeRawBufferPointer)? {
        guard let generation = generation(of: text), let dash = text.firstIndex(of: dash), dash <= mostDigits - 1 else { return nil }
        return (generation, UnsafeRawBufferPointer(rebasing: text[(dash + 1)...]))
    }

    private static func compareBytes(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        for (x, y) in zip(a, b) where x != y { return x < y ? -1 : 1 }
        return a.count - b.count
    }
}
