import CBLBase
import CBLFleece
import CBLStore
import CBLTestSupport
import CBLTransport
import Synchronization
import Testing

@testable import CBLReplication

/// How a server's changes are followed, and its documents with many attachments fetched.
@Suite struct CouchFeedTests {
    /// Answers requests for changes as a test says; everything else is the model's.
    private final class Server: RemoteServer, @unchecked Sendable {
        // Sendable: one thread at a time asks.
        let mostRequests = 1
        let model: CouchModel
        var asked: [String] = []
        /// An attachment that is not there any more.
        var loses: String?
        /// By the feed that is asked for; nil for the model's answer.
        var changes: (String, RemoteRequest) throws -> RemoteAnswer? = { _, _ in nil }

        init(_ manners: CouchModel.Manners = .init(hasOpaqueSequences: false)) { model = CouchModel(manners) }

        func interrupt() {}

        func send(_ request: RemoteRequest) throws -> RemoteAnswer {
            if request.path.last == "_changes", let feed = request.query["feed"] {
                asked.append("\(feed) \(request.query["since"] ?? "-")")
                if let answer = try changes(feed, request) { return answer }
            } else {
                asked.append("\(request.method) \(request.path.dropFirst().joined(separator: "/"))")
            }
            if let loses, request.path.last == loses || request.query["open_revs"] != nil {
                return Self.answer(404, [Array(#"{"error":"not_found","reason":"missing"}"#.utf8)])
            }
            let answer = try model.answer(request)
            return Self.answer(answer.status, [answer.body], type: answer.type)
        }

        static func answer(_ status: Int, _ pieces: [[UInt8]], type: String = "application/json") -> RemoteAnswer {
            var pieces = pieces[...]
            return RemoteAnswer(status, ["Content-Type": type]) { space in
                guard let piece = pieces.popFirst() else { return 0 }
                let count = min(space.count, piece.count)
                piece.withUnsafeBytes { space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count])) }
                if count < piece.count { pieces.insert(Array(piece[count...]), at: pieces.startIndex) }
                return count
            }
        }

        /// The model's changes as lines, in pieces of so many bytes.
        func lines(_ request: RemoteRequest, piece: Int, end: String = "{\"last_seq\":99}\n") throws -> RemoteAnswer {
            let rows = try RemoteDatabase.parse(try model.answer(request).body).withRoot { root in
                (root.dictionary?.value(forKey: "results", nil)?.array).map { $0.map { $0.json() + "\n" } } ?? []
            }
            let text = Array(("\n" + rows.joined(separator: "\n\n") + end).utf8)
            let pieces = stride(from: 0, to: text.count, by: piece).map { Array(text[$0..<min($0 + piece, text.count)]) }
            return Server.answer(200, pieces)
        }
    }

    private let directory: TemporaryDirectory
    private let database: Database
    private let server = Server()
    private let told = Told()
    private let progress: CouchProgress

    private final class Told: Sendable {
        let list = Mutex<[String]>([])
    }

    init() throws {
        directory = try TemporaryDirectory(inMemory: true)
        progress = CouchProgress { [told] event in
            guard case .document(let document) = event, let error = document.error else { return }
            told.list.withLock { $0.append(error.message) }
        }
        database = try Database(path: directory.path + "/db.cblite2", options: .create)
        _ = try database.write { try $0.remoteID(of: "http://model/db") }
    }

    private func pull(_ mode: ActiveSession.Mode = .continuous, from other: Server? = nil) throws {
        let server = other ?? server
        let remote = RemoteDatabase(server, feed: server, "db", .default)
        let scope = CouchCheckpointScope(localUUID: "here", pushes: false, isContinuous: false, remoteURL: "http://model/db")
        try CouchPuller(
            store: ReplicatedDatabase(database, remote: 0), remote: remote, settings: .init(push: .off, pull: mode), index: 0,
            keepsConflicts: true, isEmpty: false, progress: progress, checkpoint: CouchCheckpoint(scope, of: database, at: remote)
        ).run(isReset: false)
    }

