// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteClassic/CouchbaseLiteClassic.docc/Guides/PrebuiltDatabases.md by `make docs`: change that one.
import Testing
import CouchbaseLiteClassic

extension GuideTests {
    @Test func runPrebuiltDatabases() async {
        await #expect(processExitsWith: .success) { try await runGuide(guidePrebuiltDatabases) }
    }
}

private func guidePrebuiltDatabases() async throws {
    var elsewhere = DatabaseConfiguration()
    elsewhere.directory = FileManager.default.currentDirectoryPath + "/resources"
    let resource = try Database(name: "catalogue", config: elsewhere)
    try resource.defaultCollection().save(document: MutableDocument(id: "item-1"))
    try resource.close()
    let path = elsewhere.directory + "/catalogue.cblite2"

    if !Database.exists(withName: "catalogue") {
        try Database.replace(name: "catalogue", withDatabaseAt: path)
    }
    let database = try Database(name: "catalogue")

    #expect(try database.defaultCollection().count == 1)
    try database.close()
    try Database.replace(name: "catalogue", withDatabaseAt: path)
}
