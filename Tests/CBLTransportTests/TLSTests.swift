import CBLBase
import CBLTestSupport
import Glibc
import Synchronization
import Testing

@testable import CBLTransport

@Suite(.timeLimit(.minutes(10))) struct TLSTests {
    private let authorities = TLSTrust.authorities(TestIdentities.authority.certificates)

    /// How a client that trusts so fares with a server that has this identity.
    private func meet(_ identity: TLSIdentity, _ trust: TLSTrust, host: String = "localhost") async throws -> (
        TransportError?, [Certificate]
    ) {
        let echo = try EchoServer { $0.identity = identity }
        defer { echo.stop() }
        let client = try open("wss://\(host):\(echo.server.port)/db/_blipsync") { $0.trust = trust }
        do {
            let opening = try await client.opening()
            #expect(opening.certificates.first == identity.certificates[0])
            for size in [1, 16384, 16385, 1 << 20] {
                let message = (0..<size).map { UInt8(truncatingIfNeeded: $0 &* 13) }
                client.send(message)
                #expect(try await client.message() == message)
            }
            client.close()
            #expect(try await client.closing().error == nil)
            return (nil, client.certificates)
        } catch let error as TransportError {
            return (error, client.certificates)
        }
    }

    @Test func aServerThatAnAuthorityHasSignedForIsTrusted() async throws {
        #expect(try await meet(TestIdentities.server, authorities).0 == nil)
        #expect(try await meet(TestIdentities.server, authorities, host: "127.0.0.1").0 == nil)
    }

    static let refusals: [(String, TLSIdentity, TLSTrust, TransportError.NetworkCode)] = [
        ("system", TestIdentities.server, .system, .tlsCertificateUnknownRoot),
        ("self-signed", TestIdentities.selfSigned, .system, .tlsCertificateUnknownRoot),
        ("another authority", TestIdentities.server, .authorities(TestIdentities.otherAuthority.certificates), .tlsCertificateUnknownRoot),
        ("expired", TestIdentities.expired, .authorities(TestIdentities.authority.certificates), .tlsCertificateExpired),
        ("not valid yet", TestIdentities.early, .authorities(TestIdentities.authority.certificates), .tlsCertificateUntrusted),
        ("wrong host", TestIdentities.wrongHost, .authorities(TestIdentities.authority.certificates), .tlsCertificateNameMismatch),
        ("signed by an authority", TestIdentities.server, .selfSigned, .tlsCertificateUntrusted),
        (
            "another pin", TestIdentities.server, .pinned([.certificate(TestIdentities.selfSigned.certificates[0])]),
            .tlsCertificateUnknownRoot
        ),
        ("another digest", TestIdentities.server, .pinned([.digest([UInt8](repeating: 7, count: 32))]), .tlsCertificateUnknownRoot),
        (
            "the pinned authority, the wrong host", TestIdentities.wrongHost,
            .pinned([.certificate(TestIdentities.authority.certificates[0])]),
            .tlsCertificateNameMismatch
        ),
    ]

    @Test(arguments: refusals.indices)
    func otherServersAreNot(index: Int) async throws {
        let (name, identity, trust, code) = Self.refusals[index]
        let (error, shown) = try await meet(identity, trust)
        let refusal = try #require(error, "\(name)")
        #expect(refusal.code == .network(code), "\(name)")
        #expect(refusal.isAboutTLS)
        #expect(refusal.persistence == .permanent)
        // What the person needs to compare, and the program to show, is there although there is no connection.
        #expect(refusal.certificate == identity.certificates[0].fingerprint)
        #expect(refusal.description.contains(identity.certificates[0].fingerprint.certificate))
        #expect(shown.first == identity.certificates[0])
    }

    @Test func pinsAndSelfSignedCertificatesAreAcceptedOnRequest() async throws {
        let own = TestIdentities.selfSigned.certificates[0]
        for trust in [
            TLSTrust.selfSigned, .anything, .pinned([.certificate(own)]), .pinned([.digest(own.digest)]), .pinned([.digest(own.keyDigest)]),
        ] {
            #expect(try await meet(TestIdentities.selfSigned, trust).0 == nil)
        }
        let authority = TestIdentities.authority.certificates[0]
        #expect(try await meet(TestIdentities.server, .pinned([.certificate(authority)])).0 == nil)
        #expect(try await meet(TestIdentities.server, .pinned([.digest(authority.keyDigest)])).0 == nil)
        // The very certificate is good enough, whatever host it names and however old it is.
        #expect(try await meet(TestIdentities.expired, .pinned([.digest(TestIdentities.expired.certificates[0].digest)])).0 == nil)
    }

    @Test func aPinnedCertificateThatIsOnlyShownAlongProvesNothing() throws {
        // The leaf is self-made; the pinned authority is put behind it, as anybody can.
        let forged = [TestIdentities.selfSigned.certificates[0], TestIdentities.authority.certificates[0]]
        let trust = TLSTrust.pinned([.digest(TestIdentities.authority.certificates[0].digest)])
        #expect(trust.objection(to: forged, of: "localhost", status: { 0 })?.code == .network(.tlsCertificateUnknownRoot))
        #expect(trust.objection(to: [], of: "localhost", status: { 0 }) != nil)
    }

    @Test func anOwnersCertificateIsGoodForAllOfItsServers() async throws {
        let owner = TLSTrust.owner(TestIdentities.authority.certificates[0])
        for identity in [TestIdentities.server, TestIdentities.wrongHost, TestIdentities.expired, TestIdentities.authority] {
            #expect(try await meet(identity, owner).0 == nil)
        }
        #expect(try await meet(TestIdentities.selfSigned, .owner(TestIdentities.selfSigned.certificates[0])).0 == nil)
        #expect(try await meet(TestIdentities.selfSigned, owner).0?.code == .network(.tlsCertificateUnknownRoot))
        #expect(
            try await meet(TestIdentities.client, .owner(TestIdentities.server.certificates[0])).0?.code
                == .network(.tlsCertificateUnknownRoot))
        // What is only shown along has signed nothing.
        let forged = [TestIdentities.selfSigned.certificates[0], TestIdentities.authority.certificates[0]]
        #expect(owner.objection(to: forged, of: "localhost", status: { 0 })?.code == .network(.tlsCertificateUnknownRoot))
        #expect(owner.objection(to: [], of: "localhost", status: { 0 }) != nil)
    }

    @Test func aServerMayAskForACertificate() async throws {
        func meet(_ policy: HTTPServer.ClientCertificates, _ identity: TLSIdentity?) async throws -> TransportError? {
            let echo = try EchoServer {
                $0.identity = TestIdentities.server
                $0.clientCertificates = policy
            }
            defer { echo.stop() }
            let client = try open(echo.url) {
                $0.trust = authorities
                $0.identity = identity
            }
            do {
                _ = try await client.opening()
                let shown = echo.requests.withLock { $0.last?.certificates }
                #expect(shown == identity?.certificates)
                client.close()
                _ = try await client.closing()
                return nil
            } catch let error as TransportError {
                return error
            }
        }
        let trusted = HTTPServer.ClientCertificates.authorities(TestIdentities.authority.certificates)
        #expect(try await meet(trusted, TestIdentities.client) == nil)
        #expect(try await meet(trusted, TestIdentities.strangeClient)?.code == .network(.tlsCertificateRejectedByPeer))
        let nameless = try await meet(trusted, nil)
        #expect(nameless?.code == .network(.tlsCertificateRequiredByPeer))
        #expect(try await meet(.check { $0.first?.subject == "CN=mallory" }, TestIdentities.strangeClient) == nil)
        #expect(try await meet(.check { _ in false }, TestIdentities.client)?.isAboutAuthentication == true)
    }

    @Test func theWrongSchemeIsSaidSo() async throws {
        let plain = try EchoServer()
        defer { plain.stop() }
        let error = try await open("wss://localhost:\(plain.server.port)/db").failure()
        #expect(error.code == .network(.tlsHandshakeFailed))
        #expect(error.description.contains("ws://"))
        let secure = try EchoServer { $0.identity = TestIdentities.server }
        defer { secure.stop() }
        #expect(try await open("ws://localhost:\(secure.server.port)/db").failure().code != .http(200))
    }

    @Test func aConnectionThatIsLostDuringTLSIsAnError() async throws {
        let server = try RawServer(connections: 2) { connection, number in
            _ = connection.read()
            if number == 1 { connection.reset() }
        }
        for _ in 0..<2 { #expect(try await open("wss://localhost:\(server.port)/db").failure().persistence == .transient) }
    }

    @Test func hostileAnswersToTLSAreErrors() async throws {
        var random = SeededRandom(77)
        let noise = (0..<40).map { round in
            [UInt8(0x16), 3, 3, UInt8(random.below(4)), UInt8(random.below(256))].prefix(round % 6)
                + (0..<random.below(300)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
        }
        let server = try RawServer(connections: noise.count) { connection, number in
            _ = connection.read()
            connection.write(Array(noise[number]))
        }
        for _ in noise { _ = try await open("wss://localhost:\(server.port)/db").failure() }
    }

    @Test func identitiesSurviveTheirFiles() throws {
        let made = TestIdentities.selfSigned
        let pem = bytes(made.certificatePEM)
        let read = try TLSIdentity(certificates: pem, certificateName: "cert.pem", key: bytes(made.keyPEM()), keyName: "key.pem")
        #expect(read.certificates == made.certificates)
        let locked = try bytes(made.keyPEM(passphrase: "sesam"))
        #expect(String(decoding: locked, as: UTF8.self).contains("ENCRYPTED"))
        func unlock(_ passphrase: String?) throws -> TLSIdentity {
            try TLSIdentity(certificates: pem, certificateName: "cert.pem", key: locked, keyName: "key.pem") { () throws(TransportError) in
                passphrase
            }
        }
        #expect(try unlock("sesam").certificates == made.certificates)
        #expect(throws: TransportError.self) { try unlock("wrong") }
        #expect(throws: TransportError.self) { try unlock(nil) }
        let mixed = #expect(throws: TransportError.self) {
            try TLSIdentity(
                certificates: pem, certificateName: "cert.pem", key: bytes(TestIdentities.client.keyPEM()), keyName: "key.pem")
        }
        #expect(mixed?.message.contains("does not belong") == true)
        #expect(throws: TransportError.self) {
            try TLSIdentity(certificates: pem, certificateName: "cert.pem", key: pem, keyName: "key.pem")
        }
        // What this program writes is read by another one.
        let described = try Program.run(
            tool: "openssl", ["x509", "-noout", "-subject", "-ext", "subjectAltName"], input: made.certificatePEM)
        if let described {
            #expect(described.output.contains("CN = localhost"))
            #expect(described.output.contains("DNS:localhost"))
        }
    }

    @Test(.enabled(if: Program.isInstalled("openssl"), "there is no openssl")) func fingerprintsAreThoseOfOtherPrograms() throws {
        let certificate = TestIdentities.server.certificates[0]
        let shown = try #require(
            try Program.run(tool: "openssl", ["x509", "-noout", "-fingerprint", "-sha256"], input: certificate.pem))
        let text = shown.output.split(separator: "=").last.map { String($0.dropLast()) } ?? ""
        #expect(CertificatePin(text) == .digest(certificate.digest))
        #expect(certificate.fingerprint.subject == "CN=localhost")
    }

    @Test func pinsAreReadInEveryForm() {
        let digest = [UInt8](0..<32)
        let hex = digest.withUnsafeBytes { Hex.text(of: $0) }
        let colons = digest.map { [$0].withUnsafeBytes { Hex.text(of: $0).uppercased() } }.joined(separator: ":")
        let base64 = digest.withUnsafeBytes { Base64.text(of: $0) }
        for text in [hex, " \(colons)", "sha256:\(hex)", "SHA256:\(colons)", "sha256//\(base64)"] {
            #expect(CertificatePin(text) == .digest(digest))
        }
        for text in ["", "abc", hex + "00", "sha256//", "sha256//!!", "sha1:\(hex.prefix(40))"] { #expect(CertificatePin(text) == nil) }
    }

    @Test func hostileCertificatesNeverCrashTheReader() throws {
        var random = SeededRandom(91)
        let der = TestIdentities.server.certificates[0].der
        let pem = bytes(TestIdentities.server.certificatePEM)
        func suffer(_ bytes: [UInt8]) {
            for certificate in (try? Certificate.read(bytes, name: "x")) ?? [] {
                _ = certificate.fingerprint
                _ = certificate.isSelfSigned
                _ = certificate.isFor("localhost")
            }
        }
        for end in stride(from: 0, to: der.count, by: 7) { suffer(Array(der[..<end])) }
        repeatWithin(seconds: 0.5) {
            var bytes = random.below(2) == 0 ? der : pem
            for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
            suffer(bytes)
        }
        #expect(throws: TransportError.self) { try Certificate.read([], name: "empty.pem") }
    }
}
