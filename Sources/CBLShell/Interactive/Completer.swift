import CBLBase
import CBLLanguage
import CBLStore
import CBLTransport

/// Completes what stands before the cursor, from the declarations of the commands and the names in the open database.
final class Completer {
    static let reservedWords = Set(Select.reservedWords)

    private let session: Session
    private let parser = ArgumentParser(commands: Commands.all, hasOpenDatabase: true)
    private struct Sample: Hashable {
        let database: String
        let collection: CollectionName
    }

    /// The property paths of collections that were sampled, as of some last sequence.
    private var sampled: [Sample: (sequence: UInt64, paths: [String])] = [:]

    private var found: (until: Double, names: [String])?
    /// In seconds.
    private static let peerPatience = 1
    private static let peerMemory = 30.0

    init(session: Session) { self.session = session }

    /// `text` is the statement up to the cursor; it may have several lines. `behind` is the rest of it.
    func complete(_ text: String, behind: String = "") -> Completion {
        let bytes = Array(text.utf8)
        let line = CommandLineContext(bytes, parser)
        switch line.place {
        case .nowhere: return .none
        case .query: return complete(QueryContext(text, behind: behind))
        case .command: return words(commandNames, line)
        case .flag(let flags): return words(flags.filter { $0.hasPrefix(line.word) }, line)
        case .value(let kind, let others): return complete(kind, others, line)
        case .parameter(let others): return words(others + session.parameters.names.map { "$" + $0 }, line)
        }
    }

    private var commandNames: [String] {
        Commands.all.filter { $0.group != .hidden }.flatMap { [$0.name] + $0.aliases }.filter { $0 != "select" }
            + StatementReader.queryWords
    }

    private func words(_ names: [String], _ line: CommandLineContext) -> Completion {
        let matches = names.filter { $0.lowercased().hasPrefix(line.word.lowercased()) }
        // Words of SQL++ in capitals, unless somebody has begun in small letters.
        let isSmall = line.word.contains { $0.isLowercase }
        let shown = Set(matches.map { StatementReader.queryWords.contains($0) && isSmall ? $0.lowercased() : $0 }).sorted()
        return Completion(length: line.wordLength, candidates: shown)
    }

    private func complete(_ kind: ValueKind, _ others: [String], _ line: CommandLineContext) -> Completion {
        let prefix = line.word
        var names = others.filter { $0.hasPrefix(prefix) }
        switch kind {
        case .choice(let choices): names += choices.filter { $0.hasPrefix(prefix) }
        case .savedQuery: names += ((try? SavedQueries().names) ?? []).filter { $0.hasPrefix(prefix) }
        case .command: names += HelpPages.names(startingWith: prefix)
        case .openDatabase: names += openNames(prefix)
        case .peer where prefix.hasPrefix(PeerName.prefix): names += peers().filter { $0.hasPrefix(prefix) }
        case .file, .directory, .database, .databaseOrName, .viewOrFile, .peer:
            if kind == .databaseOrName { names += openNames(prefix) }
            if kind == .viewOrFile { names += stored(.view, prefix, nil) }
            let onlyDirectories = kind != .file && kind != .viewOrFile && kind != .peer
            if names.isEmpty { return FileNames.complete(prefix, onlyDirectories: onlyDirectories, line) }
        case .collection, .document, .index, .lazyIndex, .view: names += stored(kind, prefix, line.collection)
        case .property, .expression: return completeExpression(kind, line)
        case .text, .integer: break
        }
        let safe = names.filter { !$0.unicodeScalars.contains(where: TerminalText.isHarmful) }
        return Completion(length: line.wordLength, candidates: safe.map(line.escaped), ending: line.ending, labels: safe)
    }

    /// Those that are found in a moment: `peer:kitchen`. They are looked for once in a while.
    private func peers() -> [String] {
        let now = MonotonicClock.seconds
        if let found, found.until > now { return found.names }
        let names = (try? PeerSearch.peers(within: Completer.peerPatience))?.filter { $0.kind != .multipeer }.map {
            PeerName.prefix + $0.name
        }
        found = (now + Completer.peerMemory, names ?? [])
        return names ?? []
    }

    private func openNames(_ prefix: String) -> [String] { session.shell?.databases.names.filter { $0.hasPrefix(prefix) }.sorted() ?? [] }

    private func stored(_ kind: ValueKind, _ prefix: String, _ collection: String?) -> [String] {
        let current = session.currentCollection
        let names = try? session.openDatabase?.read { snapshot in
            let name = meaning(of: collection ?? "_", snapshot) ?? current
            return try CompletionNames.quickly(snapshot) { names in
                switch kind {
                case .collection: names.collections(prefix, in: current.scope)
                case .index: try names.indexes(prefix)
                case .lazyIndex: try names.lazyIndexes(prefix)
                case .view: try names.views(prefix)
                default: try names.documents(prefix, in: name)
                }
            }
        }
        return names ?? []
    }

    /// The collection that somebody's words mean who is where the session is.
    private func meaning(of name: String, _ snapshot: Snapshot) -> CollectionName? {
        CollectionSearch(current: session.currentCollection, snapshot: snapshot).collection(name) ?? (try? CollectionName(parsing: name))
    }