    private func edit(_ id: String, _ attachments: [String: [UInt8]] = [:]) {
        server.model.edit(id, parent: server.model.leaves(id).first, body: #"{"n":1}"#, isDeleted: false, attachments: attachments)
    }

    private var feeds: [String] { server.asked.filter { $0.hasPrefix("longpoll") || $0.hasPrefix("continuous") } }

    /// Stops behind so many requests that wait.
    private func follow(_ count: Int, _ answer: @escaping (Int, String, RemoteRequest) throws -> RemoteAnswer?) throws {
        var number = 0
        server.changes = { [progress] feed, request in
            guard feed != "normal" else { return nil }
            number += 1
            guard number <= count else {
                progress.stop()
                throw TransportError(.posix(103), "interrupted")
            }
            return try answer(number, feed, request)
        }
        try pull()
    }

    @Test(arguments: [1, 7, 100_000]) func changesThatComeOneAfterTheOtherAreListenedTo(piece: Int) throws {
        edit("a")
        try follow(5) { number, feed, request in
            for letter in ["x", "y"] { edit("\(letter)\(number)") }
            return feed == "continuous" ? try server.lines(request, piece: piece) : nil
        }
        // After three answers that came at once, and, when there is nothing more, back.
        #expect(feeds == ["longpoll 1", "longpoll 3", "longpoll 5", "continuous 7", "longpoll 99", "longpoll 99"])
        for number in 1...4 { #expect(try database.read { try $0.document("y\(number)") } != nil, "\(number)") }
        #expect(server.model.violations.isEmpty)
    }

    @Test(arguments: [
        (400, ""), (501, "{}"), (200, ""), (200, "\n\n"), (200, "<html>\n"), (200, "[]\n"), (200, "{\n"), (200, "{}\n"),
        (200, "{\"results\":[],\"last_seq\":70}\n"),
        (200, "{\"results\":[\n{\"seq\":70,\"id\":\"a\",\"changes\":[]}\n],\"last_seq\":70}\n"),
    ]) func whoCannotDoThatIsAskedAsBefore(status: Int, text: String)
        throws
    {
        try follow(8) { number, feed, _ in
            edit("x\(number)")
            return feed == "continuous" ? Server.answer(status, [Array(text.utf8)]) : nil
        }
        #expect(feeds.count { $0.hasPrefix("continuous") } == 1)
        for number in 1...8 { #expect(try database.read { try $0.document("x\(number)") } != nil) }
    }

    /// A line that was cut off counts for nothing; it comes again.
    @Test func aFeedThatBreaksGoesOnWhereItWas() throws {
        try follow(5) { number, feed, request in
            edit("x\(number)")
            return feed == "continuous" ? try server.lines(request, piece: 10, end: #"{"seq":77,"id":"lost","chan"#) : nil
        }
        #expect(feeds.suffix(2) == ["longpoll 4", "longpoll 5"])
        #expect(try database.read { try $0.document("x4") } != nil)
    }

    @Test(arguments: ["<html>\n", "7\n", "{\n", "[]\n", "{\"seq\":\n"]) func whatIsNoChangeIsAnError(text: String) throws {
        #expect {
            try follow(4) { number, feed, request in
                edit("x\(number)")
                return feed == "continuous" ? try server.lines(request, piece: 100, end: text) : nil
            }
        } throws: { ($0 as? SyncError)?.httpStatus == 502 }
    }

    @Test func aLineWithoutAnEndIsRefused() throws {
        var lines = ChangeLines()
        let piece = [UInt8](repeating: UInt8(ascii: "{"), count: 1 << 20)
        #expect {
            for _ in 0..<17 { _ = try piece.withUnsafeBytes { try lines.read($0) } }
        } throws: { ($0 as? SyncError)?.httpStatus == 502 }
    }

    // Attachments

    private func content(_ number: Int) -> [UInt8] { Array("content \(number)".utf8) }

    private func attachments(_ id: String) throws -> [String: String] {
        try database.read { snapshot in
            let document = try #require(try snapshot.document(id))
            return try document.body.withRoot { root in
                var found: [String: String] = [:]
                for (key, value) in try #require(root.dictionary?.value(forKey: "_attachments", snapshot.sharedKeys)?.dictionary) {
                    let digest = value.dictionary?.value(forKey: "digest", snapshot.sharedKeys)?.string.flatMap { BlobDigest($0) }
                    var content: [UInt8] = []
                    try database.blobs.read(try #require(digest)) { content += $0 }
                    found[key.keyString(snapshot.sharedKeys) ?? ""] = String(decoding: content, as: UTF8.self)
                }
                return found
            }
        }
    }

    @Test func severalAttachmentsComeTogetherAndNoneTwice() throws {
        edit("a", ["x": content(1), "b/y": content(2), "é": content(3)])
        try pull(.once)
        #expect(server.model.togetherCount == 3 && !server.asked.contains("GET a/x"))
        #expect(try attachments("a") == ["x": "content 1", "b/y": "content 2", "é": "content 3"])
        // One that is new comes by itself, two together, and what was there not at all.
        edit("a", ["x": content(1), "b/y": content(2), "é": content(4)])
        try pull(.once)
        #expect(server.model.togetherCount == 3 && server.asked.contains("GET a/é"))
        edit("a", ["x": content(5), "b/y": content(2), "é": content(6)])
        server.asked = []
        try pull(.once)
        #expect(server.model.togetherCount == 5 && !server.asked.contains("GET a/x"))
        #expect(try attachments("a") == ["x": "content 5", "b/y": "content 2", "é": "content 6"])
    }

    @Test(arguments: [true, false]) func whatIsLostIsNamed(isOnlyOne: Bool) throws {
        edit("a", isOnlyOne ? ["pic": content(1)] : ["pic": content(1), "x": content(2)])
        edit("b")
        server.loses = "pic"
        try pull(.once)
        #expect(told.list.withLock { $0 } == ["attachment \"pic\" of document \"a\": not_found: missing"])
        try #expect(database.read { try $0.document("b") } != nil)
    }

    @Test(arguments: [true, false]) func severalRevisionsOfADocumentComeTogether(hasOpenRevisions: Bool) throws {
        let other = Server(.init(hasBulkGet: false, hasOpenRevisions: hasOpenRevisions))
        for number in 0..<3 { other.model.edit("a", parent: nil, body: "{\"n\":\(number)}", isDeleted: false, attachments: [:]) }
        try pull(.once, from: other)
        let leaves = try database.read { try KnownRevisions(try #require(try $0.document("a"))).leaves.map(\.id.text) }
        #expect(leaves == other.model.leaves("a"))
        #expect(other.asked.count { $0 == "GET a" } == (hasOpenRevisions ? 1 : 4), "\(other.asked)")
    }
}
