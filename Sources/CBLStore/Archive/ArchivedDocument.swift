import CBLFleece

/// A document as an archive keeps it: everything that its record says.
struct ArchivedDocument {
    var id: String
    /// nil if the archive leaves it to the database.
    var sequence: UInt64?
    var subsequence = 0
    var flags: DocumentFlags
    var expiration: Int64?
    var revisions: DocumentRevisions
}

// Names of flags. Bits that have none are written as numbers.
extension DocumentFlags {
    private static let names: [(DocumentFlags, String)] = [
        (.deleted, "deleted"), (.conflicted, "conflicted"), (.hasAttachments, "attachments"), (.synced, "synced"),
    ]

    var archiveNames: [String] {
        var names = DocumentFlags.names.filter { contains($0.0) }.map(\.1)
        for bit in 4..<16 where rawValue & 1 << UInt16(bit) != 0 { names.append("bit\(bit)") }
        return names
    }

    init(archiveNames names: [String]) throws(StoreError) {
        self = []
        for name in names {
            if let flag = DocumentFlags.names.first(where: { $0.1 == name }) {
                insert(flag.0)
            } else if name.hasPrefix("bit"), let bit = UInt16(name.dropFirst(3)), (4..<16).contains(bit) {
                insert(DocumentFlags(rawValue: 1 << bit))
            } else {
                throw ArchiveValueReader.invalid("there is no flag \"\(name)\"")
            }
        }
    }
}

extension RevisionTree.Flags {
    private static let names: [(RevisionTree.Flags, String)] = [
        (.deleted, "deleted"), (.hasAttachments, "attachments"), (.keepBody, "keepBody"), (.conflict, "conflict"), (.closed, "closed"),
    ]

    var archiveNames: [String] { RevisionTree.Flags.names.filter { contains($0.0) }.map(\.1) }

    init(archiveNames names: [String]) throws(StoreError) {
        self = []
        for name in names {
            guard let flag = RevisionTree.Flags.names.first(where: { $0.1 == name }) else {
                throw ArchiveValueReader.invalid("there is no flag \"\(name)\" of revisions")
            }
            insert(flag.0)
        }
    }
}

// Writing.
extension JSONObjectWriter {
    /// The line of a document. `local` is what others call the database, in place of `*`.
    mutating func write(_ document: ArchivedDocument, local: SourceID, _ keys: SharedKeys) throws(StoreError) {
        beginLine()
        add("doc", document.id)
        let sequence = document.sequence ?? 0
        add("seq", sequence)
        if document.subsequence > 0 { add("sub", document.subsequence) }
        if !document.flags.isEmpty { add("flags", list: document.flags.archiveNames) }
        if let expiration = document.expiration { add("expires", Int(expiration)) }
        switch document.revisions {
        case .tree(let tree): try write(tree, sequence: sequence, keys)
        case .vectors(let vectors): try write(vectors, local: local, keys)
        }
        endLine()
    }

    private mutating func write(_ tree: RevisionTree, sequence: UInt64, _ keys: SharedKeys) throws(StoreError) {
        try add("revs", objects: tree.revisions) { (revision, line) throws(StoreError) in
            line.add("rev", revision.id.text)
            if let parent = revision.parent { line.add("parent", parent) }
            if revision.sequence != sequence { line.add("seq", revision.sequence) }
            let flags = revision.flags.archiveNames
            if !flags.isEmpty { line.add("flags", list: flags) }
            if let body = revision.body { try line.add("body", body: body, keys) }
        }
        if !tree.remotes.isEmpty {
            add("remotes", byNumber: tree.remotes.map(\.remote)) { remote, line in
                line.buffer.append(decimal: Int64(tree.latestIndex(onRemote: remote) ?? 0))
            }
        }
        if !tree.rejected.isEmpty { add("rejected", list: tree.rejected) }
    }

    private mutating func write(_ vectors: VectorRevisions, local: SourceID, _ keys: SharedKeys) throws(StoreError) {
        guard let current = vectors.current else { throw StoreError(.corrupt, "it has no revision") }
        add("version", current.version.archiveText(local))
        if let parent = vectors.legacyParent { add("legacyParent", parent.text) }
        try add("body", body: current.properties ?? .emptyDictionary, keys)
        guard !vectors.remoteIDs.isEmpty else { return }
        try add("remotes", byNumber: vectors.remoteIDs) { (remote, line) throws(StoreError) in
            guard let revision = vectors.latest(onRemote: remote) else { return }
            line.begin()
            line.add("version", revision.version.archiveText(local))
            let flags = revision.flags.archiveNames
            if !flags.isEmpty { line.add("flags", list: flags) }
            if let properties = revision.properties {
                if properties === current.properties {
                    line.add("sameBody", true)
                } else {
                    try line.add("body", body: properties, keys)
                }
            }
            line.end()
        }
    }
}

extension StoredVersion {
    /// The text with every `*` replaced by what others call this database, so that it means the same elsewhere.
    func archiveText(_ local: SourceID) -> String {
        switch self {
        case .vector(let vector): vector.text(local: local)
        case .tree(let id): id.text
        }
    }

    /// Reads it back. `local` is what others call the database that reads.
    init(archiveText text: String, local: SourceID) throws(StoreError) {
        do {
            self =
                text.contains("@")
                ? .vector(try VersionVector(parsing: text).replacing(local, by: .local)) : .tree(try RevisionID(parsing: text))
        } catch {
            throw ArchiveValueReader.invalid("\(error)")
        }
    }
}

