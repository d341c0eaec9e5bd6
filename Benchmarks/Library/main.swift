import Foundation

// cblite-bench-library [--vendor PROGRAM] [--runs N] [--directory PATH] [WORKLOAD …]
// Each workload runs in a process of its own: this program again, and the other one in turn.

struct Arguments {
    var words = Array(CommandLine.arguments.dropFirst())

    /// Takes an option and its value out.
    mutating func option(_ name: String) -> String? {
        guard let place = words.firstIndex(of: name), place + 1 < words.count else { return nil }
        defer { words.removeSubrange(place...place + 1) }
        return words[place + 1]
    }
}

var arguments = Arguments()
switch (arguments.words.first, arguments.words.count) {
case ("prepare", 3): try Scene(directory: arguments.words[2]).prepare(Workload.Base(rawValue: arguments.words[1]) ?? .none)
case ("run", 3):
    guard let workload = Workload.all.first(where: { $0.name == arguments.words[1] }) else { exit(64) }
    let scene = Scene(directory: arguments.words[2])
    let check = try workload.run(scene)
    scene.clock.report(check: check)
default:
    let runs = arguments.option("--runs").flatMap(Int.init) ?? 5
    let directory = arguments.option("--directory") ?? NSTemporaryDirectory() + "cblite-bench-library-\(getpid())"
    let vendor = arguments.option("--vendor")
    var contestants = [Contestant(program: Bundle.main.executablePath ?? CommandLine.arguments[0], directory: directory + "/ours")]
    if let vendor { contestants.append(Contestant(program: vendor, directory: directory + "/other")) }
    try Contest.run(contestants, rounds: runs, only: arguments.words)
    try? FileManager.default.removeItem(atPath: directory)
}
