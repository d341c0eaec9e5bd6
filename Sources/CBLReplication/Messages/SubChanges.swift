import CBLFleece

/// `subChanges`: asks the peer for its changes.
package struct SubChanges: Hashable, Sendable {
    /// Nil for all from the start.
    package var since: RemoteSequence?
    package var isContinuous = false
    /// How many changes a message should tell at most; nil for the peer's own idea.
    package var batch: Int?
    /// Leave out what was deleted before now.
    package var activeOnly = false
    /// Tell of lost access too.
    package var wantsRevocations = false
    package var filter: String?
    package var channels: [String] = []
    /// Further properties, which the filter understands.
    package var filterParameters: [String: String] = [:]
    /// Nil if the peer is not told.
    package var usesVectors: Bool?
    package var acceptsReplacements = false
    /// Nil for all documents.
    package var documentIDs: [String]?
    /// Start at the current end.
    package var onlyFuture = false

    package init() {}

    static let channelFilter = "sync_gateway/bychannel"
    /// Names that filters cannot use for their parameters.
    private static let reserved: Set<String> = [
        "collection", "since", "continuous", "batch", "activeOnly", "revocations", "filter", "channels", "versioning",
        "sendReplacementRevs",
        "future", "requestPlus", "client_sgr2", "Content-Type", "Profile",
    ]

    init(_ wire: WireRequest) throws(MalformedMessage) {
        let properties = wire.properties
        if let text = properties["since"], !text.isEmpty, text != "null" {
            guard let since = RemoteSequence(json: text) else { throw MalformedMessage("the property \"since\" is not JSON") }
            self.since = since
        }
        isContinuous = properties.flag("continuous")
        if let text = properties["batch"] {
            guard let number = Int(text), number > 0 else { throw MalformedMessage("the property \"batch\" is not a positive number") }
            batch = number
        }
        activeOnly = properties.flag("activeOnly")
        wantsRevocations = properties.flag("revocations")
        filter = properties["filter"]
        channels = properties["channels"].map { $0.split(separator: ",").map(String.init) } ?? []
        for item in properties.items where !SubChanges.reserved.contains(item.name) { filterParameters[item.name] = item.value }
        switch properties["versioning"] {
        case nil: usesVectors = nil
        case "version-vectors"?: usesVectors = true
        case "rev-trees"?: usesVectors = false
        case let other?: throw MalformedMessage("unknown versioning \"\(other)\"")
        }
        acceptsReplacements = properties.flag("sendReplacementRevs")
        onlyFuture = properties.flag("future")
        guard !wire.body.isEmpty else { return }
        let parsed = try MessageJSON.parse(wire.body, "subChanges")
        documentIDs = try parsed.withRoot { root throws(MalformedMessage) in
            if root.isNull { return nil }
            guard let object = root.dictionary else { throw MalformedMessage("the body of subChanges is not an object") }
            guard let value = object.value(forKey: "docIDs", nil), !value.isNull else { return nil }
            guard let list = value.array else { throw MalformedMessage("docIDs is not a list") }
            var ids: [String] = []
            for item in list {
                guard let id = item.string else { throw MalformedMessage("docIDs holds what is no string") }
                ids.append(id)
            }
            return ids
        }
    }

    func encode(into wire: inout WireRequest) {
        wire.properties.append("since", since?.json)
        wire.properties.append("continuous", if: isContinuous)
        wire.properties.append("batch", batch.map(String.init))
        wire.properties.append("activeOnly", if: activeOnly)
        wire.properties.append("revocations", if: wantsRevocations)
        wire.properties.append("versioning", usesVectors.map { $0 ? "version-vectors" : "rev-trees" })
        // Sync Gateway takes the word alone.
        wire.properties.append("sendReplacementRevs", if: acceptsReplacements)
        wire.properties.append("future", if: onlyFuture)
        wire.properties.append("filter", filter ?? (channels.isEmpty ? nil : SubChanges.channelFilter))
        if !channels.isEmpty { wire.properties.append("channels", channels.joined(separator: ",")) }
        for (name, value) in filterParameters.sorted(by: { $0.key < $1.key }) where !SubChanges.reserved.contains(name) {
            wire.properties.append(name, value)
        }
        guard let documentIDs else { return }
        var json = ByteBuffer(capacity: 64)
        json.append("{\"docIDs\":")
        MessageJSON.write(strings: documentIDs, to: &json)
        json.append("}")
        wire.body = json.withBytes { Array($0) }
    }
}
