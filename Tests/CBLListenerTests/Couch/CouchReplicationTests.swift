import CBLBase
import CBLFleece
import CBLReplication
import CBLReplicationTestSupport
import CBLStore
import CBLTransport
import Foundation
import Synchronization
import Testing

@testable import CBLListener

/// A replicator that speaks CouchDB's protocol, and our own REST API as its server.
@Suite struct CouchReplicationTests {
    @Test func pullsWhatIsThere() async throws {
        let pair = try CouchPair()
        let first = try pair.server.put("/db/a", #"{"n":1,"list":[1,"x",null,{"deep":true}]}"#)
        try pair.server.put("/db/a?rev=\(first)", #"{"n":2}"#)
        try pair.server.put("/db/b%2Fc%20d", #"{"n":3}"#)
        let gone = try pair.server.put("/db/gone", #"{"n":4}"#)
        #expect(try pair.server.send("DELETE", "/db/gone?rev=\(gone)").status == 200)
        let outcome = try await pair.replicate(pull: true)
        #expect(outcome.isFine(pulled: 2), "\(outcome)")
        for target in ["/a?revs=true", "/b%2Fc%20d?revs=true"] {
            #expect(try pair.own(target).json == pair.server.get("/db" + target).json)
        }
        // Deletions of what was never here are of no interest.
        #expect(try pair.own("/gone").status == 404)
        let again = try await pair.replicate(pull: true)
        #expect(again.isFine(pulled: 0))
        try pair.server.put("/db/new", "{}")
        #expect(try await pair.replicate(pull: true).pulled == ["new"])
    }

    @Test func aPageWithDesignDocumentsIsNotTheLast() async throws {
        let first = Mutex<[UInt8]?>(nil)
        let pair = try CouchPair { request in
            guard request.path.last == "_changes" else { return nil }
            return first.withLock { page in
                defer { page = nil }
                return page.map { RemoteAnswer(200, ["Content-Type": "application/json"], $0) }
            }
        }
        let documents = (0..<1200).map { #"{"_id":"d\#($0)"}"# }.joined(separator: ",")
        #expect(try pair.server.send("POST", "/db/_bulk_docs", #"{"docs":[\#(documents)]}"#).status == 201)
        // As CouchDB lists them: as many as were asked for, and one of them does not replicate.
        let design = #""results":[{"seq":0,"id":"_design/words","changes":[{"rev":"1-ab"}]},"#
        let page = try pair.server.get("/db/_changes?style=all_docs&limit=999").text.replacing(#""results":["#, with: design)
        first.withLock { $0 = Array(page.utf8) }
        #expect(try await pair.replicate(pull: true).isFine(pulled: 1200))
        #expect(first.withLock { $0 } == nil && page.contains("_design/words"))
    }

    @Test func pushesWhatIsHere() async throws {
        let pair = try CouchPair()
        try pair.database.write { transaction in
            for number in 0..<450 { try transaction.save("d\(number)", json: #"{"n":\#(number)}"#) }
            try transaction.delete("d7")
        }
        let outcome = try await pair.replicate(push: true)
        #expect(outcome.isFine(pushed: 450), "\(outcome.failure as Any) \(outcome.errors.first as Any)")
        #expect(try pair.server.get("/db")["doc_count"] == "449")
        #expect(try pair.server.get("/db/d3?revs=true").json == pair.own("/d3?revs=true").json)
        #expect(try pair.server.get("/db/d7").status == 404)
        #expect(try await pair.replicate(push: true).isFine(pushed: 0))
        try pair.database.write { try $0.save("d3", json: #"{"n":"new"}"#) }
        #expect(try await pair.replicate(push: true).pushed == ["d3"])
        #expect(try pair.server.get("/db/d3")["n"] == "new")
    }

    @Test func bothWaysKeepsBranches() async throws {
        let pair = try CouchPair()
        try pair.server.put("/db/a", #"{"n":1}"#)
        #expect(try await pair.replicate(push: true, pull: true).isFine(pushed: 0, pulled: 1))
        let base = try #require(try pair.server.get("/db/a")["_rev"])
        try pair.server.put("/db/a?rev=\(base)", #"{"n":"theirs"}"#)
        try pair.database.write { try $0.save("a", json: #"{"n":"ours"}"#) }
        for _ in 0..<2 { #expect(try await pair.replicate(push: true, pull: true).failure == nil) }
        let (here, there) = (try pair.own("/a?conflicts=true"), try pair.server.get("/db/a?conflicts=true"))
        #expect(here.json == there.json)
        #expect(here.list("_conflicts", "").count == 1)
        let values = try here.list("_conflicts", "").map { try pair.own("/a?rev=\($0)")["n"] } + [here["n"]]
        #expect(Set(values) == ["theirs", "ours"])
        // Whoever settles it there settles it here, too.
        let loser = try #require(here.list("_conflicts", "").first)
        #expect(try pair.server.send("DELETE", "/db/a?rev=\(loser)").status == 200)
        #expect(try await pair.replicate(pull: true).failure == nil)
        #expect(try pair.own("/a?conflicts=true").list("_conflicts", "").isEmpty)
        #expect(try pair.own("/a").json == pair.server.get("/db/a").json)
    }

    @Test func aRuleSettlesConflicts() async throws {
        let pair = try CouchPair()
        try pair.server.put("/db/a", #"{"n":"theirs"}"#)
        try pair.database.write { try $0.save("a", json: #"{"n":"ours"}"#) }
        let outcome = try await pair.replicate(push: true, pull: true) { settings in
            settings.collections[0].keepsConflicts = false
            settings.collections[0].resolver = { _ in .local }
        }
        #expect(outcome.failure == nil)
        #expect(try await pair.replicate(push: true).failure == nil)
        #expect(try pair.server.get("/db/a?conflicts=true").list("_conflicts", "").isEmpty)
        #expect(try pair.server.get("/db/a")["n"] == "ours")
    }

    @Test func attachmentsGoBothWaysAndNeverTwice() async throws {
        let pair = try CouchPair()
        let large = [UInt8]((0..<200_000).map { UInt8(truncatingIfNeeded: $0 &* 31 >> 3) })
        let put = try pair.server.send("PUT", "/db/a/large%2Fone.bin", headers: ["Content-Type": "application/x-test"], body: large)
        #expect(put.status == 201)
        try pair.server.send(
            "PUT", "/db/a/small.txt?rev=\(put["rev"] ?? "")", headers: ["Content-Type": "text/plain"], body: Array("hi".utf8))
        #expect(try await pair.replicate(pull: true).isFine(pulled: 1))
        #expect(try pair.own("/a?revs=true").json == pair.server.get("/db/a?revs=true").json)
        #expect(try pair.own("/a/large%2Fone.bin").answer.body == large)
        #expect(try pair.own("/a/small.txt").text == "hi")
        let before = pair.remote.requests.count
        let rev = try #require(try pair.server.get("/db/a")["_rev"])
        try pair.server.put("/db/a?rev=\(rev)", try pair.server.get("/db/a").text.replacing("\"_id\"", with: "\"changed\":true,\"_id\""))
        #expect(try await pair.replicate(pull: true).isFine(pulled: 1))
        #expect(!pair.remote.requests.dropFirst(before).contains { $0.hasPrefix("GET a/") })
        #expect(try pair.own("/a/large%2Fone.bin").answer.body == large)

        // And the other way.
        let other = try CouchPair(pair.server)
        let blob = try other.database.write(blob: Array("a blob of the new kind, ".utf8) + large)
        try other.database.write { transaction in
            try transaction.save(
                "b", json: #"{"photo":{"@type":"blob","digest":"\#(blob.digest)","length":\#(blob.length),"content_type":"image/x"}}"#)
        }
        #expect(try await other.replicate(push: true).isFine(pushed: 1))
        #expect(other.remote.requests.contains("PUT b"))
        #expect(try other.server.get("/db/b")["photo.digest"] == blob.digest.description)
        #expect(try await pair.replicate(pull: true).isFine(pulled: 1))
        #expect(pair.database.blobs.exists(blob.digest))
        #expect(try documents(of: pair.database)["b"] == documents(of: other.database)["b"])
        // An edit leaves it where it is.
        try pair.database.write { transaction in
            try transaction.save(
                "b",
                json: #"{"n":1,"photo":{"@type":"blob","digest":"\#(blob.digest)","length":\#(blob.length),"content_type":"image/x"}}"#)
        }
        let count = pair.remote.requests.count
        #expect(try await pair.replicate(push: true).isFine(pushed: 1))
        #expect(!pair.remote.requests.dropFirst(count).contains("PUT b"))
        #expect(try await other.replicate(pull: true).pulled.contains("b"))
        #expect(try documents(of: pair.database)["b"] == documents(of: other.database)["b"])
    }

    @Test func onlyWhatIsWantedComes() async throws {
        let pair = try CouchPair()
        try pair.server.put("/db/_design/d", #"{"filters":{"least":"function(doc, req) { return doc.n >= req.query.n; }"}}"#)
        for number in 0..<10 { try pair.server.put("/db/d\(number)", #"{"n":\#(number)}"#) }
        let byID = try await pair.replicate(pull: true) { $0.collections[0].documentIDs = ["d1", "d2", "none"] }
        #expect(byID.isFine() && Set(byID.pulled) == ["d1", "d2"])
        let byFilter = try await pair.replicate(pull: true) { settings in
            settings.collections[0].filter = "d/least"
            settings.collections[0].filterParameters = ["n": "8"]
        }
        #expect(byFilter.isFine() && Set(byFilter.pulled) == ["d8", "d9"])
        let refused = try await pair.replicate(pull: true) { $0.collections[0].pullFilter = { !$0.documentID.hasSuffix("5") } }
        #expect(refused.errors.map(\.documentID) == ["d5"] && refused.errors.first?.error?.isForbidden == true)
        #expect(try pair.own("")["doc_count"] == "9")
    }

    @Test func checkpointsAreWhereTheProtocolHasThem() async throws {
        let pair = try CouchPair()
        try pair.server.put("/db/a", "{}")
        #expect(try await pair.replicate(pull: true).isFine(pulled: 1))
        let saved = try #require(pair.remote.requests.last { $0.hasPrefix("PUT _local/") }).dropFirst("PUT ".count)
        #expect(try pair.server.get("/db/\(saved)")["lastSequence"] == "1")
        #expect(saved.dropFirst("_local/".count).count == 40)
        // One that others have changed is not believed: all is looked at again, and none of it stored twice.
        let body = try pair.server.get("/db/\(saved)").text.replacing(#""1""#, with: #""77""#)
        try pair.server.put("/db/\(saved)", body)
        try pair.server.put("/db/b", "{}")
        #expect(try await pair.replicate(pull: true).pulled == ["b"])
        #expect(try pair.server.get("/db/\(saved)")["lastSequence"] == "2")
    }

    @Test func aServerWithoutBulkRequestsServes() async throws {
        let pair = try CouchPair { request in
            if request.path.last == "_bulk_get" { return RemoteAnswer(404, [:], Array(#"{"error":"not_found"}"#.utf8)) }
            if request.path.last == "_changes", request.method == "POST" { return RemoteAnswer(405, [:], Array("{}".utf8)) }
            return nil
        }
        for number in 0..<30 { try pair.server.put("/db/d\(number)", #"{"n":\#(number)}"#) }
        #expect(try await pair.replicate(pull: true).isFine(pulled: 30))
        #expect(try pair.own("")["doc_count"] == "30")
        #expect(pair.remote.requests.count { $0.hasSuffix("_bulk_get") } == 1)
    }

    @Test func aServerThatTakesNoPartsGetsAttachmentsInline() async throws {
        let pair = try CouchPair { request in
            if case .product = request.body { return RemoteAnswer(415, [:], Array("{}".utf8)) }
            return nil
        }
        let blob = try pair.database.write(blob: [UInt8](repeating: 7, count: 5000))
        for name in ["a", "b"] {
            try pair.database.write { transaction in
                try transaction.save(name, json: #"{"p":{"@type":"blob","digest":"\#(blob.digest)","length":5000}}"#)
            }
        }
        #expect(try await pair.replicate(push: true).isFine(pushed: 2))
        #expect(try pair.server.get("/db/b/blob_%2Fp").answer.body.count == 5000)
    }

    /// A gateway tells of it to who asks, and what is gone for the user goes here.
    @Test(arguments: ["Couchbase Sync Gateway/3.2.8 CE", "Couchbase Sync Gateway/2.8.3", "CouchDB/3.5.0"])
    func whatTheUserMayNotSeeAnyMoreGoes(server: String) async throws {
        let isRevoked = Mutex(false)
        let asked = Mutex<[String?]>([])
        let pair = try CouchPair { request in
            if request.method == "GET", request.path.count == 1 { return RemoteAnswer(200, ["Server": server], Array("{}".utf8)) }
            guard request.path.last == "_changes" else { return nil }
            // In what is posted, gateways do not read it.
            let wish = request.method == "GET" ? request.query["revocations"] : nil
            asked.withLock { $0.append(wish) }
            guard isRevoked.withLock({ $0 }) else { return nil }
            let rows = #"{"seq":"9:2","id":"a","revoked":true,"removed":["hotels"],"changes":[{"rev":"1-ab"}]}"#
            let text = #"{"results":[\#(wish == "true" ? rows : "")],"last_seq":"9:2"}"#
            return RemoteAnswer(200, ["Content-Type": "application/json"], Array(text.utf8))
        }
        let isTold = server.hasPrefix("Couchbase Sync Gateway/3")
        for id in ["a", "b"] { try pair.server.put("/db/\(id)", "{}") }
        #expect(try await pair.replicate(pull: true).isFine(pulled: 2))
        isRevoked.withLock { $0 = true }
        // Who does not want to lose anything does not ask.
        #expect(try await pair.replicate(pull: true) { $0.collections[0].purgesLost = false }.failure == nil)
        #expect(asked.withLock { $0 } == [isTold ? "true" : nil, nil])
        #expect(try pair.own("/a").status == 200)
        #expect(try await pair.replicate(pull: true) { $0.isReset = true }.failure == nil)
        #expect(try pair.own("/a").status == (isTold ? 404 : 200))
        #expect(try pair.own("/b").status == 200)
    }

    /// On their way such IDs mean other places in a path: proxies and gateways take them away.
    @Test func attachmentsOfDocumentsThatAPathCannotNameAreFetched() async throws {
        let pair = try CouchPair { request in
            let isSquashed = request.path.dropFirst().first.map { ["/slash", "50%25", ".", ".."].contains($0) } ?? false
            return isSquashed ? RemoteAnswer(404, [:], Array(#"{"error":"not_found"}"#.utf8)) : nil
        }
        let ids = [".", "..", "/slash", "50%25"]
        for id in ids {
            let text = #"{"docs":[{"_id":"\#(id)","_attachments":{"a.txt":{"data":"aGk="},"b.txt":{"data":"aG8="}}}]}"#
            #expect(try pair.server.send("POST", "/db/_bulk_docs", text).status == 201)
        }
        let outcome = try await pair.replicate(pull: true)
        #expect(outcome.isFine(pulled: ids.count), "\(outcome)")
        let blobs = try pair.database.blobs.list()
        #expect(blobs.count == 2)
        // An edit that leaves them alone does not have them sent again.
        let count = pair.remote.requests.count
        for id in ids {
            let rev = try #require(
                try pair.server.get("/db/_all_docs?keys=%5B%22\(PercentEncoding.unreserved(id))%22%5D")["rows.0.value.rev"])
            let text =
                #"{"docs":[{"_id":"\#(id)","_rev":"\#(rev)","n":1,"_attachments":{"a.txt":{"stub":true},"b.txt":{"stub":true}}}]}"#
            #expect(try pair.server.send("POST", "/db/_bulk_docs", text).status == 201)
        }
        #expect(try await pair.replicate(pull: true).isFine(pulled: ids.count))
        #expect(pair.remote.requests.dropFirst(count).count { $0.hasSuffix("_bulk_get") } == 1)
    }

    @Test func aDamagedAttachmentHoldsNothingElseBack() async throws {
        let pair = try CouchPair()
        for (name, byte) in [("a", 1), ("b", 2), ("c", 3)] as [(String, UInt8)] {
            let blob = try pair.database.write(blob: [UInt8](repeating: byte, count: 5000))
            try pair.database.write { try $0.save(name, json: #"{"p":{"@type":"blob","digest":"\#(blob.digest)","length":5000}}"#) }
            guard name == "b" else { continue }
            let file =
                pair.database.path + "/Attachments/"
                + blob.digest.description.dropFirst("sha1-".count).map { $0 == "/" ? "_" : String($0) }.joined() + ".blob"
            #expect(FileManager.default.fileExists(atPath: file))
            try Data(repeating: 9, count: 5000).write(to: URL(filePath: file))
        }
        let outcome = try await pair.replicate(push: true)
        #expect(outcome.failure == nil)
        #expect(outcome.errors.map(\.documentID) == ["b"] && Set(outcome.pushed) == ["a", "c"], "\(outcome)")
    }

    @Test func whatADatabaseCannotHoldIsSaid() async throws {
        let changes = #"{"results":[{"seq":1,"id":"a","changes":[{"rev":"1-x@z"}]}],"last_seq":1}"#
        let pair = try CouchPair { $0.path.last == "_changes" ? RemoteAnswer(200, [:], Array(changes.utf8)) : nil }
        let outcome = try await pair.replicate(pull: true)
        #expect(outcome.failure == nil)
        #expect(outcome.errors.map(\.documentID) == ["a"])
        #expect(outcome.errors.first?.error?.message.contains("1-x@z") == true)
    }

    @Test func failuresAreSaid() async throws {
        let pair = try CouchPair()
        let missing = CouchPeer(id: "http://server.test/none", database: "none") { [remote = pair.remote] _, _ in remote }
        let outcome = try await pair.replicate(pull: true) { $0.peer = .couch(missing) }
        #expect(outcome.failure?.error.code == 404)
        var made = missing
        made.createsTarget = true
        try pair.database.write { try $0.save("x", json: "{}") }
        #expect(try await pair.replicate(push: true) { $0.peer = .couch(made) }.isFine(pushed: 1))
        #expect(try pair.server.get("/none/x").status == 200)
    }

    @Test func aGatewayMakesADatabaseOfAConfiguration() async throws {
        let pair = try CouchPair { request in
            guard request.method == "PUT", request.path.count == 1, case .none = request.body else { return nil }
            return RemoteAnswer(400, [:], Array(#"{"error":"Bad Request","reason":"Bad JSON: EOF"}"#.utf8))
        }
        var made = CouchPeer(id: "http://server.test/none", database: "none") { [remote = pair.remote] _, _ in remote }
        made.createsTarget = true
        try pair.database.write { try $0.save("x", json: "{}") }
        #expect(try await pair.replicate(push: true) { $0.peer = .couch(made) }.isFine(pushed: 1))
    }

    @Test func collectionsHaveURLsOfTheirOwn() async throws {
        let pair = try CouchPair()
        let name = try CollectionName(scope: "s", name: "c")
        for database in [pair.database, try pair.server.database()] { try database.write { try $0.createCollection(name) } }
        try pair.database.write { try $0.save("x", in: name, json: #"{"n":1}"#) }
        let collections = [
            ReplicatorSettings.Collection(push: .once, pull: .once), ReplicatorSettings.Collection(name, push: .once, pull: .once),
        ]
        #expect(try await pair.replicate { $0.collections = collections }.isFine(pushed: 1))
        #expect(try pair.server.get("/db.s.c/x")["n"] == "1")
    }

    @Test func versionVectorsTakeTrees() async throws {
        let pair = try CouchPair(upgrade: .versionVectors)
        try pair.server.put("/db/a", #"{"n":1}"#)
        #expect(try await pair.replicate(pull: true).isFine(pulled: 1))
        #expect(try pair.own("/a")["n"] == "1")
        #expect(try await pair.replicate(push: true).isFine(pushed: 0))
        try pair.database.write { try $0.save("a", json: #"{"n":2}"#) }
        let outcome = try await pair.replicate(push: true)
        #expect(outcome.errors.first?.error?.message.contains("version vectors") == true)
    }
}

extension Database {
    fileprivate func write(blob: [UInt8]) throws -> BlobFolder.Stored { try blob.withUnsafeBytes { try blobs.write($0) } }
}
