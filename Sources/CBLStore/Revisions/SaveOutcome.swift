import CBLFleece

/// What a save writes into the columns of a record: the decision of a revision tree or of `VectorRevisions`, which the store carries out.
package struct SaveOutcome: Sendable {
    package var version: [UInt8]
    /// nil for NULL.
    package var body: FleeceData?
    /// nil for NULL.
    package var extra: [UInt8]?
    package var flags: DocumentFlags
    /// Otherwise the sequence stays and the subsequence goes up.
    package var needsNewSequence: Bool

    /// Lends the columns.
    func withColumns<Result>(
        _ work: (_ version: UnsafeRawBufferPointer, _ body: UnsafeRawBufferPointer?, _ extra: UnsafeRawBufferPointer?) throws -> Result
    ) rethrows -> Result {
        try version.withUnsafeBytes { version in
            try (body ?? .emptyDictionary).withBytes { body in
                try (extra ?? []).withUnsafeBytes { extra in
                    try work(version, self.body == nil ? nil : body, self.extra == nil ? nil : extra)
                }
            }
        }
    }
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
