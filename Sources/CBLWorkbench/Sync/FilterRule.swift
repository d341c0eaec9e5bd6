import CBLQuery
import CBLReplication
import CBLStore

/// A condition in SQL++ on what is replicated, for all collections or for one.
package struct FilterRule: Sendable {
    /// Nil for all.
    package let collection: CollectionName?
    private let condition: DocumentExpression

    /// Throws `QueryError` for a condition with mistakes.
    package init(_ condition: String, for collection: CollectionName? = nil) throws {
        self.collection = collection
        self.condition = try DocumentExpression(condition, .condition)
    }

    /// `CONDITION`, or `COLLECTION:CONDITION`.
    package static func split(_ text: String) -> (collection: String?, condition: String) {
        // No expression has a colon behind its first word, so what stands before one is a collection.
        let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "._-%".contains($0)) }
        guard !name.isEmpty, text[name.endIndex...].hasPrefix(":") else { return (nil, text) }
        return (String(name), String(text[name.endIndex...].dropFirst()))
    }

    package var text: String { condition.text }

    package var filter: SyncFilter {
        let condition = condition
        return { revision in
            // What is gone has no properties to go by: it is the business of who has the document.
            if revision.losesAccess || revision.isDeleted && !condition.looksAtDeletion { return revision.isKnownToReceiver }
            return try condition.isTrue(
                of: DocumentExpression.Subject(
                    id: revision.documentID, revision: revision.revision, isDeleted: revision.isDeleted, body: revision.properties,
                    keys: revision.keys))
        }
    }
}

/// What is pushed and what is pulled: of each, a rule for all collections at most, and one for each that goes before it.
package struct FilterRules: Sendable {
    private let push: [FilterRule]
    private let pull: [FilterRule]

    package init(push: [FilterRule], pull: [FilterRule]) {
        self.push = push
        self.pull = pull
    }

    package func apply(to settings: inout ReplicatorSettings.Collection) {
        let push = rule(of: push, settings.name)
        let pull = rule(of: pull, settings.name)
        settings.pushFilter = push?.filter
        settings.pullFilter = pull?.filter
        guard push != nil || pull != nil else { return }
        settings.filterName = [push, pull].map { $0?.text ?? "" }.joined(separator: "\n")
    }

    private func rule(of rules: [FilterRule], _ name: CollectionName) -> FilterRule? {
        rules.first { $0.collection == name } ?? rules.first { $0.collection == nil }
    }
}
