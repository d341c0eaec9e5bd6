import CouchbaseLiteSwift

let usage = """
    todo                     shows the list
    todo add TITLE           adds a task
    todo done NUMBER         ticks one off
    todo clear               removes what is done
    todo watch               shows the list, and again whenever it changes, until ^C
    todo sync URL            syncs with a gateway, or with a listener: ws://localhost:4984/todo

    The list is in $TODO_HOME, or in the folder for databases of apps.

    """

func fail(_ message: String) -> Never {
    FileHandle.standardError.write(Data((message + "\n").utf8))
    exit(1)
}

func show(_ rows: [TodoList.Row]) { print(TodoList.text(rows), terminator: "") }

/// Syncs once, and says how it went.
func sync(_ list: TodoList, _ text: String) throws {
    guard let url = URL(string: text), ["ws", "wss"].contains(url.scheme) else {
        fail("\(text) is no URL that begins with ws:// or wss://")
    }
    let configuration = ReplicatorConfiguration(
        collections: CollectionConfiguration.fromCollections([list.tasks]), target: URLEndpoint(url: url))
    let replicator = Replicator(config: configuration)
    let ended = DispatchSemaphore(value: 0)
    let token = replicator.addChangeListener(withQueue: .global()) { change in
        if change.status.activity == .stopped { ended.signal() }
    }
    defer { token.remove() }
    replicator.start()
    ended.wait()
    if let error = replicator.status.error { fail("The list could not be synced: \(error.localizedDescription)") }
}

do {
    let list = try TodoList(directory: ProcessInfo.processInfo.environment["TODO_HOME"] ?? DatabaseConfiguration().directory)
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case (nil, _): show(try list.rows())
    case ("add", 2...): try list.add(arguments.dropFirst().joined(separator: " "))
    case ("done", 2):
        guard let number = Int(arguments[1]), let task = try list.task(number) else { fail("There is no task \(arguments[1]).") }
        try list.finish(task)
    case ("clear", 1): try list.removeDone()
    case ("sync", 2): try sync(list, arguments[1])
    case ("watch", 1):
        let query = try list.query()
        query.addChangeListener { change in
            guard let rows = try? change.results?.data(as: TodoList.Row.self) else { return }
            print("\n" + TodoList.text(rows), terminator: "")
        }
        dispatchMain()
    default: fail(usage)
    }
    try list.database.close()
} catch {
    fail(error.localizedDescription)
}
