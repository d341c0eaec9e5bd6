import Foundation

// cblite-bench-library [--vendor PROGRAM] [--runs N] [--directory PATH] [WORKLOAD …]
// Each workload runs in a process of its own: this program again, and the other one in turn.

setvbuf(stdout, nil, _IOLBF, 0)
var arguments = Array(CommandLine.arguments.dropFirst())

func option(_ name: String) -> String? {
    guard let place = arguments.firstIndex(of: name), place + 1 < arguments.count else { return nil }
    defer { arguments.removeSubrange(place...place + 1) }
    return arguments[place + 1]
}

switch (arguments.first, arguments.count) {
case ("prepare", 3): try Scene(directory: arguments[2]).prepare(Workload.Base(rawValue: arguments[1]) ?? .none)
case ("run", 3):
    guard let workload = Workload.all.first(where: { $0.name == arguments[1] }) else { exit(64) }
    let scene = Scene(directory: arguments[2])
    let check = try workload.run(scene)
    scene.clock.report(check: check)
default:
    let runs = option("--runs").flatMap(Int.init) ?? 5
    let directory = option("--directory") ?? NSTemporaryDirectory() + "cblite-bench-library-\(getpid())"
    let vendor = option("--vendor")
    let own = Bundle.main.executablePath ?? CommandLine.arguments[0]
    let contestants =
        [Contestant(program: own, directory: directory + "/ours")]
        + (vendor.map { [Contestant(program: $0, directory: directory + "/other")] } ?? [])
    try Contest.run(contestants, rounds: runs, only: arguments)
    try? FileManager.default.removeItem(atPath: directory)
}
