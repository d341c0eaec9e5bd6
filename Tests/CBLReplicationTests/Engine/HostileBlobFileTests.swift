import CBLReplicationTestSupport
import CBLStore
import CBLTestSupport
import CBLTransport
import FoundationEssentials
import Synchronization
import Testing

@testable import CBLReplication

/// A blob's file that is something else than a blob: a link to somebody's file, or another content. Nothing of it is sent.
@Suite struct HostileBlobFileTests {
    let directory: TemporaryDirectory
    let database: Database
    let digest: BlobDigest
    let victim: Victim
    private var file: String {
        directory.path + "/a.cblite2/Attachments/" + digest.description.dropFirst(5).replacing("/", with: "_") + ".blob"
    }

    init() throws {
        directory = try TemporaryDirectory()
        let database = try Database(path: directory.path + "/a.cblite2", options: .create)
        self.database = database
        digest = try Array("hello blob".utf8).withUnsafeBytes { try database.blobs.write($0).digest }
        victim = try Victim(in: directory, names: [])
        try database.write { [digest] in
            let json = #"{"file":{"@type":"blob","digest":"\#(digest)","length":10,"content_type":"image/jpeg"}}"#
            try $0.save("doc", body: $0.encode(json: json))
        }
        #expect(FileManager.default.fileExists(atPath: file))
    }

    @Test(arguments: [Intruder.linkToFile, .pipe, .linkToEndlessDevice, .file]) func nothingOfItIsSent(_ intruder: Intruder) async throws {
        try intruder.place(at: file, victim)
        let seen = Mutex<[UInt8]>([])
        let other = try Database(path: directory.path + "/b.cblite2", options: .create)
        let server = try TestServer(other, onFrame: { frame in seen.withLock { $0 += frame } })
        let outcome = await synchronize(
            database, try server.settings([ReplicatorSettings.Collection(.default, push: .once, pull: .off)]))
        #expect(!outcome.isFine())
        let text = seen.withLock { String(decoding: $0, as: UTF8.self) }
        #expect(text.contains("proposeChanges") || text.contains("changes"))
        #expect(!text.contains(Victim.secret) && !text.contains("somebody's text"))
        #expect(!other.blobs.exists(digest))
    }
}