// Reading.
extension ArchivedDocument {
    /// Reads a document's line. `encoder` has the database's shared keys, `local` is what others call that database.
    init(_ object: ArchiveObject, encoder: FleeceEncoder, local: SourceID) throws(StoreError) {
        id = try object.text("doc")
        try DocumentRules.check(id: id)
        sequence = try object.number("seq")
        if sequence == 0 { throw ArchiveValueReader.invalid("sequences begin with 1") }
        subsequence = try object.index("sub", below: 1 << 31) ?? 0
        flags = try DocumentFlags(archiveNames: object.texts("flags"))
        expiration = try object.number("expires").map { Int64($0) }
        let isDeleted: Bool
        if object["revs"] != nil {
            try object.check(["doc", "seq", "sub", "flags", "expires", "revs", "remotes", "rejected"])
            let tree = try RevisionTree(object, sequence: sequence, encoder)
            isDeleted = tree.current?.isDeleted ?? false
            revisions = .tree(tree)
        } else {
            try object.check(["doc", "seq", "sub", "flags", "expires", "version", "legacyParent", "body", "remotes"])
            isDeleted = flags.contains(.deleted)
            revisions = .vectors(try VectorRevisions(object, flags, encoder, local: local))
        }
        guard isDeleted == flags.contains(.deleted) else {
            throw ArchiveValueReader.invalid("document \"\(id)\" and its current revision do not agree whether it is deleted")
        }
    }

    fileprivate static func body(_ value: Value?, _ encoder: FleeceEncoder) throws(StoreError) -> FleeceData? {
        guard let value else { return nil }
        guard value.dictionary != nil else { throw ArchiveValueReader.invalid("\"body\" must be an object") }
        encoder.reset()
        do {
            try ArchiveValueReader.read(value, into: encoder)
            return try encoder.finish()
        } catch let error as StoreError {
            throw error
        } catch {
            throw ArchiveValueReader.invalid("a body cannot be stored: \(error)")
        }
    }
}

extension RevisionTree {
    fileprivate init(_ object: ArchiveObject, sequence: UInt64?, _ encoder: FleeceEncoder) throws(StoreError) {
        self.init()
        let items = try object.items("revs")
        guard !items.isEmpty else { throw ArchiveValueReader.invalid("a document needs a revision") }
        guard items.count <= RevisionTree.maximumCount else { throw ArchiveValueReader.invalid("there are too many revisions") }
        var known: Set<RevisionID> = []
        for item in items {
            guard let item = ArchiveObject(item) else { throw ArchiveValueReader.invalid("\"revs\" must be an array of objects") }
            try item.check(["rev", "parent", "seq", "flags", "body"])
            let revision = Revision(
                id: try RevisionTree.id(item.text("rev")), parent: try item.index("parent", below: items.count),
                sequence: try item.number("seq") ?? sequence ?? 0, flags: try Flags(archiveNames: item.texts("flags")),
                body: try ArchivedDocument.body(item["body"], encoder))
            guard known.insert(revision.id).inserted else { throw ArchiveValueReader.invalid("revision \(revision.id) occurs twice") }
            revisions.append(revision)
        }
        for revision in revisions {
            guard let parent = revision.parent else { continue }
            guard revisions[parent].id.generation < revision.id.generation else {
                throw ArchiveValueReader.invalid("the parent of revision \(revision.id) is not older")
            }
        }
        markLeaves()
        for (remote, value) in try object.byNumber("remotes") { remotes.append((remote, try place(value))) }
        for value in try object.items("rejected") { rejected.append(try place(value)) }
    }

    private func place(_ value: Value) throws(StoreError) -> Int {
        guard let place = value.integer, revisions.indices.contains(Int(place)) else {
            throw ArchiveValueReader.invalid("a revision is named that is not there")
        }
        return Int(place)
    }

    private static func id(_ text: String) throws(StoreError) -> RevisionID {
        do {
            let id = try RevisionID(parsing: text)
            guard !id.isVersion else { throw ArchiveValueReader.invalid("\(text) cannot be in a revision tree") }
            return id
        } catch {
            throw ArchiveValueReader.invalid("\(error)")
        }
    }
}

extension VectorRevisions {
    fileprivate init(_ object: ArchiveObject, _ flags: DocumentFlags, _ encoder: FleeceEncoder, local: SourceID) throws(StoreError) {
        self.init()
        let properties = try ArchivedDocument.body(object["body"], encoder) ?? .emptyDictionary
        current = Revision(
            version: try StoredVersion(archiveText: object.text("version"), local: local), properties: properties,
            flags: flags.intersection([.deleted, .hasAttachments]))
        if let parent = try object.textIfGiven("legacyParent") {
            do { legacyParent = try RevisionID(parsing: parent) } catch { throw ArchiveValueReader.invalid("\(error)") }
        }
        for (remote, value) in try object.byNumber("remotes") {
            guard let item = ArchiveObject(value), remote <= VectorRevisions.maximumRemote else {
                throw ArchiveValueReader.invalid("\"remotes\" must be an object of objects")
            }
            try item.check(["version", "flags", "body", "sameBody"])
            remotes[remote] = Revision(
                version: try StoredVersion(archiveText: item.text("version"), local: local),
                properties: try item.flag("sameBody") ? properties : try ArchivedDocument.body(item["body"], encoder),
                flags: try DocumentFlags(archiveNames: item.texts("flags")))
        }
    }
}
