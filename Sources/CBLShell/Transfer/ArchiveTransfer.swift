import CBLFleece
import CBLStore

/// What `dump`, `restore` and `cp --collection` share.
enum ArchiveTransfer {
    /// No line is longer: a document with all its revisions, as text.
    static let longestLine = 1 << 30

    static let collectionFlag = Flag(
        "collection", short: "C", value: "[SCOPE.]NAME[,…]", .collection, repeatable: true, "Only these collections")

    static let check: @convention(c) (UnsafeMutableRawPointer?) -> Int32 = { _ in Interruption.isRequested ? 1 : 0 }

    /// The collections of comma lists; nil if none was named.
    static func collections(_ lists: [String], _ invocation: Invocation) throws -> [CollectionName]? {
        guard !lists.isEmpty else { return nil }
        var names: [CollectionName] = []
        for text in lists.flatMap({ $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }) {
            do throws(StoreError) {
                let name = try CollectionName(parsing: text)
                if !names.contains(name) { names.append(name) }
            } catch {
                throw invocation.usageError(error.message)
            }
        }
        return names
    }

    /// Puts an archive into the database that the command line names, which is made if it is not there, with a key if one is given. `keys` are
    /// of one that is there.
    static func restore(
        into path: String?, keys: KeyFlags? = nil, madeWith key: EncryptionKey?, _ options: Archive.RestoreOptions,
        _ invocation: Invocation,
        feed: (ArchiveRestorer) throws -> Void
    ) throws -> ArchiveRestorer.Result {
        do {
            if let path, !Endpoint.exists(path) {
                return try Termination.delayed {
                    try Database.restore(creating: path, key: key, options, interruption: check, feed: feed)
                }
            }
            let database = try path.map { try invocation.session.open($0, writes: true, ownKeys: keys) } ?? invocation.database()
            // To interrupt a change is to SQLite to undo the whole transaction, with what was in it before. Between the lines it is not.
            return try database.restore(options, interruption: database.isInTransaction ? nil : check, feed: feed)
        } catch let error as StoreError where error.code == .exists {
            throw CommandError.failed(error.description, hint: "--merge adds the documents of the archive to those that are there.")
        }
    }

    /// Tells what a restored archive brought. `verb` is what was done: "Restored".
    static func tell(_ result: ArchiveRestorer.Result, _ verb: String, _ invocation: Invocation) throws {
        let session = invocation.session
        for warning in result.warnings { session.warn(warning) }
        for (collection, id) in result.conflicts.prefix(10) {
            session.warn("\(collection): document \"\(id)\" was left as it is: the archive has a revision that competes with it")
        }
        if result.conflicts.count > 10 { session.warn("and \(result.conflicts.count - 10) more") }
        guard invocation.wantsJSON else {
            var text = "\(verb) \(facts(result.restored))."
            if result.updatedDocuments + result.knownDocuments + result.conflicts.count > 0 {
                text += " \(result.updatedDocuments) that were there got new revisions, \(result.knownDocuments) had all of them."
            }
            return session.notice(text)
        }
        try session.writeFacts { line in
            add(result.restored, to: &line)
            line.add("documentsUpdated", result.updatedDocuments)
            line.add("documentsKnown", result.knownDocuments)
            line.add("conflicts", result.conflicts.count)
            line.add("warnings", list: result.warnings)
        }
    }

    static func add(_ counts: Archive.Counts, to line: inout JSONObjectWriter) {
        line.add("collections", counts.collections)
        line.add("documents", counts.documents)
        line.add("rawDocuments", counts.rawDocuments)
        line.add("indexes", counts.indexes)
        line.add("blobs", counts.blobs)
    }

    /// `120 documents in 2 collections, 3 indexes, 1 blob`
    static func facts(_ counts: Archive.Counts) -> String {
        func number(_ count: Int, _ one: String, _ many: String) -> String { "\(ProgressLine.grouped(count)) \(count == 1 ? one : many)" }
        var parts = [
            "\(number(counts.documents, "document", "documents")) in \(number(counts.collections, "collection", "collections"))"
        ]
        if counts.indexes > 0 { parts.append(number(counts.indexes, "index", "indexes")) }
        if counts.blobs > 0 { parts.append(number(counts.blobs, "blob", "blobs")) }
        return parts.joined(separator: ", ")
    }
}
