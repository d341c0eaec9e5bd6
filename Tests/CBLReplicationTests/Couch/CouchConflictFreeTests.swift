import CBLBase
import CBLFleece
import CBLStore
import CBLTestSupport
import CBLTransport
import Synchronization
import Testing

@testable import CBLReplication

/// Gateways that take no conflicts: what settles one has to follow their revision, whichever of the two has the higher name.
@Suite struct CouchConflictFreeTests {
    private final class Server: RemoteServer, @unchecked Sendable {
        // Sendable: one thread asks.
        let mostRequests = 1
        let model: CouchModel

        init(takesConflicts: Bool = false, longestHistory: Int = .max) {
            var manners = CouchModel.Manners()
            manners.longestHistory = longestHistory
            manners.takesConflicts = takesConflicts
            manners.farthestAncestor = 100
            model = CouchModel(manners)
        }

        func interrupt() {}

        func send(_ request: RemoteRequest) throws -> RemoteAnswer {
            let answer = try model.answer(request)
            var rest = answer.body[...]
            return RemoteAnswer(answer.status, ["Content-Type": answer.type]) { space in
                let piece = rest.prefix(space.count)
                rest = rest.dropFirst(piece.count)
                space.copyBytes(from: piece)
                return piece.count
            }
        }
    }

    private final class FailureList: Sendable {
        let list = Mutex<[String]>([])
    }

    private final class Side {
        let database: Database
        let name: String
        let server: Server
        private let failures = FailureList()
        var errors: [String] { failures.list.withLock { $0 } }

        func forget() { failures.list.withLock { $0 = [] } }

        init(_ path: String, _ server: Server) throws {
            database = try Database(path: path, options: .create)
            try database.prepareChangeFeed(of: .default)
            _ = try database.write { try $0.remoteID(of: "http://model/db") }
            (name, self.server) = (path, server)
        }

        func progress() -> CouchProgress {
            CouchProgress { [failures] event in
                if case .document(let document) = event, let error = document.error {
                    failures.list.withLock { $0.append("\(document.documentID): \(error)") }
                }
            }
        }

        private func session(_ push: Bool, _ work: (RemoteDatabase, CouchCheckpoint) throws -> Void) throws {
            let there = RemoteDatabase(server, feed: server, "db", .default)
            let scope = CouchCheckpointScope(localUUID: name, pushes: push, isContinuous: false, remoteURL: "http://model/db")
            try work(there, CouchCheckpoint(scope, of: database, at: there))
        }

        func push(_ progress: CouchProgress? = nil) throws {
            try session(true) { there, checkpoint in
                var store = ReplicatedDatabase(database, remote: 0)
                store.keepsShared = true
                try CouchPusher(
                    store: store, remote: there, index: 0, isContinuous: false, progress: progress ?? self.progress(),
                    checkpoint: checkpoint
                )
                .run(isReset: false)
            }
        }

        func pull(_ resolver: SyncResolver? = nil, isReset: Bool = false) throws {
            try session(false) { there, checkpoint in
                var store = ReplicatedDatabase(database, remote: 0)
                store.keepsShared = true
                if let resolver { store.resolver = resolver }
                try CouchPuller(
                    store: store, remote: there, settings: ReplicatorSettings.Collection(push: .off, pull: .once), index: 0,
                    keepsConflicts: resolver == nil, isEmpty: false, progress: progress(), checkpoint: checkpoint
                ).run(isReset: isReset)
            }
        }

        func save(_ id: String, _ json: String) throws {
            try database.write { _ = try $0.save(id, body: $0.encode(json: json)) }
        }

        var letter: String { String(name.split(separator: "/").last?.first ?? "?") }

        /// How many ends the document has, but for those with which a conflict was settled.
        func leaves(_ id: String) throws -> Int {
            try database.read { snapshot in
                try snapshot.document(id)?.storedRevisions().count { $0.flags.contains(.leaf) && !$0.flags.contains(.closed) } ?? 0
            }
        }

