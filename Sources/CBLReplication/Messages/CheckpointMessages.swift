import CBLFleece

/// `getCheckpoint`: asks for the peer's copy of a checkpoint.
package struct GetCheckpoint: Hashable, Sendable {
    package var client: String

    package init(client: String) { self.client = client }

    init(_ wire: WireRequest) throws(MalformedMessage) {
        guard let client = wire.properties["client"], !client.isEmpty else { throw MalformedMessage("missing checkpoint ID") }
        self.init(client: client)
    }

    func encode(into wire: inout WireRequest) { wire.properties.append("client", client) }
}

/// The answer to `getCheckpoint`.
package struct CheckpointReply: Hashable, Sendable {
    package var revision: String
    package var body: [UInt8]

    package init(revision: String, body: [UInt8]) {
        self.revision = revision
        self.body = body
    }

    package init(_ wire: WireReply) { self.init(revision: wire.properties["rev"] ?? "", body: wire.body) }
    package var wire: WireReply { WireReply(properties: ["rev": revision], body: body) }
}

/// `setCheckpoint`: replaces the peer's copy, if its revision is the one given.
package struct SetCheckpoint: Hashable, Sendable {
    package var client: String
    /// Empty for the first copy.
    package var revision: String
    package var body: [UInt8]

    package init(client: String, revision: String, body: [UInt8]) {
        self.client = client
        self.revision = revision
        self.body = body
    }

    init(_ wire: WireRequest) throws(MalformedMessage) {
        guard let client = wire.properties["client"], !client.isEmpty else { throw MalformedMessage("missing checkpoint ID") }
        self.init(client: client, revision: wire.properties["rev"] ?? "", body: wire.body)
    }

    func encode(into wire: inout WireRequest) {
        wire.properties.append("client", client)
        wire.properties.append("rev", revision)
        wire.body = body
    }
}

/// `getCollections`: names the collections that this connection is about, and asks for their checkpoints.
package struct GetCollections: Hashable, Sendable {
    package struct Item: Hashable, Sendable {
        package var checkpointID: String
        /// `scope.name`, or the name alone in the default scope.
        package var path: String

        package init(checkpointID: String, path: String) {
            self.checkpointID = checkpointID
            self.path = path
        }
    }

    package var items: [Item]
    /// The database's public UUID: for information.
    package var databaseUUID: String?

    package init(items: [Item], databaseUUID: String? = nil) {
        self.items = items
        self.databaseUUID = databaseUUID
    }

    init(_ wire: WireRequest) throws(MalformedMessage) {
        func invalid(_ reason: String) -> MalformedMessage { MalformedMessage("Invalid getCollections message: \(reason)") }
        let parsed = try MessageJSON.parse(wire.body, "getCollections")
        items = try parsed.withRoot { root throws(MalformedMessage) in
            guard let root = root.dictionary else { throw invalid("no root") }
            guard let ids = root.value(forKey: "checkpoint_ids", nil)?.array else { throw invalid("no checkpoint_ids") }
            guard let paths = root.value(forKey: "collections", nil)?.array else { throw invalid("no collections") }
            guard ids.count == paths.count else { throw invalid("mismatched collections and checkpoint_ids") }
            var items: [Item] = []
            var seen: Set<String> = []
            for (id, path) in zip(ids, paths) {
                guard let id = id.string, !id.isEmpty else { throw invalid("empty checkpoint ID") }
                guard let path = path.string, !path.isEmpty else { throw invalid("empty collection path") }
                guard seen.insert(path).inserted else { throw invalid("duplicate collection path") }
                items.append(Item(checkpointID: id, path: path))
            }
            return items
        }
        databaseUUID = wire.properties["uuid"]
    }

    func encode(into wire: inout WireRequest) {
        wire.properties.append("uuid", databaseUUID)
        var json = ByteBuffer(capacity: 128)
        json.append("{\"checkpoint_ids\":")
        MessageJSON.write(strings: items.map(\.checkpointID), to: &json)
        json.append(",\"collections\":")
        MessageJSON.write(strings: items.map(\.path), to: &json)
        json.append("}")
        wire.body = json.withBytes { Array($0) }
    }
}

/// The answer to `getCollections`: what the peer has of each collection.
package struct CollectionsReply: Hashable, Sendable {
    package enum Item: Hashable, Sendable {
        /// The peer has no such collection.
        case unknown
        /// No checkpoint yet.
        case new
        /// `body` may still have the member that told the revision.
        case checkpoint(revision: String, body: [UInt8])
    }

    package var items: [Item]

    package init(items: [Item]) { self.items = items }

    package init(_ wire: WireReply) throws(MalformedMessage) {
        items = try MessageJSON.list(wire.body, "the reply to getCollections") { value throws(MalformedMessage) in
            if value.isNull { return .unknown }
            guard let object = value.dictionary else { throw MalformedMessage("an item of the reply to getCollections is no object") }
            guard !object.isEmpty else { return .new }
            // One product writes the revision as `rev`, the other as `_rev`.
            let revision = object.value(forKey: "rev", nil)?.string ?? object.value(forKey: "_rev", nil)?.string ?? ""
            return .checkpoint(revision: revision, body: Array(value.json().utf8))
        }
    }

    package var wire: WireReply {
        let body = MessageJSON.write(items) { item, json in
            switch item {
            case .unknown: json.append("null")
            case .new: json.append("{}")
            case .checkpoint(let revision, let body):
                // The revision becomes one more member of the object.
                let inside = body.drop { $0 != UInt8(ascii: "{") }.dropFirst()
                json.append("{\"rev\":")
                JSONWriter.write(string: revision, to: &json)
                let isEmpty = inside.first { !$0.isBlank } == UInt8(ascii: "}")
                json.append(inside.isEmpty ? "}" : isEmpty ? "" : ",")
                inside.withUnsafeBytes { json.append($0) }
            }
        }
        return WireReply(body: body, isCompressed: true)
    }
}

extension UInt8 {
    fileprivate var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
