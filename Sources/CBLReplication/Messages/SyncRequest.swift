/// A request of the replication protocol, with the collection that it is about.
package struct SyncRequest: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case getCheckpoint(GetCheckpoint)
        case setCheckpoint(SetCheckpoint)
        case getCollections(GetCollections)
        case subChanges(SubChanges)
        case unsubChanges
        case changes(ChangesMessage)
        case proposeChanges(ProposalMessage)
        case rev(RevisionMessage)
        case norev(NoRevisionMessage)
        case getAttachment(GetAttachment)
        case proveAttachment(ProveAttachment)
        case getRev(GetRevision)
        /// A request that this program does not know.
        case unknown(profile: String)
    }

    /// The index into what `getCollections` named; nil where there was none.
    package var collection: Int?
    package var content: Content

    package init(_ content: Content, collection: Int? = nil) {
        self.content = content
        self.collection = collection
    }

    package init(_ wire: WireRequest) throws(MalformedMessage) {
        if let text = wire.properties["collection"] {
            guard let index = Int(text), index >= 0 else { throw MalformedMessage("\"\(text)\" is not the number of a collection") }
            collection = index
        }
        content =
            switch wire.profile {
            case "getCheckpoint": .getCheckpoint(try GetCheckpoint(wire))
            case "setCheckpoint": .setCheckpoint(try SetCheckpoint(wire))
            case "getCollections": .getCollections(try GetCollections(wire))
            case "subChanges": .subChanges(try SubChanges(wire))
            case "unsubChanges": .unsubChanges
            case "changes": .changes(try ChangesMessage(wire))
            case "proposeChanges": .proposeChanges(try ProposalMessage(wire))
            case "rev": .rev(try RevisionMessage(wire))
            case "norev": .norev(try NoRevisionMessage(wire))
            case "getAttachment": .getAttachment(try GetAttachment(wire))
            case "proveAttachment": .proveAttachment(try ProveAttachment(wire))
            case "getRev": .getRev(try GetRevision(wire))
            case let profile: .unknown(profile: profile)
            }
    }

    package var profile: String {
        switch content {
        case .getCheckpoint: "getCheckpoint"
        case .setCheckpoint: "setCheckpoint"
        case .getCollections: "getCollections"
        case .subChanges: "subChanges"
        case .unsubChanges: "unsubChanges"
        case .changes: "changes"
        case .proposeChanges: "proposeChanges"
        case .rev: "rev"
        case .norev: "norev"
        case .getAttachment: "getAttachment"
        case .proveAttachment: "proveAttachment"
        case .getRev: "getRev"
        case .unknown(let profile): profile
        }
    }

    package var wire: WireRequest {
        var wire = WireRequest(profile: profile)
        if let collection { wire.properties.append("collection", String(collection)) }
        switch content {
        case .getCheckpoint(let message): message.encode(into: &wire)
        case .setCheckpoint(let message): message.encode(into: &wire)
        case .getCollections(let message): message.encode(into: &wire)
        case .subChanges(let message): message.encode(into: &wire)
        case .changes(let message): message.encode(into: &wire)
        case .proposeChanges(let message): message.encode(into: &wire)
        case .rev(let message): message.encode(into: &wire)
        case .norev(let message): message.encode(into: &wire)
        case .getAttachment(let message): message.encode(into: &wire)
        case .proveAttachment(let message): message.encode(into: &wire)
        case .getRev(let message): message.encode(into: &wire)
        case .unsubChanges, .unknown: break
        }
        return wire
    }
}
