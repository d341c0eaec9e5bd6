/// The low sixteen bits of a record's `flags` column.
public struct DocumentFlags: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    public static let deleted = DocumentFlags(rawValue: 0x01)
    public static let conflicted = DocumentFlags(rawValue: 0x02)
    public static let hasAttachments = DocumentFlags(rawValue: 0x04)
    /// The current revision is known to remote #1.
    public static let synced = DocumentFlags(rawValue: 0x08)
}
