// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteClassic/CouchbaseLiteClassic.docc/Guides/OpenConflicts.md by `make docs`: change that one.
import Testing
import CouchbaseLiteClassic

extension GuideTests {
    @Test func runOpenConflicts() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideOpenConflicts) }
    }
}

private func guideOpenConflicts() async throws {

    let database = try Database(name: "notes", keepingFormat: true)
    let notes = try database.defaultCollection()

    let note = MutableDocument(id: "note-1", data: ["text": "Draft"])
    try notes.save(document: note)
    let draft = note.revisionID
    try notes.save(document: note.setString("Short", forKey: "text"))

    let rival = MutableDocument(id: "note-1", data: ["text": "Long"])
    try notes.save(document: rival, parent: draft, allowConflict: true)

    for revision in try notes.conflictingRevisions(ofDocument: "note-1") {
        print(revision.id, revision.isCurrent, revision.document?.string(forKey: "text") ?? "-")
        for ancestor in try notes.history(ofRevision: revision.id, ofDocument: "note-1") { print("  ", ancestor.id) }
    }
    print(try notes.conflictedDocumentIDs())

    #expect(try notes.conflictingRevisions(ofDocument: "note-1").count == 2)

    try database.inBatch {
        let rivals = try notes.conflictingRevisions(ofDocument: "note-1")
        let texts = rivals.compactMap { $0.document?.string(forKey: "text") }.sorted()
        let merged = MutableDocument(id: "note-1", data: ["text": texts.joined(separator: ", ")])
        try notes.resolveConflict(ofDocument: "note-1", winner: rivals[0].id, merging: merged)
    }

    #expect(try notes.document(id: "note-1")?.string(forKey: "text") == "Long, Short")
    #expect(try notes.conflictedDocumentIDs().isEmpty)
}
