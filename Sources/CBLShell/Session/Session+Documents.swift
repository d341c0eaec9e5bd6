import CBLBase
import CBLLanguage
import CBLStore

extension Invocation {
    /// The document with this ID, live or deleted. If there is none, the error says what was probably meant.
    func document(_ id: String, in collection: CollectionName, _ snapshot: Snapshot) throws -> Document {
        guard let document = try snapshot.document(id, in: collection) else { throw try missingDocument(id, in: collection, snapshot) }
        return document
    }

    /// The error that a document is not there, with a suggestion if one can be had from the index at once.
    func missingDocument(_ id: String, in collection: CollectionName, _ snapshot: Snapshot) throws -> CommandError {
        let place = collection.isDefault ? "" : " in collection \"\(collection)\""
        var suggestion = ""
        if let other = try snapshot.collections().first(where: { try $0 != collection && snapshot.document(id, in: $0) != nil }) {
            suggestion = " There is one in collection \"\(other)\"."
        } else {
            // Most slips are not in the first letters. Those who share them are together in the index.
            for length in [4, 1] where suggestion.isEmpty {
                var options = ScanOptions(content: .id)
                options.idPrefix = String(id.prefix(length))
                options.limit = 1000
                let cursor = try snapshot.scan(collection, options)
                var candidates: [String] = []
                while try cursor.next() { candidates.append(cursor.id) }
                suggestion = Suggestion.sentence(for: id, in: candidates, quoted: true)
            }
        }
        return .failed("no document \"\(id)\"\(place).\(suggestion)")
    }
}
