/// What a save writes into the columns of a record: the decision of a revision tree or of `VectorRevisions`, which the store carries out.
public struct SaveOutcome: Sendable {
    public var version: [UInt8]
    /// nil for NULL.
    public var body: ArraySlice<UInt8>?
    /// nil for NULL.
    public var extra: [UInt8]?
    public var flags: DocumentFlags
    /// Otherwise the sequence stays and the subsequence goes up.
    public var needsNewSequence: Bool
}

/// How a successful push is noted down.
public enum PushRecord: Sendable {
    /// Remote 1 has the current revision: the record's `synced` flag says it, and nothing else is to be written.
    case flag
    /// What remotes have changed: the record is to be saved.
    case record
    /// The remote has moved on since: there is nothing to note.
    case late
}

extension ArraySlice<UInt8> {
    /// The encoding of an empty dictionary.
    static let emptyDictionary: ArraySlice<UInt8> = [0x70, 0x00]
}
