import CBLFleece
import CBLFunctions
import CBLStore

/// A document as a client sends it: its properties, and what stands among them with an underscore. It lies in the text that was read, and must not
/// outlive that.
package struct IncomingDocument {
    package enum Expiration {
        case unchanged
        case never
        /// Milliseconds since 1970.
        case at(Int64)
    }

    /// All that was sent.
    package let value: Value
    package let members: DictionaryView
    package var id: String?
    package var revision: String?
    package var isDeleted = false
    package var expiration = Expiration.unchanged
    package var attachments: DictionaryView?
    /// The names of the revision and of those it was made from, the nearest first.
    package var history: [String]?

    package init(_ value: Value) throws(RESTError) {
        guard let members = value.dictionary else { throw .badJSON("a document is an object") }
        self.value = value
        self.members = members
        for (key, value) in members {
            guard let name = key.keyBytes(nil), name.first == UInt8(ascii: "_") else { continue }
            try take(String(decoding: name, as: UTF8.self), value)
        }
    }

    private mutating func take(_ name: String, _ value: Value) throws(RESTError) {
        switch name {
        case "_id": id = try IncomingDocument.text(value, name)
        case "_rev": revision = value.isNull ? nil : try IncomingDocument.text(value, name)
        case "_deleted": isDeleted = value.boolean ?? false
        case "_attachments":
            guard !value.isNull else { return }
            guard let entries = value.dictionary else { throw .badAttachment("_attachments is an object") }
            attachments = entries
        case "_exp": expiration = try IncomingDocument.expiration(value)
        case "_revisions": history = try IncomingDocument.history(value)
        // What was asked for with the document comes back with it.
        // Gateways of version 4 name the version vector's newest, too.
        case "_local_seq", "_conflicts", "_deleted_conflicts", "_revs_info", "_removed", "_cv": return
        // CouchDB's replicator notes of its own documents what became of them.
        case "_replication_id", "_replication_state", "_replication_state_time", "_replication_state_reason", "_replication_stats": return
        default: throw RESTError(400, "doc_validation", "Bad special document member: \(name)")
        }
    }

    private static func text(_ value: Value, _ name: String) throws(RESTError) -> String {
        guard let text = value.string else { throw .badRequest("\(name) is a string") }
        return text
    }

    private static func expiration(_ value: Value) throws(RESTError) -> Expiration {
        if value.isNull { return .never }
        if let seconds = value.double {
            guard seconds != 0 else { return .never }
            guard seconds > 0, seconds < 1e12 else { throw .badRequest("_exp is no time") }
            return .at(Int64(seconds * 1000))
        }
        guard let instant = value.stringBytes.flatMap(DateText.instant) else { throw .badRequest("_exp is no time") }
        return .at(instant)
    }

    /// `{"start":3,"ids":["ccc","bbb","aaa"]}`, or without a start the whole names.
    private static func history(_ value: Value) throws(RESTError) -> [String]? {
        guard let entry = value.dictionary, let ids = entry.value(forKey: "ids", nil)?.array else {
            throw .badJSON("_revisions has a list of ids")
        }
        let texts = try ids.strings("_revisions")
        guard let start = entry.value(forKey: "start", nil) else { return texts }
        // So clients write of documents that have no history.
        guard start.integer != 0 else { return nil }
        guard let first = start.integer, first >= Int64(texts.count), first <= UInt32.max else {
            throw .badJSON("_revisions starts with the generation of the first of its ids")
        }
        return texts.enumerated().map { "\(first - Int64($0.offset))-\($0.element)" }
    }

    private static let replicatorsMark = Array("_replication_".utf8)

    /// Whether what has this name is a property of the document, and no fact about it.
    private static func isProperty(_ name: UnsafeRawBufferPointer) -> Bool {
        name.first != UInt8(ascii: "_") || name.starts(with: replicatorsMark)
    }

    /// Writes what belongs to the document itself.
    package func writeProperties(to encoder: FleeceEncoder) {
        for (key, value) in members {
            guard let name = key.keyBytes(nil), IncomingDocument.isProperty(name) else { continue }
            encoder.writeKey(name)
            encoder.write(value, keys: nil)
        }
    }

    /// The same as JSON, sorted.
    package func propertiesAsJSON() throws -> [UInt8] {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        writeProperties(to: encoder)
        encoder.endDictionary()
        var text = ByteBuffer()
        try encoder.finish().withRoot { _ = JSONWriter.write($0, keys: nil, style: .canonical, to: &text) }
        return Array(text.bytes)
    }
}

extension ArrayView {
    /// All items, which have to be strings.
    package func strings(_ name: String) throws(RESTError) -> [String] {
        var strings: [String] = []
        for item in self {
            guard let text = item.string else { throw .badID("what is in \(name) is no string") }
            strings.append(text)
        }
        return strings
    }
}
