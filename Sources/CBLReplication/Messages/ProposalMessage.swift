import CBLFleece
import CBLStore

/// `proposeChanges`: offers revisions to a peer that takes none in conflict.
package struct ProposalMessage: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package var documentID: String
        /// Nil if the peer wrote something that cannot be a revision.
        package var revision: RevisionID?
        /// The latest revision that the receiver is known to have.
        package var serverRevision: RevisionID?
        package var bodySize: Int

        package init(documentID: String, revision: RevisionID?, serverRevision: RevisionID? = nil, bodySize: Int = 0) {
            self.documentID = documentID
            self.revision = revision
            self.serverRevision = serverRevision
            self.bodySize = bodySize
        }
    }

    package var entries: [Entry]
    /// Refusals are to name the revision in the way.
    package var wantsConflictingRevision = true

    package init(entries: [Entry]) { self.entries = entries }

    init(_ wire: WireRequest) throws(MalformedMessage) {
        wantsConflictingRevision = wire.properties.flag("conflictIncludesRev")
        entries = try MessageJSON.list(wire.body, "proposeChanges") { value throws(MalformedMessage) in
            guard let items = value.array, items.count >= 2 else { throw MalformedMessage("a proposed change has less than two items") }
            guard let id = items[0].string else { throw MalformedMessage("a proposed change has no document ID") }
            guard let revision = items[1].string else { throw MalformedMessage("a proposed change has no revision") }
            var server: RevisionID?
            if items.count > 2, let text = items[2].string, !text.isEmpty { server = try? RevisionID(parsing: text) }
            let size = items.count > 3 ? items[3].integer.flatMap { Int(exactly: $0) } ?? 0 : 0
            return Entry(documentID: id, revision: Self.current(revision), serverRevision: server, bodySize: max(0, size))
        }
    }

    /// The revision may come with its whole vector.
    private static func current(_ text: String) -> RevisionID? {
        if let id = try? RevisionID(parsing: text) { return id }
        return (try? RevisionHistory(parsing: text))?.revision
    }

    func encode(into wire: inout WireRequest) {
        wire.isUrgent = true
        wire.isCompressed = !entries.isEmpty
        // The vendor's library says so that there is nothing to push.
        if entries.isEmpty { wire.isNoReply = true }
        wire.properties.append("conflictIncludesRev", if: wantsConflictingRevision)
        wire.body = MessageJSON.write(entries) { entry, json in
            json.append("[")
            JSONWriter.write(string: entry.documentID, to: &json)
            json.append(",")
            JSONWriter.write(string: entry.revision?.text ?? "", to: &json)
            if entry.serverRevision != nil || entry.bodySize > 0 {
                json.append(",")
                JSONWriter.write(string: entry.serverRevision?.text ?? "", to: &json)
            }
            if entry.bodySize > 0 {
                json.append(",")
                json.append(decimal: Int64(entry.bodySize))
            }
            json.append("]")
        }
    }
}

/// The answer to `proposeChanges`.
package struct ProposalReply: Hashable, Sendable {
    package enum Item: Hashable, Sendable {
        case accepted
        /// The peer has it.
        case known
        /// Another revision is in the way, perhaps named.
        case conflict(with: RevisionID?)
        case refused(status: Int)
    }

    package var options = SendOptions()
    package var items: [Item] = []

    package init(items: [Item] = []) { self.items = items }

    package init(_ wire: WireReply) throws(MalformedMessage) {
        options = SendOptions(wire.properties)
        items = try MessageJSON.list(wire.body, "the reply to proposeChanges") { value throws(MalformedMessage) in
            var status = value.integer ?? 0
            var revision: RevisionID?
            if let object = value.dictionary {
                status = object.value(forKey: "status", nil)?.integer ?? 0
                revision = object.value(forKey: "rev", nil)?.string.flatMap { try? RevisionID(parsing: $0) }
            }
            switch status {
            case 0: return .accepted
            case 304: return .known
            case 409: return .conflict(with: revision)
            case 1..<300: throw MalformedMessage("unknown status \(status) in the reply to proposeChanges")
            default: return .refused(status: Int(clamping: status))
            }
        }
    }

    /// What the reply says of the entry at a place: zeros at the end are left out.
    package subscript(place: Int) -> Item { place < items.count ? items[place] : .accepted }

    package var wire: WireReply {
        var wire = WireReply(isUrgent: true, isCompressed: true)
        options.append(to: &wire.properties)
        let last = items.lastIndex { $0 != .accepted } ?? -1
        wire.body = MessageJSON.write(Array(items[...last])) { item, json in
            switch item {
            case .accepted: json.append("0")
            case .known: json.append("304")
            case .conflict(nil): json.append("409")
            case .conflict(let revision?):
                json.append("{\"status\":409,\"rev\":")
                JSONWriter.write(string: revision.text, to: &json)
                json.append("}")
            case .refused(let status): json.append(decimal: Int64(status))
            }
        }
        return wire
    }
}
