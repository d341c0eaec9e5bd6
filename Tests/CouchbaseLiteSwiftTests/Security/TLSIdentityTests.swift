import CBLBase
import CBLTransport
import Synchronization
import Testing

@testable import CouchbaseLiteSwift

// The core has one as well.
typealias TLSIdentity = CouchbaseLiteSwift.TLSIdentity

/// Where the identities of all tests are kept: there is one such place for a program.
enum TestIdentities {
    private static let folder = try? TemporaryFolder()
    static let directory: String = {
        let path = (folder?.path ?? NSTemporaryDirectory()) + "/identities"
        TLSIdentity.storageDirectory = path
        return path
    }()

    /// A label that nobody else has, in that place.
    static func label() -> String {
        _ = directory
        return "label-\(UUID().uuidString)"
    }

    static func create(
        _ usages: KeyUsages = .serverAuth, _ name: String = "somebody", expiration: Date? = nil, issuer: TLSIdentity? = nil
    ) throws -> TLSIdentity {
        try TLSIdentity.createIdentity(
            for: usages, attributes: [certAttrCommonName: name], expiration: expiration, issuer: issuer, label: label())
    }
}

@Suite struct TLSIdentityTests {
    private let label = TestIdentities.label()
    private let attributes = [certAttrCommonName: "CBL-Server"]

    @Test func anIdentityIsKeptUnderItsLabelUntilItIsDeleted() throws {
        #expect(try TLSIdentity.identity(withLabel: label) == nil)
        let made = try TLSIdentity.createIdentity(for: .serverAuth, attributes: attributes, label: label)
        #expect(made.certs.count == 1)
        #expect(made.certs[0].commonName == "CBL-Server")
        let kept = try #require(try TLSIdentity.identity(withLabel: label))
        #expect(kept.certs == made.certs)
        #expect(try kept.core.keyPEM() == made.core.keyPEM())
        try TLSIdentity.deleteIdentity(withLabel: label)
        #expect(try TLSIdentity.identity(withLabel: label) == nil)
        // There is nothing to be deleted any more, and nothing wrong with that.
        try TLSIdentity.deleteIdentity(withLabel: label)
    }

    @Test func anIdentityFindsWhereItIsKept() throws {
        let made = try TLSIdentity.createIdentity(for: .serverAuth, attributes: attributes, label: label)
        let other = try TestIdentities.create()
        try made.deleteFromKeyChain()
        #expect(try TLSIdentity.identity(withLabel: label) == nil)
        #expect(other.certs[0] != made.certs[0])
        try other.deleteFromKeyChain()
        try other.deleteFromKeyChain()
    }

    @Test func aLabelThatIsTakenIsRefused() throws {
        let first = try TLSIdentity.createIdentity(for: .serverAuth, attributes: attributes, label: label)
        #expect(code { _ = try TLSIdentity.createIdentity(for: .serverAuth, attributes: attributes, label: label) } == CBLError.crypto)
        #expect(code { _ = try importPackage(Packages.modern, Packages.password) } == CBLError.crypto)
        #expect(try TLSIdentity.identity(withLabel: label)?.certs == first.certs)
    }

    @Test func ofManyThatCreateOneLabelAtTheSameTimeOneSucceeds() throws {
        let outcomes = Mutex<[Int?]>([])
        let threads = (0..<4).map { _ in
            WorkerThread { [label, attributes] in
                let outcome = code { _ = try TLSIdentity.createIdentity(for: .clientAuth, attributes: attributes, label: label) }
                outcomes.withLock { $0.append(outcome) }
            }
        }
        for thread in threads { thread.join() }
        #expect(outcomes.withLock { $0.count { $0 == nil } } == 1)
        #expect(outcomes.withLock { $0.count { $0 == CBLError.crypto } } == 3)
        #expect(try TLSIdentity.identity(withLabel: label) != nil)
    }

