// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteClassic/CouchbaseLiteClassic.docc/CouchbaseLiteClassic.md by `make docs`: change that one.
import Testing
import CouchbaseLiteClassic

extension GuideTests {
    @Test func runCouchbaseLiteClassic() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideCouchbaseLiteClassic) }
    }
}

private func guideCouchbaseLiteClassic() async throws {

    final class Task: Model {
        @Field var title = ""
        @Field var isDone = false
    }

    let database = try Database(name: "garden")
    let tasks = try database.createCollection(name: "tasks")
    tasks.setValidation("title") { document, context in
        if !context.isDeletion, document.string(forKey: "title")?.isEmpty ?? true { context.reject("a task needs a title") }
    }

    let task = Task(in: tasks)
    task.title = "Water the plants"
    try task.save()

    #expect(tasks.count == 1)
    #expect(throws: (any Error).self) { try tasks.save(document: MutableDocument()) }
}
