/// The first bytes of a main file, in clear, and what they tell before SQLite looks at them. Format: "The Database Header" in SQLite's description.
struct DatabaseHeader {
    static let count = 100
    /// The vendor's files have no other.
    static let usualPageSize = 4096
    static let magic = Array("SQLite format 3\0".utf8)
    /// What SQLite has for later.
    static let alwaysZero = 72..<92

    /// Fewer if the file has not so many.
    var bytes: [UInt8]
    let fileSize: Int

    var isWhole: Bool { bytes.count == DatabaseHeader.count }
    var isPlain: Bool { bytes.starts(with: DatabaseHeader.magic) }

    /// The vendor's encryption leaves these eight bytes as they are, and no others. Asked of a whole header that is not plain.
    var isEncrypted: Bool {
        (bytes[18] == 1 || bytes[18] == 2) && (bytes[19] == 1 || bytes[19] == 2) && bytes[20] == 12
            && bytes[21...23].elementsEqual([64, 32, 32])
            && pageSize >= 512 && pageSize.nonzeroBitCount == 1 && !bytes[DatabaseHeader.alwaysZero].allSatisfy { $0 == 0 }
    }

    /// As the header says, in clear or not.
    var pageSize: Int {
        let size = Int(bytes[16]) << 8 | Int(bytes[17])
        return size == 1 ? 65536 : size
    }

    /// What each page leaves at its end.
    var reservedSize: Int { Int(bytes[20]) }

    /// Whether the bytes are as mixed as those of a cipher that leaves none as they are: of a whole header that means no text and no zeros. By chance
    /// a hundred bytes have about eighty values; a plain header has about twenty.
    var looksEncrypted: Bool {
        var isThere = [Bool](repeating: false, count: 256)
        for byte in bytes { isThere[Int(byte)] = true }
        // Pages are never smaller than this.
        return isWhole && fileSize.isMultiple(of: 512) && isThere.count { $0 } >= 60
    }

    /// What stands there in every plain file: how much of a page a payload may take, and nothing for later.
    var hasUsualFractions: Bool {
        isWhole && bytes[21...23].elementsEqual([64, 32, 32]) && bytes[DatabaseHeader.alwaysZero].allSatisfy { $0 == 0 }
    }

    var userVersion: Int { word(at: 60) }

    /// The bytes that must be there; nil where the page count cannot be trusted.
    var expectedSize: Int? {
        guard word(at: 24) == word(at: 92) else { return nil }
        return word(at: 28) * max(1, pageSize)
    }

    private func word(at offset: Int) -> Int { bytes[offset..<offset + 4].reduce(0) { $0 << 8 | Int($1) } }
}
