/// What the receiver of revisions understands, as it says in its answers to `changes` and `proposeChanges`.
package struct SendOptions: Hashable, Sendable {
    /// How long a history should be attached.
    package var maxHistory: Int?
    /// Otherwise blobs get `_attachments`.
    package var acceptsBlobs = false
    package var acceptsDeltas = false
    /// A newer revision may be sent instead of one that is gone.
    package var acceptsReplacements = false

    package init() {}

    init(_ properties: Properties) {
        maxHistory = properties.integer("maxHistory").flatMap { $0 > 0 ? $0 : nil }
        acceptsBlobs = properties.flag("blobs")
        acceptsDeltas = properties.flag("deltas")
        acceptsReplacements = properties.flag("sendReplacementRevs")
    }

    func append(to properties: inout Properties) {
        properties.append("maxHistory", maxHistory.map(String.init))
        properties.append("blobs", if: acceptsBlobs)
        properties.append("deltas", if: acceptsDeltas)
        properties.append("sendReplacementRevs", if: acceptsReplacements)
    }

    /// Takes in what a further answer says: some say a thing once only.
    mutating func add(_ other: SendOptions) {
        maxHistory = other.maxHistory ?? maxHistory
        acceptsBlobs = acceptsBlobs || other.acceptsBlobs
        acceptsDeltas = acceptsDeltas || other.acceptsDeltas
        acceptsReplacements = acceptsReplacements || other.acceptsReplacements
    }
}
