import CBLFleece
import CBLStore

/// The document that a map function looks at, where it lies in the database's memory: only for as long as the function runs.
///
///     document["address"].dictionary        // nested values are Fleece's, with `document.keys`
///     document.id, document.sequence
///
/// Hot: one serves all documents of a thread.
package final class MapDocument {
    /// The properties.
    @exclusivity(unchecked) package private(set) var body = Value.undefined
    @exclusivity(unchecked) package private(set) var properties: DictionaryView
    /// The table of the dictionaries' keys.
    @exclusivity(unchecked) package private(set) var keys: SharedKeys?
    @exclusivity(unchecked) package private(set) var names: SharedKeys.Names?
    @exclusivity(unchecked) package private(set) var idBytes = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) package private(set) var sequence: UInt64 = 0
    @exclusivity(unchecked) private(set) var versionBytes = UnsafeRawBufferPointer(start: nil, count: 0)
    @exclusivity(unchecked) private var flags = DocumentFlags()
    private let collection: CollectionName
    private unowned let snapshot: Snapshot
    private let encoder = FleeceEncoder()

    init(_ snapshot: Snapshot, _ collection: CollectionName) {
        self.snapshot = snapshot
        self.collection = collection
        properties = MapDocument.empty
        keys = snapshot.sharedKeys
        names = keys?.allNames
    }

    private static let empty = FleeceData.emptyDictionary.root.dictionary.unsafelyUnwrapped

    /// Goes on to another document; false if it is damaged.
    @inline(__always)
    func read(_ cursor: DocumentCursor) -> Bool {
        body = cursor.body
        guard let dictionary = body.dictionary else { return false }
        properties = dictionary
        idBytes = cursor.idBytes
        sequence = cursor.sequence
        versionBytes = cursor.versionBytes
        flags = cursor.flags
        return true
    }

    /// A property, undefined if there is none.
    package subscript(name: String) -> Value { properties.value(forKey: name, among: names) ?? .undefined }

    package var id: String { String(decoding: idBytes, as: UTF8.self) }

    /// The ID of the current revision; nil if it is damaged.
    package var revision: RevisionID? { try? RevisionID(column: versionBytes) }

    /// The IDs of other revisions that are leaves, and no deletions.
    package var conflicts: [RevisionID] {
        guard flags.contains(.conflicted), let document = try? snapshot.document(id, in: collection) else { return [] }
        return document.liveConflicts
    }

    /// What 1.x shows of attachments: the member that it keeps them in. Undefined if there are none.
    package var attachments: Value { self["_attachments"] }

    /// Whether the member `type` is this string.
    func hasType(_ type: [UInt8]) -> Bool {
        guard let bytes = self["type"].stringBytes else { return false }
        return bytes.elementsEqual(type)
    }

    /// Writes the document as 1.x shows it to map functions: with `_id`, `_rev`, `_local_seq`, and `_conflicts` if there are some.
    package func writeWhole(to encoder: FleeceEncoder) {
        encoder.beginDictionary()
        encoder.writeKey("_id")
        encoder.writeString(idBytes)
        encoder.writeKey("_rev")
        encoder.write(revision?.description ?? "")
        encoder.writeKey("_local_seq")
        encoder.write(sequence)
        let conflicts = conflicts
        if !conflicts.isEmpty {
            encoder.writeKey("_conflicts")
            encoder.beginArray()
            for id in conflicts { encoder.write(id.description) }
            encoder.endArray()
        }
        for (key, value) in properties {
            guard let name = key.keyBytes(keys), !MapDocument.added.contains(where: { name.elementsEqual($0.utf8) }) else { continue }
            encoder.writeKey(name)
            encoder.write(value, keys: keys)
        }
        encoder.endDictionary()
    }

    private static let added = ["_id", "_rev", "_local_seq", "_conflicts"]

    /// Lends the same as a value of its own, without shared keys.
    package func withWhole<Result>(_ body: (Value) throws -> Result) throws -> Result {
        encoder.reset()
        writeWhole(to: encoder)
        return try encoder.withFinished { try body(Value(root: $0) ?? .undefined) }
    }
}

extension Document {
    /// The revisions besides the current one that are leaves, and no deletions.
    package var liveConflicts: [RevisionID] {
        guard isConflicted, let revisions = try? revisions() else { return [] }
        switch revisions {
        case .tree(let tree):
            return tree.revisions.dropFirst().filter { $0.isLeaf && !$0.isDeleted }.map(\.id).sorted(by: >)
        case .vectors(let vectors):
            return vectors.conflicts.filter { !$0.isDeleted }.compactMap(\.id)
        }
    }
}
