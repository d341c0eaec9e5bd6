import CBLBenchProcesses
import Glibc

// cblite-bench-sizes [--program PATH] [--folder DIR] [--keep] WORLD…
//
// Makes databases that are large in one way (Worlds.swift), does with each what people do, in whole processes, and says what each took as a whole and for each
// document: it should be the same at every size. What a person waits for is in milliseconds: it should be the same, too. The folder needs twice the room
// of the largest database, and of its JSON.
//
// A world is made by a process of its own: what a program has used before it starts another counts as that one's memory.

var program = ".build/release/cblite"
var folder = ".build/sizes"
var isKept = false
var chosen: [String] = []
var words = CommandLine.arguments.dropFirst()
while let word = words.popFirst() {
    switch word {
    case "--program": program = words.popFirst() ?? program
    case "--folder": folder = words.popFirst() ?? folder
    case "--keep": isKept = true
    default: chosen.append(word)
    }
}
do {
    let isMaking = chosen.first == "make"
    let worlds = try chosen.dropFirst(isMaking ? 1 : 0).map { word in
        guard let world = World.all.first(where: { $0.word == word }) else { throw Failure(text: "no world \"\(word)\"") }
        return world
    }
    guard !worlds.isEmpty else { throw Failure(text: "which? There are " + World.all.map(\.word).joined(separator: ", ")) }
    for (word, world) in worlds { if isMaking { try world.make(Place(folder)) } else { try measure(world, word) } }
} catch {
    print("cblite-bench-sizes: \((error as? Failure)?.text ?? String(describing: error))")
    exit(1)
}

@MainActor func measure(_ world: World, _ word: String) throws {
    let made = try Run(of: "/proc/self/exe", ["--folder", folder, "make", word], output: nil)
    guard made.hasSucceeded else { throw Failure(text: "\(word) cannot be made") }
    let place = Place(at: folder)
    defer { if !isKept { place.remove() } }
    print(
        "\n\(world.name), made in \(cell(made.milliseconds / 1000, 1, width: 0)) s; \(Place.size(of: place.data) / 1_000_000) MB of JSON\n"
    )
    print("| step | s | CPU s | CPU µs each \(world.unit) | ms | MiB | of the server |")
    print("|---|---:|---:|---:|---:|---:|---:|")
    for step in world.steps {
        print(try row(of: step, in: world, place))
        fflush(nil)
        if step.kind != .leaves { try place.removeOutput() }
        if step.name == "import" {
            place.removeData()
            print("| (the database has \(place.databaseSize / 1_000_000) MB) |")
        }
    }
}

@MainActor func row(of step: Step, in world: World, _ place: Place) throws -> String {
    let served = step.kind == .isServed ? try place.serve(program) : nil
    if step.kind == .remakes { try place.removeDatabase() }
    let before = served?.server.processorMilliseconds ?? 0
    let start = Run.now()
    var runs: [Run] = []
    for command in step.commands { runs.append(try Run(of: program, place.resolved(command, url: served?.url ?? ""))) }
    let milliseconds = Run.now() - start
    let processor = runs.map(\.processorMilliseconds).reduce(0, +) + (served?.server.processorMilliseconds ?? 0) - before
    let cells: [String]
    if step.kind == .isConstant {
        cells = ["", "", "", cell(milliseconds, 1, width: 0)]
    } else {
        let each = processor * 1000 / Double(world.count)
        cells = [cell(milliseconds / 1000, 1, width: 0), cell(processor / 1000, 1, width: 0), cell(each, 2, width: 0), ""]
    }
    let memory = [cell(runs.map(\.peakMiB).max() ?? 0, 0, width: 0), served.map { cell($0.server.peakMiB, 0, width: 0) } ?? ""]
    let name = runs.allSatisfy(\.hasSucceeded) ? step.name : step.name + " FAILED"
    return "| " + ([name] + cells + memory).joined(separator: " | ") + " |"
}
