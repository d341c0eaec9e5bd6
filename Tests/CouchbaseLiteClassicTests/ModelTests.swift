import Observation
import Testing

@testable import CouchbaseLiteClassic

private enum Priority: String, ModelValue { case low, high }

private final class TaskList: Model {
    override class var documentType: String? { "list" }
    @Field var name = ""
}

private class Task: Model {
    override class var documentType: String? { "task" }
    override class var autosaveDelay: Double { 0.01 }
    @Field var title = ""
    @Field var rank = 7
    @Field("is_done") var isDone = false
    @Field var weight: Double?
    @Field var due: Date?
    @Field var priority = Priority.low
    @Field var words: [String] = []
    @Field var counts: [String: Int] = [:]
    @Field var photo: Blob?
    @Relation var list: TaskList?
    @Relation var others: [Task]
}

private final class BigTask: Task {
    override class var documentType: String? { "big" }
    @Field var size = 1
}

private final class Patient: Model {
    override class var autosaveDelay: Double { 1000 }
    @Field var rank = 0
}

@Suite struct ModelTests {
    let scene: TemporaryDatabase
    var collection: Collection { scene.collection }

    init() throws { scene = try TemporaryDatabase() }

    @Test func whatIsSetIsInTheDocument() throws {
        let task = Task(in: collection, id: "one")
        let due = Date(timeIntervalSince1970: 1_000_000)
        #expect(task.isNew && !task.needsSave && task.rank == 7 && task.due == nil)
        task.title = "Water the plants"
        task.isDone = true
        task.weight = 1.5
        task.due = due
        task.priority = .high
        task.words = ["a", "b"]
        task.words.append("c")
        task.counts = ["x": 1]
        task.photo = Blob(contentType: "text/plain", data: Data("content".utf8))
        #expect(task.needsSave && task.changedKeys.contains("is_done") && !task.changedKeys.contains("rank"))
        #expect(try task.save())
        #expect(try !task.needsSave && !task.isNew && !task.save())
        let document = try scene.document("one")
        #expect(document.string(forKey: "type") == "task" && document.string(forKey: "title") == "Water the plants")
        #expect(document.boolean(forKey: "is_done") && document.int(forKey: "rank") == 7)
        #expect(document.date(forKey: "due") == due && document.string(forKey: "priority") == "high")
        #expect(document.array(forKey: "words")?.count == 3 && document.dictionary(forKey: "counts")?.int(forKey: "x") == 1)
        #expect(document.blob(forKey: "photo")?.content == Data("content".utf8))
        #expect(task.due == due && task.words == ["a", "b", "c"] && task.counts == ["x": 1] && task.priority == .high)
        task.due = nil
        try task.save()
        #expect(try !scene.document("one").contains(key: "due"))
    }

    @Test func oneDocumentIsOneObject() throws {
        try scene.save("one", ["title": "stored", "rank": "no number"])
        let task = try #require(try collection.model(Task.self, id: "one"))
        #expect(task.title == "stored" && task.rank == 7 && !task.isNew)
        #expect(try collection.model(Task.self, id: "one") === task)
        #expect(try collection.model(TaskList.self, id: "one") == nil)
        #expect(try collection.model(Task.self, id: "nobody") == nil)
        #expect(try scene.database.collection(name: "other") == nil)
    }

    /// The library tells a model of a change on a queue of its own, and has it as long as that takes: waits until it does not.
    private func settle() { scene.database.modelStore.queue.sync {} }

    @Test func modelsThatNobodyHasAreForgotten() throws {
        try scene.save("one", ["title": "stored"])
        weak var former: Task?
        do { former = try collection.model(Task.self, id: "one") }
        settle()
        #expect(former == nil)
        weak var changed: Task?
        do {
            let task = try #require(try collection.model(Task.self, id: "one"))
            task.title = "changed"
            changed = task
        }
        #expect(changed != nil)
        #expect(try collection.model(Task.self, id: "one")?.title == "changed")
        try collection.saveAllModels()
        settle()
        #expect(changed == nil)
        #expect(try scene.document("one").string(forKey: "title") == "changed")
    }

    @Test func theTypeOfADocumentSaysItsClass() throws {
        scene.database.registerModel(Task.self)
        scene.database.registerModel(BigTask.self)
        try scene.save("a", ["type": "task"])
        try scene.save("b", ["type": "big", "size": 3])
        try scene.save("c", ["type": "list"])
        #expect(try type(of: collection.model(id: "a")) == Optional<Model>.self)
        #expect(try collection.model(id: "a") is Task)
        #expect((try collection.model(Task.self, id: "b") as? BigTask)?.size == 3)
        #expect(try collection.model(id: "c") == nil)
    }

    @Test func relationsGoByID() throws {
        let list = TaskList(in: collection, id: "list")
        let task = Task(in: collection, id: "task")
        task.list = list
        task.others = [Task(in: collection, id: "x"), Task()]
        for other in task.others { other.title = "other" }
        #expect(task.others.count == 2)
        list.name = "Home"
        try collection.saveAllModels()
        #expect(try scene.document("task").string(forKey: "list") == "list")
        #expect(task.list === list && task.others.map(\.title) == ["other", "other"])
        try list.delete()
        #expect(task.list == nil && list.isDeleted)
        task.list = nil
        try task.save()
        #expect(try !scene.document("task").contains(key: "list"))
    }

    @Test func changesCanBeGivenUp() throws {
        try scene.save("one", ["title": "stored"])
        let task = try #require(try collection.model(Task.self, id: "one"))
        task.title = "stored"
        #expect(!task.needsSave)
        task.title = "changed"
        task.rank = 1
        #expect(collection.unsavedModels.count == 1)
        try task.revert()
        #expect(task.title == "stored" && task.rank == 7 && !task.needsSave && collection.unsavedModels.isEmpty)
    }

