import CBLFleece
import CBLStore
import CBLTestSupport
import Testing

/// The one rule by which conflicts end, whoever settles them.
@Suite struct SettlementTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func trees() throws -> Database { try Database(path: directory.path + "/trees.cblite2", options: .create) }

    private func vectors() throws -> Database {
        try Database(path: directory.path + "/vectors.cblite2", options: .init(access: .create, upgrade: .versionVectors))
    }

    private enum Theirs: CaseIterable { case earlier, later }

    /// A document of two versions; nil is a deletion.
    private func compete(
        _ ours: String?, _ theirs: String?, _ when: Theirs, remote: UInt16 = 1, _ transaction: Transaction
    ) throws -> (ours: RevisionID, theirs: RevisionID) {
        try transaction.save("d", body: transaction.encode(json: ours ?? "{}"))
        if ours == nil { try transaction.delete("d") }
        return try rival(theirs, when, remote: remote, transaction)
    }

    private func rival(
        _ theirs: String?, _ when: Theirs, remote: UInt16, _ transaction: Transaction
    ) throws -> (ours: RevisionID, theirs: RevisionID) {
        let mine = try #require(try transaction.document("d")?.revision)
        let time = try #require(mine.version).time
        let source = try #require(SourceID(Array(repeating: UInt8(remote), count: SourceID.byteCount)))
        let id = RevisionID(Version(time: when == .later ? time + 1_000_000_000 : time - 1_000_000_000, source: source))
        let body = try transaction.encode(json: theirs ?? "{}")
        let history = RevisionHistory(vector: VersionVector(try #require(id.version)))
        try #expect(transaction.insertExisting("d", history: history, body: body, isDeleted: theirs == nil, remote: remote) == .conflict)
        return (mine, id)
    }

    /// A document of two branches.
    private func branches(_ ours: String?, _ theirs: String?, _ transaction: Transaction) throws -> (ours: RevisionID, theirs: RevisionID) {
        let base = try transaction.save("d", body: .emptyDictionary)
        let saved =
            if let ours {
                try transaction.save("d", body: transaction.encode(json: ours), parent: .revision(base.id))
            } else {
                try transaction.delete("d")
            }
        let id = try RevisionID(parsing: "2-ffffffffffffffffffffffffffffffffffffffff")
        let body = try transaction.encode(json: theirs ?? "{}")
        try transaction.insertExisting("d", history: [id, base.id], body: body, isDeleted: theirs == nil, remote: 1)
        return (saved.id, id)
    }

    private func json(_ transaction: Transaction) throws -> String? {
        let document = try #require(try transaction.document("d"))
        #expect(!document.isConflicted)
        return document.isDeleted ? nil : document.body.withRoot { $0.json(keys: transaction.sharedKeys) }
    }

    @Test func oursBecomesAChildOfTheRemotesRevision() throws {
        try trees().write { transaction in
            let sides = try branches(#"{"by":"us"}"#, #"{"by":"them"}"#, transaction)
            let settled = try transaction.settle("d", local: sides.ours, remote: sides.theirs, .local)
            #expect(!settled.isRemotes)
            #expect(settled.revision.id.generation == 3)
            try #expect(transaction.document("d")?.revisions().currentDescends(from: sides.theirs) == true)
            try #expect(json(transaction) == #"{"by":"us"}"#)
        }
    }

    @Test func nothingIsMadeOfTwoThatSayTheSame() throws {
        try trees().write { transaction in
            let sides = try branches(#"{"by":"all"}"#, #"{"by":"all"}"#, transaction)
            let settled = try transaction.settle("d", local: sides.ours, remote: sides.theirs, .local)
            #expect(settled.isRemotes && settled.revision.id == sides.theirs)
        }
    }

    @Test func aDeletionCanBeWhatBothEndIn() throws {
        try trees().write { transaction in
            let sides = try branches(#"{"by":"us"}"#, #"{"by":"them"}"#, transaction)
            let settled = try transaction.settle("d", local: sides.ours, remote: sides.theirs, .deleted)
            #expect(!settled.isRemotes)
            try #expect(json(transaction) == nil)
        }
    }

    @Test func aDeletionThatIsThereAlreadyIsEnough() throws {
        try trees().write { transaction in
            let sides = try branches(#"{"by":"us"}"#, nil, transaction)
            let settled = try transaction.settle("d", local: sides.ours, remote: sides.theirs, .deleted)
            #expect(settled.isRemotes && settled.revision.id == sides.theirs)
        }
    }

    @Test func whatATombstoneSaysStaysWithIt() throws {
        try vectors().write { transaction in
            try transaction.save("d", body: .emptyDictionary)
            try transaction.delete("d", body: transaction.encode(json: #"{"last":"words"}"#))
            let sides = try rival(#"{"by":"them"}"#, .later, remote: 1, transaction)
            let settled = try transaction.settle("d", local: sides.ours, remote: sides.theirs, .local)
            #expect(settled.revision.id != sides.ours && !settled.isRemotes)
            let document = try #require(try transaction.document("d"))
            #expect(document.isDeleted)
            #expect(document.body.withRoot { $0.json(keys: transaction.sharedKeys) } == #"{"last":"words"}"#)
        }
    }

    @Test func aLaterVersionStaysUnderItsName() throws {
        try vectors().write { transaction in
            let sides = try compete(#"{"by":"us"}"#, #"{"by":"them"}"#, .earlier, transaction)
            let settled = try transaction.settle("d", local: sides.ours, remote: sides.theirs, .local)
            #expect(!settled.isRemotes)
            #expect(settled.revision.id == sides.ours)
            try #expect(json(transaction) == #"{"by":"us"}"#)
        }
    }

    @Test func anEarlierVersionThatWinsIsMadeAnew() throws {
        try vectors().write { transaction in
            let sides = try compete(#"{"by":"us"}"#, #"{"by":"them"}"#, .later, transaction)
            let settled = try transaction.settle("d", local: sides.ours, remote: sides.theirs, .local)
            #expect(!settled.isRemotes)
            let (made, theirs) = (try #require(settled.revision.id.version), try #require(sides.theirs.version))
            #expect(made.isLater(than: theirs))
            try #expect(json(transaction) == #"{"by":"us"}"#)
        }
    }

    @Test(arguments: [true, false]) func ofTwoDeletionsTheLaterStays(isOursLater: Bool) throws {
        try vectors().write { transaction in
            let sides = try compete(nil, nil, isOursLater ? .earlier : .later, transaction)
            let settled = try transaction.settle("d", local: sides.ours, remote: sides.theirs, .remote)
            #expect(settled.isRemotes != isOursLater)
            #expect(settled.revision.id == (isOursLater ? sides.ours : sides.theirs))
        }
    }

    @Test func theRestLosesToo() throws {
        try vectors().write { transaction in
            let first = try compete(#"{"by":"us"}"#, #"{"by":"one"}"#, .earlier, transaction)
            let second = try rival(#"{"by":"two"}"#, .later, remote: 2, transaction)
            let settled = try transaction.settle("d", local: first.ours, remote: first.theirs, .remote)
            #expect(settled.isRemotes)
            let last = try transaction.settleRest(of: "d", with: settled.revision, [second.theirs])
            try #expect(json(transaction) == #"{"by":"one"}"#)
            // The second is later than the first: who has it would go on taking it for the winner.
            let (made, theirs) = (try #require(last.id.version), try #require(second.theirs.version))
            #expect(made.isLater(than: theirs))
        }
    }

    /// What came from the remote may be the current revision: the result follows it all the same.
    @Test func theRemotesRevisionGoesOn() throws {
        try trees().write { transaction in
            let sides = try branches(#"{"by":"them"}"#, #"{"by":"us"}"#, transaction)
            let settled = try transaction.settle("d", local: sides.theirs, remote: sides.ours, .local)
            try #expect(json(transaction) == #"{"by":"us"}"# && !settled.isRemotes)
            let document = try #require(try transaction.document("d"))
            guard case .tree(let tree) = try document.revisions() else { return #expect(Bool(false)) }
            let current = try #require(tree.revisions.first { $0.id == document.revision })
            #expect(current.parent.map { tree.revisions[$0].id } == sides.ours)
        }
    }

    @Test func whatHasChangedSinceIsNotSettled() throws {
        try trees().write { transaction in
            let sides = try branches(#"{"by":"us"}"#, #"{"by":"them"}"#, transaction)
            for (local, remote) in [(sides.theirs, sides.theirs), (sides.ours, sides.ours)] {
                let error = #expect(throws: StoreError.self) { try transaction.settle("d", local: local, remote: remote, .local) }
                #expect(error?.code == .conflict)
            }
            let error = #expect(throws: StoreError.self) { try transaction.settle("x", local: sides.ours, remote: sides.theirs, .local) }
            #expect(error?.code == .notFound)
            try #expect(transaction.document("d")?.isConflicted == true)
        }
    }
}
