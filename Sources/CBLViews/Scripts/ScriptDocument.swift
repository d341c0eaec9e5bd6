import CBLFleece

/// A document as functions get it: its properties, and beside them what the database knows of it. Everything is lent until the call is over.
package struct ScriptDocument {
    package var body: Value
    /// The table of the body's keys.
    package var keys: SharedKeys?
    package var id: UnsafeRawBufferPointer
    package var revision: UnsafeRawBufferPointer
    package var sequence: UInt64
    /// The other current revisions, if there are any.
    package var conflicts: [String]
    package var isDeleted: Bool

    package init(
        body: Value, keys: SharedKeys?, id: UnsafeRawBufferPointer, revision: UnsafeRawBufferPointer, sequence: UInt64 = 0,
        conflicts: [String] = [], isDeleted: Bool = false
    ) {
        self.body = body
        self.keys = keys
        self.id = id
        self.revision = revision
        self.sequence = sequence
        self.conflicts = conflicts
        self.isDeleted = isDeleted
    }
}

extension ScriptArguments {
    /// Writes the document, or what a function touches of it.
    func write(_ document: ScriptDocument, touched: TouchedMembers) {
        var budget = WalkBudget(for: document.body)
        beginObject()
        if touched.isWhole {
            if let dictionary = document.body.dictionary, budget.enter(dictionary) {
                writeMembers(of: dictionary, document.keys, depth: 0, &budget)
            }
            // Written last: a property of the same name does not hide them.
            for member in DocumentMember.all { write(member, of: document) }
        } else {
            for member in touched.members {
                if member.name.first == UInt8(ascii: "_"), let own = DocumentMember.named(member.name), write(own, of: document) {
                    continue
                }
                write(member, of: document.body.dictionary, document.keys, depth: 0, &budget)
            }
        }
        endObject()
    }

    private func write(
        _ member: TouchedMembers.Member, of dictionary: DictionaryView?, _ keys: SharedKeys?, depth: Int, _ budget: inout WalkBudget
    ) {
        member.name.withUnsafeBytes { name in
            guard let dictionary, depth < Limits.depth, budget.enter(dictionary), let value = dictionary.value(forKey: name, keys) else {
                return
            }
            // The function's names live as long as the function.
            writeKey(lent: name)
            guard !member.touched.isWhole, let inner = value.dictionary else { return write(value, keys, depth: depth + 1, &budget) }
            beginObject()
            for member in member.touched.members { write(member, of: inner, keys, depth: depth + 1, &budget) }
            endObject()
        }
    }

    @discardableResult
    private func write(_ member: DocumentMember, of document: ScriptDocument) -> Bool {
        switch member {
        case .id:
            writeKey("_id")
            write(lent: document.id)
        case .revision:
            writeKey("_rev")
            write(lent: document.revision)
        case .sequence:
            guard document.sequence > 0 else { return false }
            writeKey("_local_seq")
            write(Double(document.sequence))
        case .conflicts:
            guard !document.conflicts.isEmpty else { return false }
            writeKey("_conflicts")
            beginArray()
            for conflict in document.conflicts { write(conflict) }
            endArray()
        case .deleted:
            guard document.isDeleted else { return false }
            writeKey("_deleted")
            write(true)
        }
        return true
    }

    /// The second argument of map functions: where the document is from.
    func writeMeta(of document: ScriptDocument) {
        beginObject()
        writeKey("id")
        write(lent: document.id)
        writeKey("rev")
        write(lent: document.revision)
        writeKey("seq")
        write(Double(document.sequence))
        endObject()
    }
}

/// Members that documents have beside their properties.
private enum DocumentMember: CaseIterable {
    case id, revision, sequence, conflicts, deleted

    static let all: [DocumentMember] = [.id, .revision, .sequence, .conflicts, .deleted]
    private static let names: [(name: [UInt8], member: DocumentMember)] = [
        (Array("_id".utf8), .id), (Array("_rev".utf8), .revision), (Array("_local_seq".utf8), .sequence),
        (Array("_conflicts".utf8), .conflicts), (Array("_deleted".utf8), .deleted),
    ]

    static func named(_ name: [UInt8]) -> DocumentMember? { names.first { $0.name == name }?.member }
}
