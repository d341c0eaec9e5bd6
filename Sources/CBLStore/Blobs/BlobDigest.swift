import CBLBase

/// The SHA-1 of a blob's content, by which documents refer to it: `sha1-c2XTGPrFT86b4bdd8Xo4E/Zpuww=`. Twenty bytes: there may be a million of them.
package struct BlobDigest: Hashable, Sendable, CustomStringConvertible {
    private let sha1: SHA1.Digest
    private static let prefix = "sha1-"
    private static let suffix = ".blob"
    private static let base64Count = 28

    init(_ sha1: SHA1.Digest) { self.sha1 = sha1 }

    /// Reads the text form; nil if it cannot be one.
    package init?(_ text: String) {
        var text = text
        let digest = text.withUTF8 { text -> BlobDigest? in
            let text = UnsafeRawBufferPointer(text)
            guard text.starts(with: BlobDigest.prefix.utf8) else { return nil }
            return BlobDigest(base64: UnsafeRawBufferPointer(rebasing: text[BlobDigest.prefix.utf8.count...]))
        }
        guard let digest else { return nil }
        self = digest
    }

    private init?(base64: UnsafeRawBufferPointer) {
        guard base64.count == BlobDigest.base64Count, base64.last == UInt8(ascii: "="), let bytes = Base64.bytes(of: base64),
            let sha1 = bytes.withUnsafeBytes({ SHA1.Digest($0) })
        else { return nil }
        self.sha1 = sha1
    }

    package var description: String { BlobDigest.prefix + sha1.withBytes { Base64.text(of: $0) } }

    /// The digest that a file's name stands for; nil for other files.
    init?(fileName: String) {
        guard fileName.utf8.count == BlobDigest.base64Count + BlobDigest.suffix.utf8.count, fileName.hasSuffix(BlobDigest.suffix) else {
            return nil
        }
        // What a name has in the place of a slash is no character of Base64, nor is a slash one of a name.
        var base64 = Array(fileName.utf8.prefix(BlobDigest.base64Count))
        for place in base64.indices where base64[place] == UInt8(ascii: "_") { base64[place] = UInt8(ascii: "/") }
        guard let digest = base64.withUnsafeBytes({ BlobDigest(base64: $0) }) else { return nil }
        self = digest
    }

    package var fileName: String {
        // Byte by byte: a blob is read in little more time than going through its name by characters takes.
        let suffix = BlobDigest.suffix.utf8
        return String(unsafeUninitializedCapacity: BlobDigest.base64Count + suffix.count) { name in
            guard let start = name.baseAddress else { return 0 }
            let end = sha1.withBytes { Base64.write($0, isPadded: true, to: UnsafeMutableRawPointer(start)) }
            for place in 0..<end where name[place] == UInt8(ascii: "/") { name[place] = UInt8(ascii: "_") }
            return name[end...].initialize(fromContentsOf: suffix)
        }
    }

    /// The digest that a file's name stands for in 1.x: forty hexadecimal digits, of either case.
    init?(version1FileName name: String) {
        guard name.hasSuffix(BlobDigest.suffix), name.utf8.count == 40 + BlobDigest.suffix.utf8.count,
            let bytes = Hex.bytes(of: name.dropLast(BlobDigest.suffix.utf8.count).lowercased()),
            let sha1 = bytes.withUnsafeBytes({ SHA1.Digest($0) })
        else { return nil }
        self.sha1 = sha1
    }

    /// The names that its file can have in 1.x.
    var version1FileNames: [String] { [sha1.hex.uppercased() + BlobDigest.suffix, sha1.hex + BlobDigest.suffix] }
}

/// In the order of their bytes.
extension BlobDigest: Comparable {
    package static func < (one: BlobDigest, other: BlobDigest) -> Bool {
        one.sha1.withBytes { one in other.sha1.withBytes { one.lexicographicallyPrecedes($0) } }
    }
}

extension Folder {
    /// The blobs whose files are inside, in the order in which they are read most quickly.
    func digests(_ digest: (String) -> BlobDigest? = { BlobDigest(fileName: $0) }) throws(StoreError) -> [BlobDigest] {
        let listing = try listing()
        var found: [(number: UInt64, digest: BlobDigest)] = []
        while let name = listing.next() { if let digest = digest(name) { found.append((listing.number, digest)) } }
        found.sort { $0.number < $1.number }
        return found.map(\.digest)
    }
}
