/// What a save writes into the columns of a record: the decision of a revision tree or of `VectorRevisions`, which the store carries out.
package struct SaveOutcome: Sendable {
    package var version: [UInt8]
    /// nil for NULL.
    package var body: ArraySlice<UInt8>?
    /// nil for NULL.
    package var extra: [UInt8]?
    package var flags: DocumentFlags
    /// Otherwise the sequence stays and the subsequence goes up.
    package var needsNewSequence: Bool
}

/// How a successful push is noted down.
package enum PushRecord: Sendable {
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
