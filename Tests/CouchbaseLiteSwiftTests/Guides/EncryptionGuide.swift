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
    let database = try Database(name: "secret", config: configuration)
    try database.defaultCollection().save(document: MutableDocument(id: "plan", data: ["when": "at midnight"]))
    try database.close()

    do {
        _ = try Database(name: "secret")
    } catch let error as NSError where error.code == CBLError.unreadableDatabase {
        print("The key is missing, or it is another one.")
    }

    do {
        _ = try Database(name: "secret")
        Issue.record("opened without its key")
    } catch let error as NSError {
        #expect(error.domain == CBLError.domain && error.code == CBLError.unreadableDatabase)
    }
    do {
        let again = try Database(name: "secret", config: configuration)
        #expect(try again.defaultCollection().document(id: "plan")?.string(forKey: "when") == "at midnight")
        try again.close()
    }

    let notes = try Database(name: "notes")
    try notes.changeEncryptionKey(EncryptionKey.password("first"))
    try notes.changeEncryptionKey(EncryptionKey.password("second"))
    try notes.changeEncryptionKey(nil)

    try notes.defaultCollection().save(document: MutableDocument(id: "n", data: ["a": 1]))
    try notes.changeEncryptionKey(EncryptionKey.password("third"))
    #expect(try notes.defaultCollection().document(id: "n")?.int(forKey: "a") == 1)
    do {
        let other = try Database(name: "notes", config: {
            var configuration = DatabaseConfiguration()
            configuration.encryptionKey = EncryptionKey.password("third")
            return configuration
        }())
        #expect(throws: (any Error).self) { try notes.changeEncryptionKey(nil) }
        try other.close()
    }
    try notes.changeEncryptionKey(nil)
}
