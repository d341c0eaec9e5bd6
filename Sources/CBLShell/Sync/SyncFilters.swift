import CBLLanguage
import CBLQuery
import CBLReplication
import CBLStore

/// What `--filter`, `--push-filter` and `--pull-filter` let through.
struct SyncFilters {
    /// A condition, for all collections or for one.
    private struct Condition {
        let collection: CollectionName?
        let expression: DocumentExpression
    }

    private let push: [Condition]
    private let pull: [Condition]

    init(_ invocation: Invocation, _ direction: DatabaseSync.Direction, _ collections: [CollectionName]) throws {
        func conditions(_ flags: [String]) throws -> [Condition] {
            let conditions = try flags.flatMap { flag in
                try invocation.strings(flag).map { try SyncFilters.condition($0, flag, invocation, collections) }
            }
            for name in collections where conditions.count(where: { $0.collection == name }) > 1 {
                throw invocation.usageError("there are two filters for \"\(name)\": join them with AND")
            }
            guard conditions.count(where: { $0.collection == nil }) < 2 else {
                throw invocation.usageError("there are two filters for all collections: join them with AND, or write COLLECTION:CONDITION")
            }
            return conditions
        }
        if direction == .pull, invocation.parsed.declares("push-filter"), invocation.flag("push-filter") {
            throw invocation.usageError("--push-filter is for what is pushed, and nothing is")
        }
        if direction == .push, invocation.flag("pull-filter") {
            throw invocation.usageError("--pull-filter is for what is pulled, and nothing is")
        }
        push = direction == .pull ? [] : try conditions(["filter", "push-filter"])
        pull = direction == .push ? [] : try conditions(["filter", "pull-filter"])
    }

    private static func condition(
        _ text: String, _ flag: String, _ invocation: Invocation, _ collections: [CollectionName]
    ) throws -> Condition {
        // No expression has a colon behind its first word, so what stands before one is a collection.
        let name = text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "._-%".contains($0)) }
        guard !name.isEmpty, text[name.endIndex...].hasPrefix(":") else {
            return Condition(collection: nil, expression: try compile(text, .condition))
        }
        let collection: CollectionName
        do { collection = try CollectionName(parsing: String(name)) } catch { throw invocation.usageError("--\(flag): \(error.message)") }
        guard collections.contains(collection) else {
            throw invocation.usageError("--\(flag): the collection \"\(collection)\" is not replicated; --collection names those that are")
        }
        return Condition(collection: collection, expression: try compile(String(text[name.endIndex...].dropFirst()), .condition))
    }

    /// Understands an expression, or points at its mistake.
    static func compile(_ text: String, _ purpose: DocumentExpression.Purpose) throws -> DocumentExpression {
        do { return try DocumentExpression(text, purpose) } catch let error as QueryError { throw QueryInput(text).commandError(error) }
    }

    func apply(to settings: inout ReplicatorSettings.Collection) {
        let push = expression(of: push, settings.name)
        let pull = expression(of: pull, settings.name)
        settings.pushFilter = push.map(SyncFilters.filter)
        settings.pullFilter = pull.map(SyncFilters.filter)
        guard push != nil || pull != nil else { return }
        settings.filterName = [push, pull].map { $0?.text ?? "" }.joined(separator: "\n")
    }

    private func expression(of conditions: [Condition], _ name: CollectionName) -> DocumentExpression? {
        (conditions.first { $0.collection == name } ?? conditions.first { $0.collection == nil })?.expression
    }

    private static func filter(_ condition: DocumentExpression) -> SyncFilter {
        { revision in
            // What is gone has no properties to go by: it is the business of who has the document.
            if revision.losesAccess || revision.isDeleted && !condition.looksAtDeletion { return revision.isKnownToReceiver }
            return try condition.isTrue(
                of: DocumentExpression.Subject(
                    id: revision.documentID, revision: revision.revision, isDeleted: revision.isDeleted, body: revision.properties,
                    keys: revision.keys))
        }
    }
}
