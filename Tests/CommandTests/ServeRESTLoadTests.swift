import CBLBase
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Glibc
import Synchronization
import Testing

/// `serve --rest` in bad times: killed while it stores, and without room on the disk.
@Suite(.timeLimit(.minutes(10))) struct ServeRESTLoadTests {
    private static func docs(_ prefix: String, _ count: Int, text: String = "") -> String {
        "{\"docs\":[\((0..<count).map { "{\"_id\":\"\(prefix)-\($0)\",\"text\":\"\(text)\"}" }.joined(separator: ","))]}"
    }

    /// Killed while clients wait for their answers: what was acknowledged is there, and of each request all or nothing.
    @Test(arguments: [1, 4, 9]) func whatWasAcknowledgedSurvives(acknowledgements: Int) throws {
        let scratch = try Scratch([:])
        let server = try ServeRESTTests.Server(["--rest", scratch.path])
        let size = 200
        let acknowledged = Mutex<[String]>([])
        let url = try PeerURL(server.url + "scratch/_bulk_docs")
        let client = server.client
        let threads = (0..<3).map { number in
            WorkerThread {
                for round in 0... {
                    let prefix = "t\(number)r\(round)"
                    var request = HTTPClientRequest("POST", url, body: .bytes(Array(Self.docs(prefix, size).utf8)))
                    request.isRepeatable = false
                    guard let answer = try? client.send(request), answer.head.status == 201 else { return }
                    acknowledged.withLock { $0.append(prefix) }
                    guard (try? answer.readAll()) != nil else { return }
                }
            }
        }
        while acknowledged.withLock({ $0.count }) < acknowledgements { usleep(1000) }
        server.program.send(signal: SIGKILL)
        for thread in threads { thread.join() }
        server.client.close()
        _ = server.program.finish()
        let present = try Program.run(["ls", "--limit", "1000000", scratch.path]).output.split { $0.isWhitespace }
        let counts = Dictionary(grouping: present) { $0.prefix { $0 != "-" } }.mapValues(\.count)
        #expect(counts.values.allSatisfy { $0 == size }, "\(counts)")
        for prefix in acknowledged.withLock({ $0 }) { #expect(counts[prefix[...]] == size) }
        #expect(try Program.run(["check", scratch.path]).exitCode == 0)
    }

    @Test(.enabled(if: SmallDisk.isAllowed, "\(SmallDisk.absence)")) func aFullDiskIsSaidAndHarmsNothing() throws {
        let disk = try SmallDisk(kilobytes: 4096)
        let server = try ServeRESTTests.Server(["--rest", "--manage", disk.path])
        #expect(try server.send("PUT", "db").status == 201)
        #expect(try server.send("PUT", "db/a", #"{"n":1}"#).status == 201)
        let large = String(repeating: "0123456789", count: 1 << 20)
        let inline = "{\"_attachments\":{\"file\":{\"data\":\"\(large.prefix(10 << 20))\"}}}"
        let requests = [
            ("PUT", "db/b", inline), ("POST", "db/_bulk_docs", Self.docs("x", 100, text: String(large.prefix(100_000)))),
        ]
        for (method, path, body) in requests {
            let answer = try server.send(method, path, body)
            #expect(answer.status == 500 && answer.text.contains("\"the disk is full; nothing was changed\""), "\(answer.text)")
        }
        #expect(try server.send("GET", "db/a").text.contains("\"n\":1"))
        #expect(try server.send("GET", "db/b").status == 404)
        #expect(try server.send("PUT", "db/c", #"{"n":2}"#).status == 201)
        #expect(server.stop().exitCode == 0)
        let path = disk.path + "/db.cblite2"
        #expect(try Program.run(["ls", path]).output.split { $0.isWhitespace } == ["a", "c"])
        let check = try Program.run(["check", path])
        #expect(check.exitCode == 0, "\(check.output)\(check.errors)")
        let left = (try? FileManager.default.contentsOfDirectory(atPath: path + "/Attachments")) ?? []
        #expect(left.isEmpty)
    }
}
