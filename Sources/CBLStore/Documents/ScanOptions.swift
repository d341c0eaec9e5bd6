/// Which documents of a collection a scan gives, in which order, and how much of each.
package struct ScanOptions: Sendable {
    package enum Order: Sendable {
        /// By document ID, as bytes.
        case id
        case sequence
        /// As they lie in the file: the quickest.
        case stored
    }

    package enum Content: Sendable {
        /// Document IDs alone.
        case id
        /// IDs and bodies alone: the rest of a row need not be decoded.
        case idAndBody
        /// IDs, revisions, sequences, flags, expirations and body sizes.
        case metadata
        /// And bodies.
        case body
        /// And the other revisions.
        case everything
    }

    /// An end of a range of IDs.
    package struct Bound: Sendable {
        package var id: String
        package var isIncluded: Bool

        package init(_ id: String, isIncluded: Bool = true) {
            self.id = id
            self.isIncluded = isIncluded
        }
    }

    package var order: Order = .id
    package var isDescending = false
    package var includesDeleted = false
    package var onlyDeleted = false
    package var onlyConflicts = false
    /// Only documents of which some revision refers to blobs.
    package var onlyWithAttachments = false
    /// Only documents with a greater sequence.
    package var since: UInt64?
    /// Only documents with a sequence no greater than this.
    package var upTo: UInt64?
    /// Only documents whose IDs are not before this one, as bytes.
    package var firstID: Bound?
    /// Only documents whose IDs are not behind this one.
    package var lastID: Bound?
    /// Only documents whose ID matches: `*` stands for any characters, `?` for one.
    package var idPattern: String?
    /// Only documents whose ID starts so.
    package var idPrefix: String?
    /// Only documents whose rows have these numbers, which are ascending as they lie in the file: for reading a collection in pieces.
    package var rows: ClosedRange<Int64>?
    package var offset = 0
    package var limit: Int?
    package var content: Content = .body

    package init(order: Order = .id, content: Content = .body) {
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
