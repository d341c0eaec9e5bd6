import CBLFleece
import CBLStore

/// `changes`: tells which revisions there are. An empty one says that all were told.
package struct ChangesMessage: Hashable, Sendable {
    package struct Flags: OptionSet, Hashable, Sendable {
        package let rawValue: Int
        package init(rawValue: Int) { self.rawValue = rawValue }

        package static let deleted = Flags(rawValue: 1)
        /// The user lost the channel.
        package static let revoked = Flags(rawValue: 2)
        /// The document left the channel.
        package static let removed = Flags(rawValue: 4)

        /// A tombstone that left its channels as well is a tombstone.
        package var isDeletion: Bool { self == .deleted || self == [.deleted, .removed] }
        /// Nothing is to be asked for.
        package var losesAccess: Bool { !isEmpty && !isDeletion }
    }

    package struct Entry: Hashable, Sendable {
        package var sequence: RemoteSequence
        package var documentID: String
        /// Nil if the peer wrote something that cannot be a revision.
        package var revision: RevisionID?
        package var flags: Flags
        /// In bytes, for the display of progress.
        package var bodySize: Int?

        package init(
            sequence: RemoteSequence, documentID: String, revision: RevisionID?, flags: Flags = [], bodySize: Int? = nil
        ) {
            self.sequence = sequence
            self.documentID = documentID
            self.revision = revision
            self.flags = flags
            self.bodySize = bodySize
        }
    }

    package var entries: [Entry]

    package init(entries: [Entry]) { self.entries = entries }

    init(_ wire: WireRequest) throws(MalformedMessage) {
        entries = try MessageJSON.list(wire.body, "changes") { value throws(MalformedMessage) in
            guard let items = value.array, items.count >= 3 else { throw MalformedMessage("a change has less than three items") }
            guard let sequence = RemoteSequence(items[0]) else { throw MalformedMessage("a change has no usable sequence") }
            guard let id = items[1].string, id.utf8.count <= RevisionMessage.idLengths.upperBound else {
                throw MalformedMessage("a change has no document ID")
            }
            guard let revision = items[2].string else { throw MalformedMessage("a change has no revision") }
            var flags: Flags = []
            if items.count > 3 {
                if items[3].boolean == true { flags = .deleted }
                if items[3].boolean == nil, let bits = items[3].integer { flags = Flags(rawValue: Int(bits & 7)) }
            }
            let size = items.count > 4 ? items[4].integer.flatMap { Int(exactly: $0) } : nil
            return Entry(
                sequence: sequence, documentID: id, revision: try? RevisionID(parsing: revision), flags: flags,
                bodySize: size.map { max(0, $0) })
        }
    }

    func encode(into wire: inout WireRequest) {
        wire.isUrgent = true
        wire.isCompressed = !entries.isEmpty
        if entries.isEmpty { wire.isNoReply = true }
        wire.body = MessageJSON.write(entries) { entry, json in
            json.append("[")
            json.append(entry.sequence.json)
            json.append(",")
            JSONWriter.write(string: entry.documentID, to: &json)
            json.append(",")
            JSONWriter.write(string: entry.revision?.text ?? "", to: &json)
            if !entry.flags.isEmpty || entry.bodySize != nil {
                // Protocol 2 has Booleans here, which 3 understands too.
                switch entry.flags {
                case []: json.append(",false")
                case .deleted: json.append(",true")
                default: json.append(",\(entry.flags.rawValue)")
                }
            }
            if let size = entry.bodySize {
                json.append(",")
                json.append(decimal: Int64(size))
            }
            json.append("]")
        }
    }
}

/// The answer to `changes`: which revisions are wanted.
package struct ChangesReply: Hashable, Sendable {
    package enum Item: Hashable, Sendable {
        case notWanted
        /// With the revisions of this document that the receiver has already.
        case wanted(ancestors: [RevisionID])
        case refused(status: Int)
    }

    package var options = SendOptions()
    package var items: [Item] = []

    package init(items: [Item] = []) { self.items = items }

    package init(_ wire: WireReply) throws(MalformedMessage) {
        options = SendOptions(wire.properties)
        items = try MessageJSON.list(wire.body, "the reply to changes") { value throws(MalformedMessage) in
            if let list = value.array {
                // An ancestor that we cannot read is none that we could use.
                return .wanted(ancestors: list.compactMap { item in item.string.flatMap { try? RevisionID(parsing: $0) } })
            }
            guard let status = value.integer, status >= 300 else { return .notWanted }
            return .refused(status: Int(clamping: status))
        }
    }

    /// What the reply says of the entry at a place: lists may be shorter than what they answer.
    package subscript(place: Int) -> Item { place < items.count ? items[place] : .notWanted }

    package var wire: WireReply {
        var wire = WireReply(isUrgent: true, isCompressed: true)
        options.append(to: &wire.properties)
        // What is not wanted at the end need not be said.
        let count = items.lastIndex { $0 != .notWanted }.map { $0 + 1 } ?? 0
        wire.body = MessageJSON.write(Array(items[..<count])) { item, json in
            switch item {
            case .notWanted: json.append("0")
            case .wanted(let ancestors): MessageJSON.write(strings: ancestors.map(\.text), to: &json)
            case .refused(let status): json.append(decimal: Int64(status))
            }
        }
        return wire
    }
}
