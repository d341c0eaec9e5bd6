import CBLFleece
import CBLSQLite

/// What is to be known of a database to judge a row.
struct RecordRules {
    let versioning: Versioning
    let keys: SharedKeys
}

/// A row of a collection's table, judged. Everything here is a function of the row alone; what needs other rows is elsewhere.
struct RecordCheck {
    struct Problem {
        var severity = Finding.Severity.error
        let kind: Finding.Kind
        let message: String
        var repair = Finding.Repair.none
    }

    private(set) var problems: [Problem] = []
    /// Whether current body and revisions could be made out. If not, nothing but deleting the row helps.
    private(set) var isDecodable = true
    /// The flags that the revisions ask for; nil if they cannot be read.
    private(set) var expectedFlags: DocumentFlags?
    /// The blobs that any revision refers to: digest, and length if the reference says one.
    private(set) var blobs: [(digest: String, length: Int64?)] = []
    private let rules: RecordRules

    init(_ record: Record, _ rules: RecordRules) {
        self.rules = rules
        do {
            if record.holdsVectors {
                try checkVectors(record)
            } else {
                try checkTree(record)
            }
        } catch {
            damaged(.revisions, "\(error)")
        }
        checkFlags(record)
    }

    private mutating func damaged(_ kind: Finding.Kind, _ message: String) {
        isDecodable = false
        problems.append(Problem(kind: kind, message: message, repair: .dropping))
    }

    private mutating func checkTree(_ record: Record) throws {
        let tree = try record.tree()
        do { try tree.checkInvariants() } catch { problems.append(Problem(kind: .revisions, message: "\(error)", repair: .automatic)) }
        if let current = tree.current, record.withColumns({ version, _, _ in !version.elementsEqual(current.id.binary) }) {
            let stored = (try? record.revision().description) ?? "damaged"
            problems.append(
                Problem(
                    kind: .revisions, message: "the current revision of its tree is \(current.id), but the column says \(stored)",
                    repair: .automatic))
        }
        if let late = tree.revisions.first(where: { $0.sequence > record.sequence }) {
            problems.append(
                Problem(
                    severity: .warning, kind: .sequence,
                    message: "revision \(late.id) has sequence \(late.sequence), which is above the document's, \(record.sequence)"))
        }
        for (index, revision) in tree.revisions.enumerated() {
            if let body = revision.body { body.withBytes { check(body: $0, of: index == 0 ? nil : "\(revision.id)") } }
        }
        var flags: DocumentFlags = tree.current?.isDeleted == true ? .deleted : []
        if tree.isConflicted { flags.insert(.conflicted) }
        if tree.revisions.contains(where: { $0.flags.contains(.hasAttachments) }) { flags.insert(.hasAttachments) }
        // A revision whose body was dropped when another followed may have had some: that save still counted them, as the vendor's do.
        if tree.revisions.contains(where: { $0.body == nil }) { flags.formUnion(record.flags.intersection(.hasAttachments)) }
        expectedFlags = flags
    }

    private mutating func checkVectors(_ record: Record) throws {
        let vectors = try record.vectors(source: .local)
        if rules.versioning != .vectors {
            problems.append(Problem(kind: .revisions, message: "it has a version vector, but the database uses revision trees"))
        }
        record.withColumns { _, body, _ in
            if let body, !body.isEmpty { check(body: body, of: nil) }
        }
        let extra = record.withColumns { _, body, extra in
            extra.map { FleeceData(data: $0, base: body ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
        }
        if let data = extra {
            do { try Validator.validate(data, keyCount: rules.keys.count) } catch {
                damaged(.revisions, "its other revisions are damaged: \(error)")
            }
        }
        for remote in vectors.remoteIDs {
            vectors.latest(onRemote: remote)?.properties?.withRoot { collectBlobs(in: $0) }
        }
        expectedFlags = vectors.documentFlags
    }

    private mutating func check(body bytes: UnsafeRawBufferPointer, of revision: String?) {
        let whose = revision.map { "the body of revision \($0)" } ?? "its body"
        do { try Validator.validate(bytes, keyCount: rules.keys.count, options: .legacyPointers) } catch {
            damaged(.body, "\(whose) is damaged: \(error)")
            return
        }
        guard let root = Value(root: bytes) else { return damaged(.body, "\(whose) is damaged") }
        if let problem = DocumentRules.problem(withBody: root, rules.keys) {
            problems.append(Problem(kind: .body, message: "\(whose) is against the rules: \(problem)"))
        }
        collectBlobs(in: root)
    }

    private mutating func collectBlobs(in root: Value) {
        BlobReferences.forEach(in: root, rules.keys) { digest, blob in
            // The `length` of old attachments may be that of their compressed form.
            let isBlob = blob.value(forKey: "@type", rules.keys) != nil
            let length = isBlob ? blob.value(forKey: "length", rules.keys)?.integer : nil
            if blob.value(forKey: "data", rules.keys) == nil { blobs.append((digest, length)) }
        }
    }

    private mutating func checkFlags(_ record: Record) {
        let known: DocumentFlags = [.deleted, .conflicted, .hasAttachments, .synced]
        if !record.flags.subtracting(known).subtracting(DocumentFlags(rawValue: 0x80)).isEmpty {
            problems.append(
                Problem(
                    severity: .warning, kind: .flags, message: "it has flags that mean nothing (\(record.flags.rawValue))",
                    repair: expectedFlags == nil ? .none : .automatic))
        }
        guard var expected = expectedFlags else { return }
        if !blobs.isEmpty && !expected.contains(.hasAttachments) {
            expected.insert(.hasAttachments)
            expectedFlags = expected
        }
        let names: [(DocumentFlags, String)] = [(.deleted, "deleted"), (.conflicted, "conflicted"), (.hasAttachments, "has attachments")]
        for (flag, name) in names where record.flags.contains(flag) != expected.contains(flag) {
            let says = record.flags.contains(flag) ? "is set, but not in its revisions" : "is missing"
            problems.append(Problem(kind: .flags, message: "its flag \"\(name)\" \(says)", repair: .automatic))
        }
    }
}
