// What an upgrade has left of the replications of a 1.x database.
extension Snapshot {
    /// By which it was known in the names of checkpoints; nil if it was made by no upgrade.
    package var version1Identity: String? {
        get throws {
            guard catalog.stores[Version1Conversion.rawStore] != nil else { return nil }
            return try rawDocument("privateUUID", in: Version1Conversion.rawStore).map { String(decoding: $0.body, as: UTF8.self) }
        }
    }

    /// The sequence that a checkpoint of that time has.
    package func version1Checkpoint(_ id: String) throws -> String? {
        guard catalog.stores[Version1Conversion.rawStore] != nil else { return nil }
        return try rawDocument("checkpoint/" + id, in: Version1Conversion.rawStore).map { String(decoding: $0.body, as: UTF8.self) }
    }
}
