import CBLLanguage
import CBLReplication
import CBLStore
import CBLWorkbench

/// What the flags say that is to be let through, and how conflicts are settled.
enum SyncFilters {
    /// `--filter`, `--push-filter` and `--pull-filter`.
    static func rules(
        _ invocation: Invocation, _ direction: DatabaseSync.Direction, _ collections: [CollectionName], of database: Database
    ) throws -> FilterRules {
        func rules(_ flags: [String]) throws -> [FilterRule] {
            let rules = try flags.flatMap { flag in
                try invocation.strings(flag).map { text in
                    let rule = try rule(text, flag, invocation, collections)
                    // What is only pulled may have properties that nothing here has.
                    if direction != .pull, flag != "pull-filter" { try tellOfUnknown(in: text, collections, invocation.session, database) }
                    return rule
                }
            }
            for name in collections where rules.count(where: { $0.collection == name }) > 1 {
                throw invocation.usageError("there are two filters for \"\(name)\": join them with AND")
            }
            guard rules.count(where: { $0.collection == nil }) < 2 else {
                throw invocation.usageError("there are two filters for all collections: join them with AND, or write COLLECTION:CONDITION")
            }
            return rules
        }
        if direction == .pull, invocation.parsed.declares("push-filter"), invocation.flag("push-filter") {
            throw invocation.usageError("--push-filter is for what is pushed, and nothing is")
        }
        if direction == .push, invocation.flag("pull-filter") {
            throw invocation.usageError("--pull-filter is for what is pulled, and nothing is")
        }
        return FilterRules(
            push: direction == .pull ? [] : try rules(["filter", "push-filter"]),
            pull: direction == .push ? [] : try rules(["filter", "pull-filter"]))
    }

    private static func rule(
        _ text: String, _ flag: String, _ invocation: Invocation, _ collections: [CollectionName]
    ) throws -> FilterRule {
        let (name, condition) = FilterRule.split(text)
        guard let name else { return try describingErrors(of: condition) { try FilterRule(condition) } }
        let collection: CollectionName
        do { collection = try CollectionName(parsing: name) } catch { throw invocation.usageError("--\(flag): \(error.message)") }
        guard collections.contains(collection) else {
            throw invocation.usageError("--\(flag): the collection \"\(collection)\" is not replicated; --collection names those that are")
        }
        return try describingErrors(of: condition) { try FilterRule(condition, for: collection) }
    }

    private static func tellOfUnknown(
        in text: String, _ collections: [CollectionName], _ session: Session, _ database: Database
    ) throws {
        let (name, condition) = FilterRule.split(text)
        for collection in collections where name == nil || name == collection.description {
            try session.tellOfUnknownProperties(of: database, in: condition, collection)
        }
    }

    /// `--conflict`.
    static func resolver(_ text: String) throws -> SyncResolver {
        let rule = try describingErrors(of: text) { try ConflictRule(text) }
        return { conflict in
            do { return try rule.resolution(conflict) } catch let error as ConflictRule.UnusableResult {
                throw CommandError.failed(
                    "the expression of --conflict must give an object, or NULL to delete the document, and gave \(error.result)")
            }
        }
    }

    /// Understands an expression, or points at its mistake.
    private static func describingErrors<Rule>(of text: String, _ work: () throws -> Rule) throws -> Rule {
        do { return try work() } catch let error as QueryError { throw QueryInput(text).commandError(error) }
    }
}
