import Foundation

/// A document that is never replicated: it has no branches, is in no collection, and no query sees it.
public struct LocalDocument: Sendable, Hashable, Identifiable {
    /// Without `_local/`.
    public let id: String
    /// `1-local`, then `2-local`, and so on.
    public let revisionID: String
    /// What it says, as a JSON object.
    public let json: String

    /// What it says, as Swift's values.
    public var properties: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(json.utf8))).flatMap { $0 as? [String: Any] } ?? [:]
    }
}
