// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteSwift/CouchbaseLiteSwift.docc/Guides/Encryption.md by `make docs`: change that one.
import CouchbaseLiteSwift
import Testing

extension GuideTests {
    @Test func runEncryption() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideEncryption) }
    }
}

private func guideEncryption() async throws {
    var configuration = DatabaseConfiguration()
    configuration.encryptionKey = EncryptionKey.password("correct horse battery staple")
    do {
        let database = try Database(name: "secret", config: configuration)
        try database.close()
    } catch let error as NSError {
        print(error.localizedDescription)
    }

    do {
        _ = try Database(name: "secret", config: configuration)
        Issue.record("encryption is there: say so in this guide")
    } catch let error as NSError {
        #expect(error.domain == CBLError.domain && error.code == CBLError.unreadableDatabase)
    }
    #expect(!Database.exists(withName: "secret"))
    let plain = try Database(name: "plain")
    do {
        try plain.changeEncryptionKey(EncryptionKey.password("x"))
        Issue.record("encryption is there: say so in this guide")
    } catch let error as NSError {
        #expect(error.domain == CBLError.domain && error.code == CBLError.unsupported)
    }
    try plain.changeEncryptionKey(nil)

    var protected = DatabaseConfiguration()
    protected.directory = FileManager.default.currentDirectoryPath + "/protected"
    try FileManager.default.createDirectory(
        atPath: protected.directory, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let database = try Database(name: "notes", config: protected)

    let attributes = try FileManager.default.attributesOfItem(atPath: protected.directory)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o700)
    #expect(database.path?.hasPrefix(protected.directory) == true)
}
