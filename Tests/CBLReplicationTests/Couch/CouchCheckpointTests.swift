import CBLStore
import CBLTestSupport
import Testing

@testable import CBLReplication

/// Checkpoints of replications with servers of CouchDB's kind.
@Suite struct CouchCheckpointTests {
    /// The names that 1.x gives to its own.
    @Test func namesAreThoseOf1x() throws {
        var scope = CouchCheckpointScope(
            localUUID: "-C-hzYEeQATh-7dK51vNM71", pushes: true, isContinuous: false, remoteURL: "http://sync.example.com:4984/mydb")
        #expect(try scope.id() == "21b1de11def714c540085e159317804f1d127f1f")
        scope = CouchCheckpointScope(
            localUUID: "-C-hzYEeQATh-7dK51vNM71", pushes: false, isContinuous: true, remoteURL: "http://sync.example.com:4984/mydb")
        scope.filter = "sync_gateway/bychannel"
        scope.filterParameters = ["channels": "a,b"]
        #expect(try scope.id() == "29d536c6b3e09d3253213ec1bb612c98c2d8d656")
    }

    @Test func sequencesOfAllKindsComeBackAsTheyWere() {
        for (json, text) in [("5", "5"), (#""12-g1AAA""#, "12-g1AAA"), (#""7:5""#, "7:5"), (#"[3,"x"]"#, #"[3,"x"]"#)] {
            let sequence = RemoteSequence(json: json)
            #expect(sequence?.text == text)
            #expect(CouchPuller.sequence(text).text == text)
        }
        #expect(CouchPuller.sequence("5").json == "5")
        #expect(CouchPuller.sequence("4::9").json == #""4::9""#)
    }
}
