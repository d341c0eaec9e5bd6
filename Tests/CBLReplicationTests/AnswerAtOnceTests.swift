import CBLFleece
import CBLStore
import CBLTestSupport
import Glibc
import Testing

@testable import CBLReplication

/// What a connection's own thread looks up, instead of having another thread do it: the same answers, or none.
@Suite struct AnswerAtOnceTests {
    private let directory: TemporaryDirectory
    private let database: Database
    private let store: ReplicatedDatabase

    init() throws {
        directory = try TemporaryDirectory()
        database = try Database(path: "\(directory.path)/a.cblite2", options: .init(access: .create))
        try database.prepareChangeFeed(of: .default)
        store = ReplicatedDatabase(database, remote: 1)
    }

    private func save(_ id: String, _ json: String = "{}") throws {
        try database.write { _ = try $0.save(id, body: $0.encode(json: json)) }
    }

    private func changes(_ answer: StoreAnswer?) -> LocalChanges? {
        guard case .changes(let list)? = answer else { return nil }
        return list
    }

    private func order(_ id: String) throws -> SendOrder {
        let change = try #require(changes(store.perform(.readChanges(since: 0, limit: 100)))?.changes.first { $0.documentID == id })
        return SendOrder(
            documentID: id, revision: change.revision, sequence: RemoteSequence(change.sequence), ancestors: [], bodySize: change.bodySize)
    }

    private func messages(_ answer: StoreAnswer?) -> [RevisionMessage]? {
        guard case .revisions(let list)? = answer else { return nil }
        return list.compactMap { if case .loaded(let message) = $0 { message } else { nil } }
    }

    @Test func aFewChangesAreReadAtOnce() throws {
        for number in 0..<12 { try save("doc\(number)") }
        try database.write { try $0.delete("doc3") }
        // The connection that there was for reading is the one that writes now.
        _ = try database.read { try $0.lastSequence(of: .default) }
        for since in UInt64(0)...14 {
            let request = StoreRequest.readChanges(since: since, limit: 100)
            let atOnce = changes(store.answerAtOnce(request))
            if since > 13 || 13 - since > 8 { #expect(atOnce == nil) } else { #expect(atOnce == changes(store.perform(request))) }
        }
        // Whose index is not there yet, all rows would have to be looked at.
        let other = ReplicatedDatabase(try Database(path: "\(directory.path)/b.cblite2", options: .init(access: .create)), remote: 1)
        try other.database.write { _ = try $0.save("doc", body: .emptyDictionary) }
        #expect(other.answerAtOnce(.readChanges(since: 0, limit: 100)) == nil)
        // And the app is not asked here.
        var filtered = store
        filtered.pushFilter = { _ in true }
        #expect(filtered.answerAtOnce(.readChanges(since: 12, limit: 100)) == nil)
    }

    @Test func aFewProposalsAreReviewedAtOnce() throws {
        try save("here")
        let known = try order("here").revision
        func entries(_ count: Int) -> [ProposalMessage.Entry] {
            (0..<count).map { ProposalMessage.Entry(documentID: $0 == 1 ? "here" : "new\($0)", revision: known) }
        }
        guard case .verdicts(let verdicts)? = store.answerAtOnce(.review(entries(2))),
            case .verdicts(let later) = store.perform(.review(entries(2)))
        else {
            Issue.record("no verdicts")
            return
        }
        #expect(verdicts == [.accepted, .known] && later == verdicts)
        #expect(store.answerAtOnce(.review(entries(9))) == nil)
    }

    @Test func aFewSmallRevisionsAreLoadedAtOnce() throws {
        try save("small", #"{"n":1}"#)
        try save("large", #"{"text":"\#(String(repeating: "x", count: 5000))"}"#)
        let (small, large) = (try order("small"), try order("large"))
        var options = SendOptions()
        options.acceptsDeltas = true
        let request = StoreRequest.loadRevisions([small], options)
        let loaded = try #require(messages(store.answerAtOnce(request)))
        #expect(loaded.map(\.body) == [Array(#"{"n":1}"#.utf8)] && loaded == messages(store.perform(request)))
        #expect(store.answerAtOnce(.loadRevisions([small, large], options)) == nil)
        #expect(store.answerAtOnce(.loadRevisions(Array(repeating: small, count: 9), options)) == nil)
        // What a delta would start from may be large.
        var following = small
        following.ancestors = [small.revision]
        following.bodySize = 300
        #expect(store.answerAtOnce(.loadRevisions([following], options)) == nil)
        options.acceptsDeltas = false
        #expect(store.answerAtOnce(.loadRevisions([following], options)) != nil)
    }

    @Test func nothingIsWrittenAtOnce() {
        #expect(store.answerAtOnce(.saveCheckpoint(body: [])) == nil)
        #expect(store.answerAtOnce(.lookUp([])) == nil)
        #expect(store.answerAtOnce(.insert([])) == nil)
    }
}
