import CBLFleece
import CBLStore
import CBLTestSupport
import CBLWorkbench
import Testing

@Suite struct RevivingTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: directory.path + "/a.cblite2", options: .create)
    }

    private func document(_ transaction: Transaction) throws -> Document { try #require(try transaction.document("d")) }

    private func json(_ transaction: Transaction) throws -> String {
        try document(transaction).body.withRoot { $0.json(keys: transaction.sharedKeys) }
    }

    /// A document with a revision whose body replication needs still.
    private func saveKept(_ json: String, _ transaction: Transaction) throws -> RevisionID {
        let id = try RevisionID(parsing: "1-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa")
        try transaction.insertExisting("d", history: [id], body: transaction.encode(json: json), remote: 1)
        return id
    }

    @Test func aDeletedDocumentComesBackWithWhatItHadLast() throws {
        try database.write { transaction in
            _ = try saveKept(#"{"x":1}"#, transaction)
            let gone = try transaction.delete("d", body: transaction.encode(json: #"{"last":"words"}"#))
            let back = try transaction.undelete(document(transaction))
            #expect(back.sequence > gone.sequence && back.isCreated)
            try #expect(json(transaction) == #"{"x":1}"#)
        }
    }

    @Test func whatIsForgottenHasToBeGiven() throws {
        try database.write { transaction in
            try transaction.save("d", body: transaction.encode(json: #"{"x":1}"#))
            try transaction.delete("d", body: transaction.encode(json: #"{"last":"words"}"#))
            let expected = WorkbenchError.propertiesGone(document: "d", revisionCount: 2)
            #expect(throws: expected) { try transaction.undelete(document(transaction)) }
            try transaction.undelete(document(transaction), with: .tombstone)
            try #expect(json(transaction) == #"{"last":"words"}"#)
            try transaction.delete("d")
            try transaction.undelete(document(transaction), with: .properties(transaction.encode(json: #"{"x":2}"#)))
            try #expect(json(transaction) == #"{"x":2}"#)
            #expect(throws: WorkbenchError.notDeleted(document: "d")) { try transaction.undelete(document(transaction)) }
        }
    }

    @Test func anEarlierRevisionBecomesCurrentAgain() throws {
        try database.write { transaction in
            let kept = try saveKept(#"{"x":1}"#, transaction)
            let second = try transaction.save("d", body: transaction.encode(json: #"{"x":2}"#))
            let third = try transaction.save("d", body: transaction.encode(json: #"{"x":3}"#))
            let reverted = try transaction.revert(document(transaction), to: "1-aaa")
            #expect(reverted.id.generation == third.id.generation + 1)
            try #expect(json(transaction) == #"{"x":1}"#)
            #expect(throws: WorkbenchError.notKept(second.id, document: "d")) {
                try transaction.revert(document(transaction), to: second.id.text)
            }
            #expect(throws: WorkbenchError.isCurrent(reverted.id)) {
                try transaction.revert(document(transaction), to: reverted.id.text)
            }
            let unknown = WorkbenchError.unknownRevision("9-9", document: "d", closest: nil)
            #expect(throws: unknown) { try transaction.revert(document(transaction), to: "9-9") }
            let gone = try transaction.delete("d")
            try transaction.save("d", body: .emptyDictionary)
            #expect(throws: WorkbenchError.isDeletion(gone.id)) { try transaction.revert(document(transaction), to: gone.id.text) }
            try #expect(document(transaction).storedRevision(named: "1-").id == kept)
        }
    }
}