        func body(_ id: String) throws -> String? {
            try database.read { snapshot in
                try snapshot.document(id).flatMap { $0.isDeleted ? nil : $0.body.withRoot { $0.json(keys: snapshot.sharedKeys) } }
            }
        }
    }

    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory(inMemory: true) }

    private static let count = 16

    /// Each of the two has edited all documents; the second has been first to push.
    private func conflicted() throws -> (Side, Side, Server) {
        let server = Server()
        let (one, two) = try sides(server)
        for number in 0..<Self.count { try one.save("d\(number)", #"{"first":\#(number)}"#) }
        try one.push()
        try two.pull()
        for number in 0..<Self.count {
            try one.save("d\(number)", #"{"one":\#(number)}"#)
            try two.save("d\(number)", #"{"two":\#(number)}"#)
        }
        try two.push()
        return (one, two, server)
    }

    private func expectAll(_ one: Side, _ two: Side, _ server: Server, _ body: (Int) -> String) throws {
        try one.push()
        try two.pull()
        #expect(one.errors.isEmpty && two.errors.isEmpty, "\(one.errors.first ?? "") \(two.errors.first ?? "")")
        for number in 0..<Self.count {
            let id = "d\(number)"
            let winner = server.model.leaves(id).first.flatMap { server.model.documents[id]?[$0] }
            #expect(winner?.isDeleted == false && winner?.body == body(number), "\(id)")
            let (first, second) = (try one.body(id), try two.body(id))
            #expect(first == body(number) && second == body(number), "\(id)")
        }
    }

    @Test func theOwnSideWins() throws {
        let (one, two, server) = try conflicted()
        try one.pull { _ in .local }
        try expectAll(one, two, server) { #"{"one":\#($0)}"# }
    }

    @Test func theServersSideWins() throws {
        let (one, two, server) = try conflicted()
        try one.pull { _ in .remote }
        try expectAll(one, two, server) { #"{"two":\#($0)}"# }
    }

    @Test func bothAreMerged() throws {
        let (one, two, server) = try conflicted()
        try one.pull { conflict in
            let encoder = FleeceEncoder()
            try JSONParser.parse(#"{"both":"\#(conflict.documentID)"}"#, into: encoder)
            return .merged(DocumentProperties(try encoder.finish()))
        }
        try expectAll(one, two, server) { #"{"both":"d\#($0)"}"# }
    }

    /// Somebody here saves a document while its conflict is settled, and what came may be what that save follows.
    @Test(arguments: ["local", "remote", "merge"]) func savedMeanwhile(rule: String) throws {
        let resolver = try #require(Self.rules.first { $0.name == rule }).resolver
        let (one, two, server) = try conflicted()
        let saved = Mutex<Set<String>>([])
        try one.pull { [database = one.database] conflict in
            let id = conflict.documentID
            if saved.withLock({ $0.insert(id).inserted }) {
                try database.write { _ = try $0.save(id, body: $0.encode(json: #"{"late":1}"#)) }
            }
            return try resolver(conflict)
        }
        try one.push()
        try two.pull()
        #expect(one.errors.isEmpty && two.errors.isEmpty, "\(one.errors.first ?? "") \(two.errors.first ?? "")")
        var seen: Set<String> = []
        for number in 0..<Self.count {
            let id = "d\(number)"
            let (first, second) = (try one.body(id), try two.body(id))
            // Properties stand in the order in which a database first saw them.
            #expect(first?.sorted() == second?.sorted() && server.model.leaves(id).count == 1, "\(id)")
            seen.insert(first.map { $0.contains("late") ? "late" : "other" } ?? "none")
        }
        // The last word is not lost, unless the other side's is wanted, and it did not follow that.
        #expect(seen == (rule == "remote" ? ["late", "other"] : ["late"]))
    }

    private func sides(_ server: Server, _ suffix: String = "") throws -> (Side, Side) {
        (try Side(directory.path + "/one\(suffix).cblite2", server), try Side(directory.path + "/two\(suffix).cblite2", server))
    }

    /// Two that have the same document from the server.
    private func sharing(_ server: Server, _ name: String) throws -> (Side, Side) {
        let (one, two) = try sides(server, "-" + name)
        try one.save("d", #"{"first":1}"#)
        try one.push()
        try two.pull()
        return (one, two)
    }

    private static let rules: [(name: String, resolver: SyncResolver)] = [
        ("local", { _ in .local }), ("remote", { _ in .remote }), ("default", SyncResolution.standard), ("merge", SyncResolution.merge),
    ]

    /// Both branches are on the server, and both sides would let the other's win, or have said the same: if each ended its own, nothing would be left.
    @Test(arguments: ["remote", "merge", "default"], [true, false]) func bothGiveWay(rule: String, isSame: Bool) throws {
        let resolver = try #require(Self.rules.first { $0.name == rule }).resolver
        let server = Server(takesConflicts: true)
        let (one, two) = try sides(server)
        for number in 0..<Self.count { try one.save("d\(number)", #"{"first":\#(number)}"#) }
        try one.push()
        try two.pull()
        for number in 0..<Self.count {
            // With another way there it is another revision, even if it says the same.
            try (number % 2 == 0 ? one : two).save("d\(number)", #"{"way":1}"#)
            for side in [one, two] { try side.save("d\(number)", isSame ? #"{"same":1}"# : #"{"\#(side.letter)":\#(number)}"#) }
        }
        for side in [one, two] { try side.push() }
        for side in [one, two] { try side.pull(resolver) }
        for side in [one, two] { try side.push() }
        for side in [one, two] { try side.pull(resolver) }
        for number in 0..<Self.count {
            let (first, second) = (try one.body("d\(number)"), try two.body("d\(number)"))
            #expect(first != nil && first?.sorted() == second?.sorted(), "d\(number)")
        }
    }

    /// A deletion on one side and an edit on the other: each rule has its way, as over a WebSocket.
    @Test(arguments: [true, false], [true, false]) func aDeletionAgainstAnEdit(isDeletedHere: Bool, takesConflicts: Bool) throws {
        for (name, resolver) in Self.rules {
            let context: Comment = "\(name), deleted here: \(isDeletedHere), takes conflicts: \(takesConflicts)"
            let server = Server(takesConflicts: takesConflicts)
            let (one, two) = try sharing(server, name)
            let (deleting, editing) = isDeletedHere ? (one, two) : (two, one)
            try deleting.database.write { _ = try $0.delete("d") }
            try editing.save("d", #"{"edited":1}"#)
            try editing.save("d", #"{"edited":2}"#)
            try two.push()
            try one.pull(resolver)
            let isLive = name == "local" ? !isDeletedHere : name == "remote" ? isDeletedHere : false
            func expect(_ side: Side) throws {
                let body = try side.body("d")
                #expect(body == (isLive ? #"{"edited":2}"# : nil), context)
            }
            try expect(one)
            try one.push()
            try two.pull(resolver)
            try one.pull(resolver)
            for side in [one, two] { try expect(side) }
            let winner = server.model.leaves("d").first.flatMap { server.model.documents["d"]?[$0] }
            #expect(winner?.isDeleted == !isLive, context)
            #expect(one.errors.isEmpty && two.errors.isEmpty, "\(name) \(one.errors) \(two.errors)")
            // It is settled: nothing more comes of it.
            let leaves = server.model.leaves("d")
            for side in [one, two] {
                try side.push()
                try side.pull(resolver)
            }
            #expect(server.model.leaves("d") == leaves, context)
            // And it is a document as any other.
            try two.save("d", #"{"later":1}"#)
            try two.push()
            try one.pull(resolver)
            let later = try one.body("d")
            #expect(later == #"{"later":1}"#, context)
        }
    }

    /// More edits than a tree keeps, between two pushes: the server has to know what they begin with.
    @Test(arguments: [true, false]) func manyEditsHere(isPulled: Bool) throws {
        let server = Server()
        let (one, two) = try sides(server)
        try one.save("d", #"{"n":0}"#)
        try one.push()
        try two.pull()
        let editing = isPulled ? two : one
        for (round, count) in [(1, 70), (2, 120), (3, 70)] {
            for number in 1...count { try editing.save("d", #"{"n":\#(round * 1000 + number)}"#) }
            try editing.push()
            #expect(editing.errors.isEmpty, "\(editing.errors)")
            #expect(server.model.leaves("d").compactMap { server.model.documents["d"]?[$0]?.body } == [#"{"n":\#(round * 1000 + count)}"#])
        }
        try one.pull()
        try two.pull()
        for side in [one, two] {
            let (body, leaves) = (try side.body("d"), try side.leaves("d"))
            #expect(body == #"{"n":3070}"# && leaves == 1)
        }
        #expect(server.model.violations.isEmpty)
    }

    /// More edits than the server remembers, between two pulls: what is here is no rival of what was made from it.
    @Test func manyEditsThere() throws {
        let server = Server(longestHistory: 50)
        let (one, two) = try sides(server)
        for id in ["pulled", "pushed", "both"] { try (id == "pushed" ? two : one).save(id, #"{"n":0,"m":0}"#) }
        for _ in 0..<2 {
            for side in [one, two] {
                try side.push()
                try side.pull()
            }
        }
        for number in 1...70 { for id in ["pulled", "pushed", "both"] { try one.save(id, #"{"n":\#(number),"m":0}"#) } }
        try one.push()
        try two.save("both", #"{"n":0,"m":1}"#)
        try two.pull(SyncResolution.merge)
        for id in ["pulled", "pushed"] {
            let (body, leaves) = (try two.body(id), try two.leaves(id))
            #expect(body == #"{"n":70,"m":0}"# && leaves == 1, "\(id)")
        }
        // A real conflict stays one, and it is known what both were made from.
        let merged = try two.body("both")
        #expect(merged == #"{"m":1,"n":70}"# || merged == #"{"n":70,"m":1}"#)
        try two.push()
        #expect(two.errors.isEmpty && one.errors.isEmpty, "\(two.errors)")
        try one.pull()
        #expect(try one.body("both") == merged)
    }

    /// What came without a rule is settled by one that is given later, if all is looked at again.
    @Test(arguments: [true, false, nil]) func whatWasLeftIsSettledLater(isDeletedHere: Bool?) throws {
        for (name, resolver) in Self.rules.prefix(2) {
            let server = Server(takesConflicts: true)
            let (one, two) = try sharing(server, name)
            for (side, isDeleting) in [(one, isDeletedHere == true), (two, isDeletedHere == false)] {
                if isDeleting {
                    try side.database.write { _ = try $0.delete("d") }
                } else {
                    try side.save("d", #"{"by":"\#(side.letter)"}"#)
                }
            }
            try two.push()
            try one.pull()
            try one.pull(resolver)
            let left = try one.leaves("d")
            #expect(left == 2, "\(name)")
            try one.pull(resolver, isReset: true)
            let isOurs = name == "local"
            let isLive = isDeletedHere.map { $0 != isOurs } ?? true
            let body = try one.body("d")
            #expect(body == (isLive ? #"{"by":"\#(isOurs ? "o" : "t")"}"# : nil), "\(name)")
            try one.push()
            try one.pull(resolver, isReset: true)
            try two.pull()
            let there = try two.body("d")
            #expect(there == body, "\(name)")
        }
    }

    /// The same where the server has both branches.
    @Test(arguments: ["local", "remote", "merge"]) func whatTheServerHasIsSettledLater(rule: String) throws {
        let resolver = try #require(Self.rules.first { $0.name == rule }).resolver
        let server = Server(takesConflicts: true)
        let (one, two) = try sharing(server, rule)
        for side in [two, one] { try side.save("d", #"{"\#(side.letter)":1}"#) }
        try two.push()
        try one.pull()
        try one.push()
        let (left, there) = (try one.leaves("d"), server.model.leaves("d").count)
        #expect(left == 2 && there == 2)
        try one.pull(resolver, isReset: true)
        try one.push()
        try two.pull()
        let live = server.model.leaves("d").filter { server.model.documents["d"]?[$0]?.isDeleted == false }
        #expect(live.count == 1)
        for side in [one, two] {
            let body = try side.body("d")
            let expected = rule == "local" ? #"{"o":1}"# : rule == "remote" ? #"{"t":1}"# : #"{"o":1,"t":1}"#
            #expect(body?.sorted() == expected.sorted())
        }
    }

    /// What both were made from is known as long as nothing has come that follows what was pushed.
    @Test(arguments: 1...3) func whatWasPushedBeforeIsMerged(count: Int) throws {
        let server = Server(takesConflicts: true)
        let (one, two) = try sides(server)
        try one.save("d", #"{"a":0,"b":0}"#)
        try one.push()
        try two.pull()
        try two.save("d", #"{"a":0,"b":9}"#)
        for number in 1...count {
            try one.save("d", #"{"a":\#(number),"b":0}"#)
            try one.push()
        }
        // No more is kept than that.
        let revisions = try one.database.read { try #require(try $0.document("d")).storedRevisions() }
        #expect(revisions.count { $0.flags.contains(.keepBody) } == 2)
        try two.push()
        try one.pull(SyncResolution.merge)
        let merged = try one.body("d")
        #expect(merged == #"{"a":\#(count),"b":9}"#)
        try one.push()
        try two.pull(SyncResolution.merge)
        let there = try two.body("d")
        #expect(there == merged)
    }

    /// A conflict is told once, however often the document is looked at again.
    @Test func aConflictIsToldOnce() throws {
        let (one, two, server) = try conflicted()
        let progress = one.progress()
        for round in 0..<3 {
            try one.push(progress)
            for number in 0..<Self.count { try two.save("d\(number)", #"{"two":"\#(round)"}"#) }
            try two.push()
            try one.pull()
        }
        #expect(one.errors.count == Self.count && server.model.violations.isEmpty)
    }

    /// A branch that somebody has ended there is not a wish to delete the document.
    @Test func anEndedBranchDeletesNothing() throws {
        let server = Server(takesConflicts: true)
        let one = try Side(directory.path + "/one.cblite2", server)
        try one.save("d", #"{"n":1}"#)
        try one.push()
        let base = try #require(server.model.leaves("d").first)
        server.model.edit("d", parent: base, body: #"{"n":"theirs"}"#, isDeleted: false, attachments: [:])
        server.model.edit("d", parent: base, body: #"{"n":"ended"}"#, isDeleted: false, attachments: [:])
        let ended = try #require(server.model.leaves("d").first { server.model.documents["d"]?[$0]?.body == #"{"n":"ended"}"# })
        server.model.edit("d", parent: ended, body: "{}", isDeleted: true, attachments: [:])
        try one.pull { _ in .remote }
        let pulled = try one.body("d")
        #expect(pulled == #"{"n":"theirs"}"#)
        // Both end: one of the tombstones follows what is here.
        let theirs = try #require(server.model.leaves("d").first)
        server.model.edit("d", parent: theirs, body: "{}", isDeleted: true, attachments: [:])
        try one.pull { _ in .local }
        let gone = try one.body("d")
        #expect(gone == nil)
        #expect(one.errors.isEmpty)
    }

    /// As long as nobody has settled it the server's document stays as it is, also if one of the branches is ended here.
    @Test func whatIsNotTakenEndsNothing() throws {
        let (one, two, server) = try conflicted()
        try one.pull()
        try one.push()
        #expect(one.errors.count == Self.count)
        one.forget()
        // The server's branch is ended, as somebody does who knows no better.
        for number in 0..<Self.count {
            let id = "d\(number)"
            let theirs = try #require(server.model.leaves(id).first)
            try one.database.write { transaction in
                let document = try #require(try transaction.document(id))
                let revisions = try document.storedRevisions().filter { $0.flags.contains(.leaf) }
                let own = try #require(revisions.first { $0.id.name != theirs })
                _ = try transaction.resolveConflict(id, winner: own.id, loser: RevisionID(name: theirs))
            }
        }
        try one.push()
        try two.pull()
        for number in 0..<Self.count {
            let id = "d\(number)"
            let winner = server.model.leaves(id).first.flatMap { server.model.documents[id]?[$0] }
            let second = try two.body(id)
            #expect(winner?.isDeleted == false && second == #"{"two":\#(number)}"#, "\(id)")
        }
    }
}
