// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/MovingFromApple.md by `make docs`: change that one.
import Testing
import CouchbaseLiteSwift

extension GuideTests {
    @Test func runMovingFromApple() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideMovingFromApple) }
    }
}

private func guideMovingFromApple() async throws {
    let database = try Database(name: "travel")
    _ = try database.createCollection(name: "hotels")


    LogSinks.console = ConsoleLogSink(level: .warning)
    let query = try database.createQuery("SELECT META().id FROM hotels")
    let token = query.addChangeListener(withQueue: DispatchQueue(label: "hotels")) { change in
        print(change.results?.allResults().count ?? 0)
    }

    token.remove()

    let onMain = DispatchSemaphore(value: 0)
    let listened = try database.defaultCollection()
    let withoutQueue = listened.addChangeListener { _ in onMain.signal() }
    try listened.save(document: MutableDocument())
    var isHeard = false
    for _ in 0..<600 where !isHeard {
        isHeard = onMain.wait(timeout: .now()) == .success
        try await Task.sleep(for: .milliseconds(100))
    }
    #expect(isHeard)
    withoutQueue.remove()

    TLSIdentity.storageDirectory = FileManager.default.currentDirectoryPath + "/identities"
    let identity = try TLSIdentity.createIdentity(
        for: .serverAuth, attributes: [certAttrCommonName: "kitchen"], label: "kitchen")

    let store = FileManager.default.currentDirectoryPath + "/identities"
    #expect((try FileManager.default.attributesOfItem(atPath: store)[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    try TLSIdentity.deleteIdentity(withLabel: "kitchen")

    if let certificate = identity.certs.first {
        print(certificate.commonName ?? "-", certificate.notValidAfter, certificate.derData.count)
        print(SecCertificate(pem: certificate.pem) == certificate)
    }

    #expect(identity.certs.first.map { SecCertificate(pem: $0.pem) == $0 } == true)

    struct MyLog: LogSinkProtocol {
        func writeLog(level: LogLevel, domain: LogDomain, message: String) { print(message) }
    }

    let folder = FileManager.default.currentDirectoryPath + "/log"
    LogSinks.file = FileLogSink(level: .info, directory: folder, usePlainText: true)
    LogSinks.custom = CustomLogSink(level: .error, logSink: MyLog())

    _ = try Database(name: "another")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder).contains { $0.hasPrefix("cbl_info_") })
    LogSinks.file = nil
    LogSinks.custom = nil
}
