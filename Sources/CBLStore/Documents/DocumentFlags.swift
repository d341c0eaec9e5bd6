/// The low sixteen bits of a record's `flags` column.
package struct DocumentFlags: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let deleted = DocumentFlags(rawValue: 0x01)
    package static let conflicted = DocumentFlags(rawValue: 0x02)
    package static let hasAttachments = DocumentFlags(rawValue: 0x04)
    /// The current revision is known to remote #1.
    package static let synced = DocumentFlags(rawValue: 0x08)
}
