// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteClassic/CouchbaseLiteClassic.docc/Guides/UsingModels.md by `make docs`: change that one.
import Testing
import CouchbaseLiteClassic

extension GuideTests {
    @Test func runUsingModels() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideUsingModels) }
    }
}

private func guideUsingModels() async throws {

    final class TaskList: Model {
        @Field var name = ""
    }

    final class Task: Model {
        override class var documentType: String? { "task" }
        @Field var title = ""
        @Field("due_date") var due: Date?
        @Field var photo: Blob?
        @Field var words: [String] = []
        @Relation var list: TaskList?
        @Relation var blockedBy: [Task]
    }

    let database = try Database(name: "tasks")
    let collection = try database.defaultCollection()

    let home = TaskList(in: collection, id: "home")
    home.name = "Home"
    let task = Task(in: collection, id: "task-1")
    task.title = "Water the plants"
    task.list = home
    try collection.saveAllModels()                           // all or none

    #expect(try collection.document(id: "task-1")?.string(forKey: "list") == "home")

    database.registerModel(Task.self)
    let same = try collection.model(Task.self, id: "task-1")
    let any = try collection.model(id: "task-1")             // of the class for its type
    print(same === task, any === task)

    #expect(same === task && any === task)

    task.title = "Water the garden"
    print(task.needsSave, task.changedKeys)
    try task.save()
    task.title = "Nothing"
    try task.revert()
    task.autosaves = true                                    // from now on
    let token = task.addChangeListener { change in print(change.keys, change.isExternal) }
    token.remove()
    try task.delete()

    #expect(try collection.document(id: "task-1") == nil && task.isDeleted)
}
