import CBLBase
import CBLFleece
import CBLStore

/// The names that revisions have in CouchDB's protocol, and in REST. There what is behind the generation may be any text (`1-foo`, `2-b`), while a file
/// keeps bytes, whose hexadecimal digits everybody else sees. A text that is no such digits is kept behind a mark: `1-foo` is `1-ff747874666f6f` in the
/// file, and called `1-foo` here alone.
extension RevisionID {
    /// Digests with this in front are text. It sorts behind other digests, as most letters do behind digits.
    private static let textMark: [UInt8] = [0xFF, 0x74, 0x78, 0x74]

    package init(name: String) throws(RevisionError) {
        do { try self.init(parsing: name) } catch {
            guard let id = RevisionID(textual: name) else { throw error }
            self = id
        }
    }

    /// Of a name whose part behind the generation is kept as it is; nil if it cannot be: it is empty, too long, or not to be written as it is.
    private init?(textual name: String) {
        let parts = name.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, let generation = UInt32(parts[0]), String(generation) == parts[0] else { return nil }
        let text = parts[1].utf8
        guard !text.isEmpty, text.allSatisfy(RevisionID.isNameCharacter), !RevisionID.isDigest(text) else { return nil }
        let id = (RevisionID.textMark + text).withUnsafeBytes { RevisionID(generation: generation, digest: $0) }
        guard let id else { return nil }
        self = id
    }

    /// What clients call it.
    package var name: String {
        withDigest { digest in
            guard let text = RevisionID.text(of: digest) else { return self.text }
            return "\(generation)-\(text)"
        }
    }

    /// Appends what clients call it. Hot: it runs for each row of a listing (`make bench BENCH=http`).
    package func appendName(to buffer: inout ByteBuffer) {
        guard !isVersion, withDigest({ $0.first == RevisionID.textMark.first }) else { return appendText(to: &buffer) }
        buffer.append(name)
    }

    /// What is behind the generation; nil for a version.
    package var digestName: String? {
        guard !isVersion else { return nil }
        return withDigest { RevisionID.text(of: $0) ?? Hex.text(of: $0) }
    }

    private static func text(of digest: UnsafeRawBufferPointer) -> String? {
        guard digest.count > textMark.count, digest.first == textMark.first, digest.starts(with: textMark) else { return nil }
        let text = digest.dropFirst(textMark.count)
        // What nobody would have put there is a digest after all.
        guard text.allSatisfy(isNameCharacter), !isDigest(text) else { return nil }
        return String(decoding: text, as: UTF8.self)
    }

    /// Printable, and nothing that has a meaning in JSON, in headers, or in version vectors.
    private static func isNameCharacter(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !Array("\"\\@,;".utf8).contains(byte)
    }

    private static func isDigest(_ text: some Collection<UInt8>) -> Bool {
        text.count.isMultiple(of: 2) && text.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
