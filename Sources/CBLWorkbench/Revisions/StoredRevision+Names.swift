import CBLBase
import CBLStore

extension Document {
    /// The revision whose ID is this text, or the only one whose ID begins with it.
    package func storedRevision(named text: String) throws -> StoredRevision {
        let all = try storedRevisions()
        if let exact = all.first(where: { $0.id.text == text }) { return exact }
        let matches = all.filter { $0.id.text.hasPrefix(text) }
        if let only = matches.first, matches.count == 1 { return only }
        if matches.isEmpty {
            throw WorkbenchError.unknownRevision(text, document: id, closest: Suggestion.closest(to: text, in: all.map(\.id.text)))
        }
        throw WorkbenchError.ambiguousRevision(text, document: id, matches: matches.map(\.id))
    }
}
