import CBLStore
import CBLTestSupport
import Glibc
import Testing

@testable import CBLReplication

@Suite struct ErrorTests {
    @Test(arguments: [
        (SyncError(.http, 503), SyncError.Severity.transient), (SyncError(.http, 401), .permanent), (SyncError(.http, 500), .permanent),
        (SyncError(.webSocket, 1006), .transient), (SyncError(.webSocket, 4001), .transient), (SyncError(.webSocket, 4002), .permanent),
        (SyncError(.webSocket, 1001), .transient), (SyncError(.webSocket, 1008), .permanent), (SyncError(.webSocket, 429), .transient),
        (SyncError(.posix, Int(ECONNREFUSED)), .transient), (SyncError(.posix, Int(ENETDOWN)), .networkDependent),
        (SyncError(.posix, Int(ENOSPC)), .permanent), (SyncError(.nameLookup), .transient), (SyncError(.unknownHost), .networkDependent),
        (SyncError(.certificateExpired), .permanent), (SyncError(.invalidURL), .permanent), (SyncError(.blip, 400), .permanent),
        (SyncError(.network, 999), .permanent),
    ])
    func errorsHaveTheirClass(_ error: SyncError, _ severity: SyncError.Severity) {
        #expect(error.severity == severity)
    }

    @Test func thePeerHearsWhetherWeComeBack() {
        #expect(SyncError(.http, 503).closeCode == 4001)
        #expect(SyncError(.liteCore, 10).closeCode == 4002)
        #expect(SyncError(.webSocket, 404).closeCode == 1000)
        // A server that goes away may come back; what is against the protocol has its own code.
        #expect(SyncError(.webSocket, 1001).closeCode == 1001 && SyncError(.webSocket, 1006).closeCode == 4002)
    }

    /// Also in the middle of a transaction, where they come as SQLite has them: of what a peer says has failed for good, nobody asks again.
    @Test func whatSQLiteSaysMayBeOtherwiseTheNextTime() throws {
        let directory = try TemporaryDirectory()
        let database = try Database(path: "\(directory.path)/a.cblite2", options: .init(access: .create))
        let error = try database.read { snapshot -> SyncError? in
            do { _ = try snapshot.connection.strings("SELECT there FROM nowhere") } catch { return ReplicatedDatabase.translate(error) }
            return nil
        }
        #expect(error?.httpStatus == 503)
    }

    @Test func retriesBackOffAndEnd() {
        let policy = RetryPolicy.standard(isContinuous: false)
        let error = SyncError(.http, 503)
        let delays = (1...9).map { policy.decision(after: error, failures: $0, isContinuous: false) }
        #expect(delays == [2, 4, 8, 16, 32, 64, 128, 256, 300].map { .retry(afterSeconds: $0) })
        #expect(policy.decision(after: error, failures: 10, isContinuous: false) == .giveUp)
        let endless = RetryPolicy.standard(isContinuous: true)
        #expect(endless.decision(after: error, failures: 1000, isContinuous: true) == .retry(afterSeconds: 300))
        #expect(endless.decision(after: SyncError(.networkDown), failures: 1, isContinuous: true) == .waitForNetwork(atMostSeconds: 2))
        var strict = RetryPolicy.standard(isContinuous: false)
        #expect(strict.decision(after: SyncError(.unknownHost), failures: 1, isContinuous: false) == .retry(afterSeconds: 2))
        strict.waitsForNetworkOnce = false
        strict.returnsAfterFarewell = false
        #expect(strict.decision(after: SyncError(.unknownHost), failures: 1, isContinuous: false) == .giveUp)
        #expect(strict.decision(after: SyncError(.unknownHost), failures: 1, isContinuous: true) == .waitForNetwork(atMostSeconds: 2))
        #expect(endless.decision(after: SyncError(.webSocket, 1001), failures: 1, isContinuous: true) == .retry(afterSeconds: 2))
        #expect(strict.decision(after: SyncError(.webSocket, 1001), failures: 1, isContinuous: true) == .giveUp)
        #expect(endless.decision(after: SyncError(.http, 404), failures: 1, isContinuous: true) == .giveUp)
    }

    @Test(arguments: [
        ("2-aa", false, "2-bb", false, DefaultResolver.Winner.remote), ("2-bb", false, "2-aa", false, .local),
        ("2-aa", false, "2-aa", false, .remote),
        ("3-aa", false, "2-ff", false, .local), ("10-aa", false, "9-ff", false, .local), ("1-aa", true, "5-ff", false, .local),
        ("5-aa", false, "1-ff", true, .remote), ("5-aa", true, "1-ff", true, .remote),
        ("5@AliceAliceAliceAliceAA", false, "6@BobBobBobBobBobBobBobA", false, .remote),
        ("6@AliceAliceAliceAliceAA", false, "6@BobBobBobBobBobBobBobA", false, .remote),
        ("7@AliceAliceAliceAliceAA", false, "6@BobBobBobBobBobBobBobA", false, .local),
    ])
    func conflictsHaveAWinner(
        _ local: String, _ localDeleted: Bool, _ remote: String, _ remoteDeleted: Bool, _ winner: DefaultResolver.Winner
    ) {
        let sides = (
            DefaultResolver.Side(revision: revision(local), isDeleted: localDeleted),
            DefaultResolver.Side(revision: revision(remote), isDeleted: remoteDeleted)
        )
        #expect(DefaultResolver.winner(local: sides.0, remote: sides.1) == winner)
    }
}