    @Test func allAreSavedOrNone() throws {
        try scene.save("taken")
        let good = Task(in: collection, id: "good")
        let bad = Task(in: collection, id: "taken")
        good.title = "good"
        bad.title = "bad"
        #expect(collection.unsavedModels.map(\.id) == ["good", "taken"])
        #expect(code { try collection.saveAllModels() } == CBLError.conflict)
        #expect(try collection.document(id: "good") == nil)
        #expect(good.isNew && good.needsSave && collection.unsavedModels.count == 2)
        // What only a relation wants to be there is still to be saved as well.
        good.others = [Task(in: collection, id: "empty")]
        #expect(code { try collection.saveAllModels() } == CBLError.conflict)
        #expect(Set(collection.unsavedModels.map(\.id)) == ["good", "taken", "empty"])
        try good.save()
        #expect(try scene.document("good").string(forKey: "title") == "good")
        #expect(code { try Task().save() } == CBLError.invalidParameter)
    }

    @Test func changesOfOthersComeIn() throws {
        try scene.save("one", ["title": "stored", "rank": 1])
        let task = try #require(try collection.model(Task.self, id: "one"))
        let told = Told<ModelChange>()
        let token = task.addChangeListener(queue: told.queue) { told.add($0) }
        task.title = "mine"
        try scene.save("one", ["title": "theirs", "rank": 2])
        #expect(told.wait { $0.contains { $0.isExternal } })
        #expect(task.title == "mine" && task.rank == 2 && task.needsSave)
        try task.save()
        let document = try scene.document("one")
        #expect(document.string(forKey: "title") == "mine" && document.int(forKey: "rank") == 2)
        try collection.delete(document: document)
        #expect(told.wait { $0.filter(\.isExternal).count == 2 })
        #expect(task.isDeleted)
        token.remove()
    }

    @Test func aSaveKeepsWhatOthersHaveSaved() throws {
        try scene.save("one", ["title": "stored", "rank": 1])
        let task = try #require(try collection.model(Task.self, id: "one"))
        // Inside a batch nobody has been told yet.
        try scene.database.inBatch {
            try scene.save("one", ["title": "theirs", "rank": 2])
            task.title = "mine"
            try task.save()
        }
        let document = try scene.document("one")
        #expect(document.string(forKey: "title") == "mine" && document.int(forKey: "rank") == 2)
        #expect(task.rank == 2)
    }

    @Test func changesAreSavedByThemselves() throws {
        let task = Task(in: collection, id: "one")
        task.autosaves = true
        let told = Told<Bool>()
        collection.addChangeListener(queue: told.queue) { _ in told.add(true) }
        task.title = "by itself"
        #expect(told.wait { !$0.isEmpty })
        #expect(try scene.document("one").string(forKey: "title") == "by itself")
        #expect(!task.needsSave)
    }

    @Test func closingSavesWhatSavesItselfAndForgetsTheRest() throws {
        weak var forgotten: Patient?
        do {
            let (saving, other) = (Patient(in: collection, id: "saving"), Patient(in: collection, id: "other"))
            saving.autosaves = true
            (saving.rank, other.rank) = (1, 2)
            forgotten = other
        }
        #expect(collection.unsavedModels.count == 2)
        try scene.database.close()
        #expect(forgotten == nil)
        let again = try scene.another()
        defer { try? again.close() }
        let documents = try again.defaultCollection()
        #expect(try documents.document(id: "saving")?.int(forKey: "rank") == 1)
        #expect(try documents.document(id: "other") == nil)
    }

    @Test func whatCannotBeReadIsNotDeleted() throws {
        try scene.save("one", ["title": "stored"])
        let task = try #require(try collection.model(Task.self, id: "one"))
        try scene.database.close()
        task.reload()
        #expect(!task.isDeleted && task.title == "stored")
    }

    @Test func observersAreTold() throws {
        try scene.save("one", ["title": "stored"])
        let task = try #require(try collection.model(Task.self, id: "one"))
        let told = Told<String>()
        withObservationTracking {
            _ = task.title
        } onChange: {
            told.add("title")
        }
        task.rank = 3
        #expect(told.all.isEmpty)
        task.title = "changed"
        #expect(told.all == ["title"])
        withObservationTracking {
            _ = task.rank
        } onChange: {
            told.add("external")
        }
        try scene.save("one", ["rank": 4])
        #expect(told.wait { $0.count == 2 })
    }

    /// Though word of one save may come in the middle of the next.
    @Test func whatWasSavedStays() throws {
        let task = Task(in: collection, id: "one")
        for rank in 0..<200 {
            task.rank = rank
            // A commit waits for it.
            task.setAttachment(Blob(contentType: "text/plain", data: Data("\(rank)".utf8)), named: "a")
            try task.save()
            #expect(task.rank == rank)
        }
    }

    @Test func attachmentsHaveNames() throws {
        let task = Task(in: collection, id: "one")
        task.setAttachment(Blob(contentType: "text/plain", data: Data("a".utf8)), named: "a")
        task.setAttachment(Blob(contentType: "text/plain", data: Data("b".utf8)), named: "b")
        try task.save()
        task.setAttachment(nil, named: "a")
        try task.save()
        #expect(task.attachmentNames == ["b"] && task.attachment(named: "b")?.content == Data("b".utf8))
        #expect(try scene.document("one").dictionary(forKey: "attachments")?.keys == ["b"])
    }
}
