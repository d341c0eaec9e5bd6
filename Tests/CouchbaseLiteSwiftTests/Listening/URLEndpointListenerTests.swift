import CBLBase
import Glibc
import Synchronization
import Testing

@testable import CouchbaseLiteSwift

@Suite struct URLEndpointListenerTests {
    private let here: TemporaryDatabase
    private let there: TemporaryDatabase

    init() throws {
        here = try TemporaryDatabase()
        there = try TemporaryDatabase()
        try here.save("mine", ["from": "here"])
        try there.save("yours", ["from": "there"])
    }

    @Test(arguments: [false, true]) func everythingTravelsThroughIt(_ isPlain: Bool) throws {
        let blob = Blob(contentType: "text/plain", data: Data(repeating: 7, count: 300_000))
        let document = MutableDocument(id: "with-blob")
        document.setBlob(blob, forKey: "blob")
        try here.collection.save(document: document)
        let listener = try there.listen {
            $0.disableTLS = isPlain
            $0.enableDeltaSync = true
        }
        #expect((listener.tlsIdentity == nil) == isPlain)
        #expect(try here.replicate(with: listener) == nil)
        #expect(here.collection.count == 3 && there.collection.count == 3)
        #expect(try there.document("with-blob").blob(forKey: "blob")?.content?.count == 300_000)
        #expect(try here.document("yours").string(forKey: "from") == "there")
        listener.stop()
    }

    @Test func itTellsWhereItIsAsLongAsItListens() throws {
        var config = URLEndpointListenerConfiguration(collections: [there.collection])
        config.disableTLS = true
        let listener = URLEndpointListener(config: config)
        for _ in 0..<2 {
            #expect(listener.port == nil && listener.urls == nil && listener.tlsIdentity == nil)
            #expect(listener.status.connectionCount == 0 && listener.status.activeConnectionCount == 0)
            try listener.start()
            let port = try #require(listener.port)
            #expect(port != 0)
            let urls = try #require(listener.urls)
            #expect(!urls.isEmpty)
            #expect(urls.allSatisfy { $0.scheme == "ws" && $0.port == Int(port) && $0.path == "/db" })
            try listener.start()
            #expect(listener.port == port)
            listener.stop()
            listener.stop()
        }
        let local = try there.listen { $0.networkInterface = "lo" }
        #expect(local.urls?.map(\.host) == ["127.0.0.1"])
        #expect(local.urls?.first?.scheme == "wss")
    }

    @Test func whereItCannotListenIsSaid() throws {
        let listener = try there.listen { $0.disableTLS = true }
        let error = #expect(throws: NSError.self) { try here.listen { $0.port = listener.port } }
        #expect(error?.domain == NSPOSIXErrorDomain && error?.code == Int(EADDRINUSE))
        #expect(code { _ = try here.listen { $0.networkInterface = "nosuch0" } } == CBLError.unknownInterface)
        let roots = ListenerCertificateAuthenticator(rootCerts: [])
        let noTLS = code {
            _ = try here.listen {
                $0.disableTLS = true
                $0.authenticator = roots
            }
        }
        #expect(noTLS == CBLError.invalidParameter)
        listener.stop()
        try there.database.close()
        #expect(code { try listener.start() } == CBLError.notOpen)
        #expect(listener.port == nil)
    }

    @Test func itsConfigurationIsACopy() throws {
        var config = URLEndpointListenerConfiguration(collections: [there.collection])
        #expect(config.port == 0 && !config.disableTLS && !config.readOnly && !config.enableDeltaSync)
        #expect(config.networkInterface == nil && config.authenticator == nil && config.tlsIdentity == nil)
        config.port = 3121
        config.readOnly = true
        let listener = URLEndpointListener(config: config)
        let copy = URLEndpointListenerConfiguration(config: config)
        config.port = 1
        config.readOnly = false
        #expect(listener.config.port == 3121 && listener.config.readOnly)
        #expect(copy.port == 3121 && copy.readOnly)
    }

    // MARK: Whom the client trusts