    @Test func nobodyElseCanReadWhatIsKept() throws {
        _ = try TLSIdentity.createIdentity(for: .serverAuth, attributes: attributes, label: label)
        let manager = FileManager.default
        func mode(_ path: String) throws -> Int? { try manager.attributesOfItem(atPath: path)[.posixPermissions] as? Int }
        #expect(try mode(TestIdentities.directory) == 0o700)
        for name in try manager.contentsOfDirectory(atPath: TestIdentities.directory) {
            // Those of other tests come and go.
            guard let folderMode = try? mode(TestIdentities.directory + "/" + name) else { continue }
            #expect(folderMode == 0o700)
            for file in ["key.pem", "chain.pem"] {
                if let fileMode = try? mode("\(TestIdentities.directory)/\(name)/\(file)") { #expect(fileMode == 0o600) }
            }
        }
    }

    @Test func aKeyThatOthersCouldReadIsNotUsed() throws {
        let place = try TemporaryFolder()
        let store = IdentityStore(directory: place.path)
        let core = try TestIdentities.create().core
        try store.add(core, "a")
        let folder = try #require(try FileManager.default.contentsOfDirectory(atPath: place.path).first)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: "\(place.path)/\(folder)/key.pem")
        #expect(code { _ = try store.identity("a") } == CBLError.crypto)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "\(place.path)/\(folder)/key.pem")
        #expect(try store.identity("a")?.certificates == core.certificates)
        try Data("nonsense".utf8).write(to: URL(fileURLWithPath: "\(place.path)/\(folder)/key.pem"))
        #expect(throws: (any Error).self) { try store.identity("a") }
    }

    @Test(arguments: ["", "../../escape", "/etc/passwd", "ä\u{0}ö", String(repeating: "long", count: 1000)])
    func aLabelIsAnyTextAndNoPath(_ text: String) throws {
        let label = text + label
        _ = try TLSIdentity.createIdentity(for: .serverAuth, attributes: attributes, label: label)
        #expect(try TLSIdentity.identity(withLabel: label)?.certs.first?.commonName == "CBL-Server")
        #expect(try TLSIdentity.identity(withLabel: label + " ") == nil)
        try TLSIdentity.deleteIdentity(withLabel: label)
    }

    // MARK: What a certificate says

    @Test func aCertificateNeedsACommonName() throws {
        for attributes in [[:], [certAttrOrganization: "Acme"], [certAttrCommonName: ""]] {
            #expect(code { _ = try TLSIdentity.createIdentity(for: .serverAuth, attributes: attributes, label: label) } == CBLError.crypto)
        }
        #expect(try TLSIdentity.identity(withLabel: label) == nil)
    }

    @Test func everyAttributeFindsItsPlace() throws {
        let all = [
            certAttrCommonName: "Jürgen", certAttrPseudonym: "J", certAttrGivenName: "Jürgen", certAttrSurname: "Müller",
            certAttrOrganization: "Acme", certAttrOrganizationUnit: "R&D", certAttrPostalAddress: "Main Street 1\nSpringfield",
            certAttrLocality: "Springfield", certAttrPostalCode: "12345", certAttrStateOrProvince: "Ohio", certAttrCountry: "US",
            certAttrEmailAddress: "j@example.com", certAttrHostname: "host.example", certAttrURL: "https://example.com/j",
            certAttrIPAddress: "192.0.2.1", certAttrRegisteredID: "1.2.3.4",
        ]
        let identity = try TLSIdentity.createIdentity(for: [.serverAuth, .clientAuth], attributes: all, label: label)
        let certificate = identity.certs[0]
        #expect(certificate.commonName == "Jürgen")
        let subject = certificate.description
        for text in ["O=Acme", "OU=R&D", "L=Springfield", "ST=Ohio", "C=US"] { #expect(subject.contains(text), "\(subject)") }
        #expect(certificate.core.isFor("host.example") && certificate.core.isFor("192.0.2.1") && !certificate.core.isFor("other.example"))
        for text in ["j@example.com", "https://example.com/j", "12345", "Main Street 1"] {
            #expect(certificate.derData.range(of: Data(text.utf8)) != nil, "\(text)")
        }
    }

    @Test func attributesThatCannotBeAreRefused() {
        for (attribute, value) in [
            ("color", "red"), (certAttrIPAddress, "1.2.3"), (certAttrCountry, "Germany"), (certAttrRegisteredID, "x"),
        ] {
            let attributes = [certAttrCommonName: "somebody", attribute: value]
            #expect(
                code { _ = try TLSIdentity.createIdentity(for: .serverAuth, attributes: attributes, label: label) } == CBLError.crypto,
                "\(attribute)")
        }
    }

    @Test(arguments: [certAttrHostname, certAttrEmailAddress, certAttrURL, certAttrCommonName, certAttrPostalAddress, certAttrOrganization])
    func oddAttributesMakeACertificateOrAnError(_ attribute: String) throws {
        for value in ["ä@ö.example", "a\u{0}b", " ", String(repeating: "x", count: 3000), "日本", "\n\n", "*.example"] {
            let label = TestIdentities.label()
            do {
                let identity = try TLSIdentity.createIdentity(
                    for: .clientAuth, attributes: [certAttrCommonName: "somebody"].merging([attribute: value]) { $1 }, label: label)
                #expect(try TLSIdentity.identity(withLabel: label)?.certs == identity.certs)
            } catch let error as NSError {
                #expect(error.code == CBLError.crypto)
                #expect(try TLSIdentity.identity(withLabel: label) == nil)
            }
        }
    }

    @Test func anIdentityIsValidForAYearOrUntilItsExpiration() throws {
        let year = try TestIdentities.create().expiration.timeIntervalSinceNow
        #expect(abs(year - 365 * 86400) < 60)
        let soon = Date(timeIntervalSinceNow: 300)
        #expect(abs(try TestIdentities.create(expiration: soon).expiration.timeIntervalSince(soon)) < 5)
        #expect(code { _ = try TestIdentities.create(expiration: Date(timeIntervalSinceNow: -1000)) } == CBLError.crypto)
    }

    // MARK: Issuers and imports

    @Test func anIssuerSignsForOthers() throws {
        let authority = try #require(try TLSIdentity.identity(withIdentity: packagedIdentity(), certs: nil))
        let key = Data(try authority.core.keyPEM().utf8)
        let issuer = try TLSIdentity.createIssuer(withPrivateKey: key, certificate: authority.certs[0].derData)
        let identity = try TestIdentities.create(issuer: issuer)
        #expect(identity.certs.count == 2)
        #expect(identity.certs[1] == issuer.certs[0])
        #expect(!identity.certs[0].core.isSelfSigned)
        let verified = try Certificate.status(of: [identity.certs[0].core], trusting: issuer.certs.map(\.core))
        #expect(verified == 0)
        let another = try TestIdentities.create()
        #expect(code { _ = try TLSIdentity.createIssuer(withPrivateKey: key, certificate: another.certs[0].derData) } == CBLError.crypto)
        #expect(code { _ = try TLSIdentity.createIssuer(withPrivateKey: Data(), certificate: Data()) } == CBLError.crypto)
    }

    private func importPackage(_ data: Data, _ password: String?) throws -> TLSIdentity {
        try TLSIdentity.importIdentity(withData: data, password: password, label: label)
    }

    private func packagedIdentity() throws -> SecIdentity {
        let identity = try TLSIdentity.importIdentity(withData: Packages.modern, password: Packages.password, label: TestIdentities.label())
        return try SecIdentity(certificate: identity.certs[0], privateKeyPEM: identity.core.keyPEM())
    }

    @Test(arguments: [Packages.modern, Packages.old]) func packagesAreImported(_ data: Data) throws {
        let identity = try importPackage(data, Packages.password)
        #expect(identity.certs.map(\.commonName) == ["packaged", "Package Authority"])
        let kept = try #require(try TLSIdentity.identity(withLabel: label))
        #expect(kept.certs == identity.certs)
    }

    @Test(arguments: [nil, ""]) func aPackageMayHaveAnEmptyPassword(_ password: String?) throws {
        #expect(try importPackage(Packages.open, password).certs.map(\.commonName) == ["packaged"])
    }

    @Test func aWrongPasswordOrDamagedPackageIsRefused() throws {
        var damaged = Packages.modern
        damaged[damaged.count - 30] ^= 1
        for (data, password) in [
            (Packages.modern, "wrong"), (Packages.modern, nil), (Packages.old, ""), (Data(), "x"), (Data("garbage".utf8), nil),
            (Packages.modern.prefix(200), Packages.password), (damaged, Packages.password),
        ] {
            #expect(code { _ = try importPackage(data, password) } == CBLError.crypto)
        }
        #expect(try TLSIdentity.identity(withLabel: label) == nil)
    }

    @Test func anIdentityIsPutTogetherFromItsParts() throws {
        let own = try packagedIdentity()
        let authority = try importPackage(Packages.modern, Packages.password).certs[1]
        let identity = try TLSIdentity.identity(withIdentity: own, certs: [authority])
        #expect(identity.certs == [own.certificate, authority])
        #expect(try TLSIdentity.identity(withIdentity: own, certs: [own.certificate, authority]).certs == identity.certs)
        #expect(code { _ = try SecIdentity(certificate: authority, privateKeyPEM: identity.core.keyPEM()) } == CBLError.crypto)
        #expect(code { _ = try SecIdentity(certificate: authority, privateKeyPEM: "no key") } == CBLError.crypto)
    }

    @Test func certificatesAreReadAndCompared() throws {
        let certificate = try TestIdentities.create(.clientAuth, "daniel").certs[0]
        #expect(SecCertificate(derData: certificate.derData) == certificate)
        #expect(SecCertificate(pem: certificate.pem) == certificate)
        #expect(Set([certificate, SecCertificate(pem: certificate.pem)]).count == 1)
        #expect(try TestIdentities.create(.clientAuth, "daniel").certs[0] != certificate)
        #expect(certificate.notValidAfter > Date())
        #expect(SecCertificate(derData: Data()) == nil)
        #expect(SecCertificate(derData: certificate.derData + Data([0])) == nil)
        #expect(SecCertificate(derData: certificate.derData.dropLast()) == nil)
        #expect(SecCertificate(pem: "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n") == nil)
    }
}
