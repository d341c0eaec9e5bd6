import CBLFleece
import CBLStore
import CBLTestSupport
import Synchronization
import Testing

@testable import CBLReplication

/// Revisions that need more than to be written down, stored in one go.
@Suite struct InsertionTests {
    private let directory: TemporaryDirectory
    private let database: Database

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: "\(directory.path)/a.cblite2", options: .init(access: .create))
    }

    private func received(_ id: String, _ history: String, from base: String? = nil, _ body: String) throws -> ReceivedRevision {
        var message = RevisionMessage(documentID: id, history: try RevisionHistory(parsing: history), body: Array(body.utf8))
        message.deltaSource = base.map(revision)
        return ReceivedRevision(message: message, allowsConflict: true)
    }

    private func insert(_ revisions: [ReceivedRevision], filter: SyncFilter? = nil) throws -> [Insertion] {
        var store = ReplicatedDatabase(database, remote: 1)
        store.pullFilter = filter
        guard case .inserted(let results) = store.perform(.insert(revisions)) else {
            throw StoreError(.unsupported, "nothing was inserted")
        }
        return results
    }

    private func body(_ id: String) throws -> String? {
        try database.read { snapshot in
            try snapshot.document(id)?.body.withRoot { $0.json(keys: snapshot.sharedKeys, style: .canonical) }
        }
    }

    private static let stored = Insertion.inserted(isConflict: false)
    private static let everything: SyncFilter = { _ in true }

    @Test(arguments: [false, true]) func aDeltaFitsWhatWasStoredBefore(isFiltered: Bool) throws {
        #expect(try insert([received("a", "1-aa", #"{"n":1,"list":[1,2]}"#)]) == [Self.stored])
        let delta = try received("a", "2-bb, 1-aa", from: "1-aa", #"{"more":"x","n":2}"#)
        #expect(try insert([delta], filter: isFiltered ? Self.everything : nil) == [Self.stored])
        #expect(try body("a") == #"{"list":[1,2],"more":"x","n":2}"#)
    }

    @Test func aDeltaFitsWhatComesInTheSameBatch() throws {
        let batch = [
            try received("a", "1-aa", #"{"n":1}"#), try received("a", "2-bb, 1-aa", from: "1-aa", #"{"new":2}"#),
            try received("a", "3-cc, 2-bb, 1-aa", from: "2-bb", #"{"n":[]}"#),
        ]
        #expect(try insert(batch) == [Self.stored, Self.stored, Self.stored])
        #expect(try body("a") == #"{"new":2}"#)
    }

    @Test(arguments: [false, true]) func whatDoesNotFitLeavesTheRest(isFiltered: Bool) throws {
        #expect(try insert([received("c", "1-aa", #"{"n":1}"#)]) == [Self.stored])
        let batch = [
            try received("a", "1-aa", "{}"), try received("b", "2-bb, 1-aa", from: "1-aa", #"{"n":1}"#),
            try received("c", "2-bb, 1-aa", from: "1-aa", #"{"n":"#), try received("d", "1-dd", #"{"_removed":true}"#),
            try received("e", "1-ee", #"{"_id":"#), try received("f", "1-ff", "{}"),
        ]
        let results = try insert(batch, filter: isFiltered ? Self.everything : nil)
        #expect(results.count == 6)
        #expect(results[0] == Self.stored && results[5] == Self.stored)
        for place in [1, 2] {
            guard case .deltaFailed = results[place] else {
                Issue.record("\(results[place])")
                continue
            }
        }
        #expect(results[3] == .removed)
        guard case .failed(let error) = results[4] else {
            Issue.record("\(results[4])")
            return
        }
        #expect(error.domain == .blip && error.code == 400)
        #expect(try ["a", "b", "c", "d", "e", "f"].map(body) == ["{}", nil, #"{"n":1}"#, nil, nil, "{}"])
    }

    @Test(arguments: [false, true]) func whatLacksABlobIsStoredWhenItHasCome(isFiltered: Bool) throws {
        let filter = isFiltered ? Self.everything : nil
        let blob = #"{"@type":"blob","digest":"\#(MessageTests.digest)","length":5}"#
        let received = try received("a", "1-aa", #"{"file":\#(blob),"_attachments":{"blob_/file":\#(blob)}}"#)
        let first = try insert([try self.received("b", "1-bb", "{}"), received], filter: filter)
        #expect(first.first == Self.stored)
        guard case .incomplete(let properties, let missing) = first.last else {
            Issue.record("\(first)")
            return
        }
        #expect(missing.map(\.digest.description) == [MessageTests.digest] && missing.first?.length == 5)
        #expect(try body("a") == nil)
        var complete = received
        complete.properties = properties
        #expect(try insert([complete], filter: filter) == [Self.stored])
        #expect(try body("a") == #"{"file":\#(blob)}"#)
    }

    @Test func aDeltaMayBringABlob() throws {
        #expect(try insert([received("a", "1-aa", #"{"n":1}"#)]) == [Self.stored])
        let delta = try received(
            "a", "2-bb, 1-aa", from: "1-aa", #"{"file":[{"@type":"blob","digest":"\#(MessageTests.digest)"}]}"#)
        guard case .incomplete(let properties, let missing)? = try insert([delta]).first else {
            Issue.record("it was stored")
            return
        }
        #expect(missing.count == 1)
        // The base goes meanwhile.
        try database.write { try $0.purge("a") }
        var complete = delta
        complete.properties = properties
        #expect(try insert([complete]) == [Self.stored])
        #expect(try body("a") == #"{"file":{"@type":"blob","digest":"\#(MessageTests.digest)"},"n":1}"#)
    }

    @Test func namesThatAreNotStoredAreNotAmongTheKeys() throws {
        let results = try insert([
            try received("a", "1-aa", #"{"_id":"a","_other":{"inner":1},"kept":1}"#),
            try received("b", "1-bb", #"{"_removed":true,"gone":1}"#),
            try received("c", "2-bb, 1-aa", from: "1-aa", #"{"_lost":1}"#),
        ])
        #expect(results.first == Self.stored)
        #expect(try body("a") == #"{"kept":1}"#)
        let keys = try database.read { snapshot in (0..<snapshot.sharedKeys.count).map { snapshot.sharedKeys.string(at: $0) } }
        #expect(keys == ["kept"])
    }

    @Test func theFilterIsAskedOnceAboutEach() throws {
        let blob = #"{"@type":"blob","digest":"\#(MessageTests.digest)"}"#
        let asked = Asked()
        let filter: SyncFilter = { revision in
            asked.note(revision)
            return revision.documentID != "no"
        }
        let lacking = try received("a", "1-aa", #"{"file":\#(blob)}"#)
        let results = try insert(
            [lacking, try received("no", "1-bb", #"{"file":\#(blob)}"#), try received("c", "1-cc", #"{"n":1}"#)], filter: filter)
        guard case .incomplete(let properties, _) = results[0] else {
            Issue.record("\(results)")
            return
        }
        // What is not wanted needs no blobs.
        #expect(results[1] == .failed(.filteredOut) && results[2] == Self.stored)
        var complete = lacking
        complete.properties = properties
        #expect(try insert([complete], filter: filter) == [Self.stored])
        #expect(asked.texts == [#"a {"file":\#(blob)}"#, #"no {"file":\#(blob)}"#, #"c {"n":1}"#])
    }

    private final class Asked: Sendable {
        private let noted = Mutex<[String]>([])
        var texts: [String] { noted.withLock { $0 } }

        func note(_ revision: SyncRevision) {
            let json = revision.properties.withRoot { $0.json(keys: revision.keys, style: .canonical) }
            noted.withLock { $0.append("\(revision.documentID) \(json)") }
        }
    }
}