    // SQL++

    private func complete(_ query: QueryContext) -> Completion {
        switch query.place {
        case .nowhere: return .none
        case .collection:
            let names = stored(.collection, query.word, nil).map(QueryContext.collectionPath)
            return Completion(length: query.wordLength, candidates: names)
        case .expression:
            let (properties, hasDeeper) = propertyPaths(query)
            var candidates = properties
            if !query.word.isEmpty, !query.word.contains(".") {
                let isSmall = query.word.contains { $0.isLowercase }
                let upper = query.word.uppercased()
                candidates += Statement.keywords.filter { $0.hasPrefix(upper) }.map { isSmall ? $0.lowercased() : $0 }
                candidates += Select.functionNames.filter { $0.uppercased().hasPrefix(upper) }.map {
                    (isSmall ? $0 : $0.uppercased()) + "("
                }
            }
            let names = Set(candidates).sorted()
            let goesOn = hasDeeper || names.first?.hasSuffix("(") ?? false
            return Completion(length: query.wordLength, candidates: names, ending: goesOn ? "" : " ")
        }
    }

    /// SQL++ in the words of a command: a condition, or the path of a property alone.
    private func completeExpression(_ kind: ValueKind, _ line: CommandLineContext) -> Completion {
        let query = QueryContext(line.word, collection: line.collection == "*" ? nil : line.collection ?? "_")
        guard line.typed.hasSuffix(query.word), kind == .expression || query.word == line.word else { return .none }
        var completion =
            kind == .expression ? complete(query) : Completion(length: query.wordLength, candidates: propertyPaths(query).paths)
        completion.labels = completion.candidates
        completion.candidates = completion.candidates.map(line.escapedInside)
        // A space would end a word that has just begun, and so would the quote.
        if kind == .expression, !line.isRest, !line.isQuoted { completion.ending = "" }
        if kind == .property { completion.ending = line.ending }
        return completion
    }

    /// The properties one level below what was typed: `contact.` gives `contact.address`, but not yet
    /// `contact.address.city`; that there is more to come is the other half of the answer.
    private func propertyPaths(_ query: QueryContext) -> (paths: [String], hasDeeper: Bool) {
        let sources = query.sources.isEmpty ? likelySources : query.sources
        let typed = QueryContext.parts(of: query.word)
        // The candidates go on from what was typed, indexes and all.
        let known = query.word.unicodeScalars.dropLast(typed[typed.count - 1].unicodeScalars.count)
        var found: [String] = []
        var hasDeeper = false
        for source in sources {
            var typed = typed
            let isNamed = source.alias == typed[0] && typed.count > 1
            // What UNNEST and quantifiers name has no properties without its name.
            if !isNamed, let alias = source.alias, sources.count > 1 || !source.path.isEmpty {
                if typed.count == 1, !typed[0].isEmpty || !source.path.isEmpty, alias.hasPrefix(typed[0]) {
                    found.append(alias + ".")
                    hasDeeper = true
                }
                continue
            }
            if isNamed { typed.removeFirst() }
            for path in paths(of: source.collection) {
                let parts = QueryContext.parts(of: path)
                let depth = source.path.count + typed.count
                guard parts.count >= depth, parts.starts(with: source.path + typed.dropLast()),
                    Completer.isBegun(parts[depth - 1], typed[typed.count - 1])
                else { continue }
                if parts.count == depth { found.append(String(known) + parts[depth - 1]) } else { hasDeeper = true }
            }
        }
        return (Set(found).sorted(), hasDeeper)
    }

    /// Whether what was typed is the beginning of a name, with its backquotes or without.
    private static func isBegun(_ name: String, _ typed: String) -> Bool {
        name.hasPrefix(typed) || name.unicodeScalars.first == "`" && name.unicodeScalars.dropFirst().starts(with: typed.unicodeScalars)
    }

    // Each is sampled while somebody waits.
    private static let mostSources = 20

    /// Before FROM is typed, it can be any collection.
    private var likelySources: [QueryContext.Source] {
        let current = session.currentCollection
        let others = (try? session.openDatabase?.read { $0.collections() })?.filter { $0 != current } ?? []
        return ([current] + others).prefix(Completer.mostSources).map { QueryContext.Source(collection: $0.description) }
    }

    private func paths(of collection: String) -> [String] {
        guard let database = session.openDatabase, let name = try? database.read({ meaning(of: collection, $0) }) else { return [] }
        let sample = Sample(database: database.path, collection: name)
        // A sequence that is rolled back comes again, with other documents.
        let isLasting = !database.isInTransaction
        let known = isLasting ? sampled[sample] : nil
        let result = try? database.read { snapshot -> (sequence: UInt64, paths: [String]) in
            guard snapshot.hasCollection(name) else { return (0, []) }
            let sequence = try snapshot.lastSequence(of: name)
            if let known, known.sequence == sequence { return known }
            return (sequence, try CompletionNames.quickly(snapshot) { try $0.propertyPaths(of: name) })
        }
        if isLasting, let result { sampled[sample] = result }
        return result?.paths ?? []
    }
}
