import CBLBase
import CBLTestSupport
import Glibc

// How long a person at the interactive shell waits for what should take no time, however large the database: for the prompt, for what Tab offers, and for
// Ctrl-C to end what takes long. Milliseconds, from the key to the screen at a pseudo-terminal; each run is a program of its own.
//
//     cblite-bench-prompt million.cblite2 --program .build/release/cblite --runs 7

/// Something that is typed in a session that stands at its prompt.
struct Wait {
    let name: String
    /// Typed before, without a word about its time.
    let line: String
    /// So long what that line began goes on, in seconds.
    var pause = 0.0
    let key: String
    /// What the screen shows in the end.
    let isOver: (PseudoTerminal, _ prompt: String) -> Bool

    /// What Tab offers.
    static func offers(_ name: String, _ line: String, _ text: String) -> Wait {
        Wait(name: name, line: line, key: "\t") { terminal, _ in terminal.screen.lines.contains { $0.contains(text) } }
    }

    /// Ctrl-C, after which the prompt is back.
    static func ends(_ name: String, _ line: String) -> Wait {
        Wait(name: name, line: line + "\n", pause: 0.2, key: "\u{3}") { terminal, prompt in
            terminal.screen.currentLine == prompt && terminal.screen.lines.contains { $0.contains("interrupted") }
        }
    }
}

let waits = [
    Wait.offers("Tab: a document ID", "cat user_099999", "user_0999990"),
    .offers("Tab: many document IDs", "ls user_05", "user_0500001"),
    .offers("Tab: a property", "SELECT birthd", "birthday"),
    .offers("Tab: a property in a WHERE", "rm --where contact.addr", "address"),
    .ends("Ctrl-C: a query that joins", "SELECT count(*) FROM _ a JOIN _ b ON upper(a.name.first) = lower(b.name.last)"),
    .ends("Ctrl-C: a query that sorts", "SELECT name FROM _ ORDER BY lower(contact.address.street), upper(name.last)"),
    .ends("Ctrl-C: grep", "grep /nobody.*is.*called.*so/"),
    .ends("Ctrl-C: making an index", "mkindex byStreet contact.address.street"),
    .ends("Ctrl-C: schema", "schema --all"),
]

func milliseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = MonotonicClock.seconds
    try body()
    return (MonotonicClock.seconds - start) * 1000
}

func text(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
}

func report(_ name: String, _ times: [Double]) {
    let sorted = times.sorted()
    print("| \(name) | \(text(sorted[sorted.count / 2])) | \(text(sorted[sorted.count - 1])) |")
}

var words = Array(CommandLine.arguments.dropFirst())
@MainActor func value(_ flag: String) -> String? {
    guard let place = words.firstIndex(of: flag), place + 1 < words.count else { return nil }
    defer { words.removeSubrange(place...place + 1) }
    return words[place + 1]
}
let program = value("--program") ?? ".build/release/cblite"
let runs = value("--runs").flatMap { Int($0) } ?? 7
guard words.count == 1, runs > 0 else {
    print("usage: cblite-bench-prompt DATABASE [--program PATH] [--runs N]")
    exit(2)
}
let database = words[0]
let prompt = database.split(separator: "/").last.map { $0.replacing(".cblite2", with: "") + ">" } ?? ""

let home = try TemporaryDirectory()

@MainActor func start() throws -> PseudoTerminal {
    try PseudoTerminal(["--writeable", database], program: program, environment: ["HOME": home.path], columns: 120, rows: 60)
}

print("| what is waited for | ms | worst |\n|---|---:|---:|")
report(
    "the prompt",
    try (0..<runs).map { _ in
        var terminal: PseudoTerminal?
        return try milliseconds {
            terminal = try start()
            try terminal?.waitForLine(prompt)
        }
    })
for wait in waits {
    report(
        wait.name,
        try (0..<runs).map { _ in
            let terminal = try start()
            try terminal.waitForLine(prompt)
            terminal.type(wait.line)
            if wait.pause == 0 {
                try terminal.waitForLine(prompt + " " + wait.line)
            } else {
                usleep(UInt32(wait.pause * 1e6))
            }
            return try milliseconds {
                terminal.type(wait.key)
                try terminal.wait(for: wait.name, timeout: 20) { _ in wait.isOver(terminal, prompt) }
            }
        })
}
