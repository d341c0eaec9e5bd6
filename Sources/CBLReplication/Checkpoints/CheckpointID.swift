import CBLBase
import CBLFleece
import CBLStore

/// What a checkpoint's name is made of: who replicates what with whom.
///
/// The name is `cp-` and a digest over the Fleece encoding of these, byte for byte as the vendor's library makes it, so that a database
/// changes hands between programs without starting its replications anew. Continuous or not makes no difference.
package struct CheckpointScope: Hashable, Sendable {
    package var collection: CollectionName
    package var pushes: Bool
    package var pulls: Bool
    /// The URL that is connected to, as it is written, or whatever else the app calls the other database by.
    package var remote: String
    package var channels: [String]
    package var documentIDs: [String]
    package var filter: String?
    /// A JSON object.
    package var filterParameters: String?

    package init(
        collection: CollectionName = .default, pushes: Bool = true, pulls: Bool = true, remote: String, channels: [String] = [],
        documentIDs: [String] = [], filter: String? = nil, filterParameters: String? = nil
    ) {
        self.collection = collection
        self.pushes = pushes
        self.pulls = pulls
        self.remote = remote
        self.channels = channels
        self.documentIDs = documentIDs
        self.filter = filter
        self.filterParameters = filterParameters
    }

    /// The name of the checkpoint of a database with this private UUID.
    package func checkpointID(privateUUID: UniqueID) throws -> String {
        let encoding = try encoding(privateUUID: privateUUID)
        let digest = encoding.withBytes { bytes in
            collection.isDefault ? SHA1.digest(of: bytes).withBytes { Array($0) } : SHA256.digest(of: bytes)
        }
        return "cp-" + digest.withUnsafeBytes { Base64.text(of: $0) }
    }

    /// The names under which the original of a copied database may have left a checkpoint: its URL as it is, with the scheme's port, without it.
    package func formerCheckpointIDs(previousUUID: UniqueID) throws -> [String] {
        var ids: [String] = []
        for url in CheckpointScope.spellings(of: remote) {
            var scope = self
            scope.remote = url
            ids.append(try scope.checkpointID(privateUUID: previousUUID))
        }
        return ids
    }

    static func spellings(of url: String) -> [String] {
        let ports = [("ws://", ":80"), ("wss://", ":443")]
        guard let (scheme, port) = ports.first(where: { url.hasPrefix($0.0) }) else { return [url] }
        let rest = url.dropFirst(scheme.count)
        let host = rest.prefix { $0 != "/" }
        let path = rest.dropFirst(host.count)
        // The colons of an IPv6 address stand in brackets.
        let afterAddress = host.lastIndex(of: "]").map { host[host.index(after: $0)...] } ?? host
        if host.hasSuffix(port), !host.hasSuffix("]") { return [url, scheme + host.dropLast(port.count) + path] }
        return afterAddress.contains(":") ? [url] : [url, scheme + host + port + path]
    }

    func encoding(privateUUID: UniqueID) throws -> FleeceData {
        let encoder = FleeceEncoder()
        encoder.beginArray()
        privateUUID.withBytes { encoder.writeString($0) }
        if !collection.isDefault {
            encoder.write(collection.name)
            encoder.write(collection.scope)
            encoder.write(pulls)
            encoder.write(pushes)
        }
        encoder.write(remote)
        if !channels.isEmpty || !documentIDs.isEmpty || filter != nil {
            write(channels, to: encoder)
            if let filter { encoder.write(filter) } else { encoder.writeNull() }
            if let filterParameters {
                let parsed = try CheckpointScope.parse(filterParameters)
                parsed.withRoot { encoder.write($0, keys: nil) }
            } else {
                encoder.writeNull()
            }
            write(documentIDs, to: encoder)
        }
        encoder.endArray()
        return try encoder.finish()
    }

    private func write(_ list: [String], to encoder: FleeceEncoder) {
        guard !list.isEmpty else { return encoder.writeNull() }
        encoder.beginArray()
        for item in list { encoder.write(item) }
        encoder.endArray()
    }

    private static func parse(_ json: String) throws -> FleeceData {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        return try encoder.finish()
    }
}
