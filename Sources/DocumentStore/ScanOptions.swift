/// Which documents of a collection a scan gives, in which order, and how much of each.
public struct ScanOptions: Sendable {
    public enum Order: Sendable {
        /// By document ID, as bytes.
        case id
        case sequence
        /// As they lie in the file: the quickest.
        case stored
    }

    public enum Content: Sendable {
        /// Document IDs alone.
        case id
        /// IDs, revisions, sequences, flags, expirations and body sizes.
        case metadata
        /// And bodies.
        case body
        /// And the other revisions.
        case everything
    }

    public var order: Order = .id
    public var isDescending = false
    public var includesDeleted = false
    public var onlyDeleted = false
    public var onlyConflicts = false
    /// Only documents of which some revision refers to blobs.
    public var onlyWithAttachments = false
    /// Only documents with a greater sequence.
    public var since: UInt64?
    /// Only documents whose ID matches: `*` stands for any characters, `?` for one.
    public var idPattern: String?
    /// Only documents whose ID starts so.
    public var idPrefix: String?
    /// Only documents whose rows have these numbers, which are ascending as they lie in the file: for reading a collection in pieces.
    public var rows: ClosedRange<Int64>?
    public var offset = 0
    public var limit: Int?
    public var content: Content = .body

    public init(order: Order = .id, content: Content = .body) {
        self.order = order
        self.content = content
    }
}

extension ScanOptions {
    /// The pattern for SQLite's `GLOB`, in which brackets are special too.
    static func glob(_ pattern: String) -> String {
        var glob = ""
        for character in pattern.unicodeScalars {
            if character == "[" { glob += "[[]" } else { glob.unicodeScalars.append(character) }
        }
        return glob
    }

    /// What every ID that matches must begin with, which lets SQLite go straight there in the index.
    var fixedPrefix: String {
        let ofPattern = idPattern.map { String($0.prefix { $0 != "*" && $0 != "?" }) } ?? ""
        let prefix = idPrefix ?? ""
        return ofPattern.utf8.count > prefix.utf8.count ? ofPattern : prefix
    }

    /// The first string behind all that begin with this prefix, as bytes; nil if there is none.
    static func end(ofPrefix prefix: String) -> [UInt8]? {
        var end = Array(prefix.utf8)
        while let last = end.popLast() {
            if last < 0xFF { return end + [last + 1] }
        }
        return nil
    }
}