    @Test func listenersWithoutAnIdentityShareOneThatIsKept() throws {
        let listener = try there.listen()
        let other = try here.listen()
        let certificate = try #require(listener.tlsIdentity?.certs.first)
        #expect(other.tlsIdentity?.certs == [certificate])
        #expect(try here.outcome(with: listener) == 0)
        #expect(try here.outcome(with: listener) { $0.pinnedServerCertificate = nil } == CBLError.tlsCertUnknownRoot)
        let wrong = try TestIdentities.create(.serverAuth).certs[0]
        #expect(try here.outcome(with: listener) { $0.pinnedServerCertificate = wrong } == CBLError.tlsCertUnknownRoot)
        let selfSigned = try here.outcome(with: listener) {
            $0.pinnedServerCertificate = nil
            $0.acceptOnlySelfSignedServerCertificate = true
        }
        #expect(selfSigned == 0)
        #expect(
            try here.outcome(with: listener) {
                $0.pinnedServerCertificate = wrong
                $0.acceptOnlySelfSignedServerCertificate = true
            } == CBLError.tlsCertUnknownRoot)
    }

    @Test func anIdentityThatIsGivenIsTheOneThatIsShown() throws {
        let issuer = try TestIdentities.create(.serverAuth, "issuer")
        let identity = try TestIdentities.create(.serverAuth, "elsewhere.example", issuer: issuer)
        let listener = try there.listen { $0.tlsIdentity = identity }
        #expect(listener.tlsIdentity === identity)
        // By its own certificate, and by the one that has signed it, whatever the host is called.
        for pinned in identity.certs { #expect(try here.outcome(with: listener) { $0.pinnedServerCertificate = pinned } == 0) }
        let run = Run(try here.configuration(listener) { $0.pinnedServerCertificate = nil })
        run.replicator.start()
        #expect(try run.end()?.code == CBLError.tlsCertUnknownRoot)
        #expect(run.replicator.serverCertificate == identity.certs[0])
        let signed = try here.outcome(with: listener) {
            $0.pinnedServerCertificate = nil
            $0.acceptOnlySelfSignedServerCertificate = true
        }
        #expect(signed == CBLError.tlsCertUntrusted)
    }

    // MARK: Whom it lets in

    @Test(arguments: [false, true]) func passwordsAreChecked(_ isPlain: Bool) throws {
        let listener = try there.listen {
            $0.disableTLS = isPlain
            $0.authenticator = ListenerPasswordAuthenticator { user, password in user == "ada" && password == "lövelace" }
        }
        func outcome(_ authenticator: (any Authenticator)?) throws -> Int {
            try here.outcome(with: listener) { $0.authenticator = authenticator }
        }
        #expect(try outcome(nil) == CBLError.httpAuthRequired)
        #expect(try outcome(BasicAuthenticator(username: "ada", password: "wrong")) == CBLError.httpAuthRequired)
        #expect(try outcome(BasicAuthenticator(username: "eve", password: "lövelace")) == CBLError.httpAuthRequired)
        #expect(try outcome(BasicAuthenticator(username: "", password: "")) == CBLError.httpAuthRequired)
        #expect(there.collection.count == 1)
        #expect(try outcome(BasicAuthenticator(username: "ada", password: "lövelace")) == 0)
        #expect(there.collection.count == 2)
    }

    @Test func whoDecidesSlowlyKeepsNobodyElseWaiting() throws {
        let isFree = DispatchSemaphore(value: 0)
        let listener = try there.listen {
            $0.disableTLS = true
            $0.authenticator = ListenerPasswordAuthenticator { user, _ in
                if user == "slow" { isFree.wait() }
                return true
            }
        }
        let slow = Run(try here.configuration(listener) { $0.authenticator = BasicAuthenticator(username: "slow", password: "x") })
        slow.replicator.start()
        let other = try TemporaryDatabase()
        #expect(try other.outcome(with: listener) { $0.authenticator = BasicAuthenticator(username: "quick", password: "x") } == 0)
        #expect(slow.replicator.status.activity == .connecting)
        isFree.signal()
        #expect(try slow.end() == nil)
    }

    @Test func certificatesOfClientsAreShownToTheProgram() throws {
        let seen = Told<[String?]>()
        let listener = try there.listen {
            $0.authenticator = ListenerCertificateAuthenticator { certificates in
                seen.add(certificates.map(\.commonName))
                // As long as it takes somebody to decide.
                usleep(200_000)
                return certificates.first?.commonName == "daniel"
            }
        }
        func outcome(_ identity: TLSIdentity?) throws -> Int {
            try here.outcome(with: listener) { $0.authenticator = identity.map { ClientCertificateAuthenticator(identity: $0) } }
        }
        #expect(try outcome(TestIdentities.create(.clientAuth, "daniel")) == 0)
        #expect(there.collection.count == 2)
        #expect(try outcome(TestIdentities.create(.clientAuth, "eve")) == CBLError.tlsClientCertRejected)
        #expect(seen.all == [["daniel"], ["eve"]])
        #expect(try outcome(nil) == CBLError.tlsClientCertRequired)
        #expect(seen.all.count == 2)
    }

    @Test func certificatesOfClientsAreSignedByTheRoots() throws {
        let root = try TestIdentities.create(.clientAuth, "root")
        let listener = try there.listen { $0.authenticator = ListenerCertificateAuthenticator(rootCerts: [root.certs[0]]) }
        func outcome(_ identity: TLSIdentity) throws -> Int {
            try here.outcome(with: listener) { $0.authenticator = ClientCertificateAuthenticator(identity: identity) }
        }
        #expect(try outcome(root) == 0)
        #expect(try outcome(TestIdentities.create(.clientAuth, "stranger")) == CBLError.tlsClientCertRejected)
        // The root is no authority: that it has signed something means nothing.
        #expect(try outcome(TestIdentities.create(.clientAuth, "signed", issuer: root)) == CBLError.tlsClientCertRejected)
    }

    @Test func whoIsWithoutTLSShowsNoCertificate() throws {
        let listener = try there.listen { $0.disableTLS = true }
        let identity = try TestIdentities.create(.clientAuth)
        #expect(try here.outcome(with: listener) { $0.authenticator = ClientCertificateAuthenticator(identity: identity) } == 0)
    }

    @Test func ofAReadOnlyListenerOthersOnlyPull() throws {
        let listener = try there.listen { $0.readOnly = true }
        #expect(try here.outcome(with: listener, .pull) == 0)
        #expect(here.collection.count == 2)
        #expect(try here.outcome(with: listener, .push) == CBLError.httpForbidden)
        #expect(try here.outcome(with: listener, .pushAndPull) == CBLError.httpForbidden)
        #expect(there.collection.count == 1)
    }

    @Test func whatIsNotOfferedIsNotThere() throws {
        let listener = try there.listen()
        let other = try here.database.createCollection(name: "other")
        _ = try there.database.createCollection(name: "other")
        var config = ReplicatorConfiguration(
            collections: [CollectionConfiguration(collection: other)], target: URLEndpoint(url: try #require(listener.urls?.first)))
        config.pinnedServerCertificate = listener.tlsIdentity?.certs[0]
        let run = Run(config)
        run.replicator.start()
        #expect(try run.end()?.code == CBLError.httpNotFound)
    }

    // MARK: Its end

    @Test func whoIsConnectedIsCountedAndHearsOfItsEnd() throws {
        let listener = try there.listen()
        let run = Run(try here.configuration(listener) { $0.continuous = true })
        run.replicator.start()
        #expect(run.isReached(.idle))
        #expect(listener.status.connectionCount == 1)
        listener.stop()
        #expect(listener.status.connectionCount == 0)
        #expect(try run.end()?.code == CBLError.webSocketGoingAway)
        #expect(listener.port == nil)
    }

    @Test func whoIsSilentDoesNotHoldItUp() throws {
        let listener = try there.listen { $0.disableTLS = true }
        let port = try #require(listener.port)
        let key = "dGhlIHNhbXBsZSBub25jZQ=="
        let request = [
            "GET /db/_blipsync HTTP/1.1", "Host: 127.0.0.1:\(port)", "Upgrade: websocket", "Connection: Upgrade",
            "Sec-WebSocket-Key: \(key)",
            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Protocol: BLIP_3+CBMobile_4", "", "",
        ]
        let silent = try RawConnection(port: port)
        silent.send(Array(request.joined(separator: "\r\n").utf8))
        #expect(silent.receive().starts(with: Array("HTTP/1.1 101".utf8)))
        let run = Run(try here.configuration(listener) { $0.continuous = true })
        run.replicator.start()
        #expect(run.isReached(.idle))
        let start = ContinuousClock.now
        listener.stop()
        // A farewell that nobody answers would be waited for five seconds.
        #expect(ContinuousClock.now - start < .seconds(4))
        #expect(try run.end()?.code == CBLError.webSocketGoingAway)
        // It was told as well.
        #expect(silent.answer().first == 0x88)
    }

    @Test func itEndsWithItsDatabase() throws {
        let listener = try there.listen()
        let another = try there.listen()
        let run = Run(try here.configuration(listener) { $0.continuous = true })
        run.replicator.start()
        #expect(run.isReached(.idle))
        try there.database.close()
        #expect(listener.port == nil && listener.urls == nil && another.port == nil)
        #expect(try run.end()?.code == CBLError.webSocketGoingAway)
    }

    @Test func aPortIsFreeAgainAtOnce() throws {
        let listener = try there.listen { $0.disableTLS = true }
        let port = listener.port
        #expect(try here.outcome(with: listener) == 0)
        listener.stop()
        #expect(try there.listen { $0.port = port }.port == port)
    }

    @Test(arguments: [false, true]) func garbageHarmsNobody(_ isPlain: Bool) throws {
        let listener = try there.listen { $0.disableTLS = isPlain }
        let port = try #require(listener.port)
        for garbage in [Array("GET / HTTP/1.1\r\n\r\n".utf8), [UInt8](repeating: 0, count: 5000), [22, 3, 1, 255, 255], [0xFF]] {
            let connection = try RawConnection(port: port)
            connection.send(garbage)
            if garbage.count > 10 { #expect(connection.answer().count < 1000) }
        }
        #expect(try here.outcome(with: listener) == 0)
        #expect(there.collection.count == 2)
    }

    @Test func manyReplicateAtTheSameTime() throws {
        let listener = try there.listen()
        let runs = try (0..<6).map { number in
            let other = try TemporaryDatabase()
            try other.save("doc-\(number)")
            return (other, Run(try other.configuration(listener, .push)))
        }
        for (_, run) in runs { run.replicator.start() }
        for (_, run) in runs { #expect(try run.end() == nil) }
        #expect(there.collection.count == 7)
    }
}
