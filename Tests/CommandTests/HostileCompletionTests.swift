import CBLTestSupport
import FoundationEssentials
import Testing

/// Tab in the interactive shell on hostile bundles: names of documents, collections, indexes and properties come from the file, and whoever
/// presses a key has not decided to do anything with them.
@Suite struct HostileCompletionTests {
    /// A group of threats by its number, which is short enough to stand in a report.
    struct Group: CustomTestStringConvertible {
        let number: Int
        let threats: [Threat]

        var testDescription: String { "group \(number)" }
    }

    /// Threats that leave the bundle open for reading, a few of their groups in an ordinary run.
    private static let groups = Threat.groups(
        of: Threat.all.filter { $0.fits(.ours) && !$0.takesNeededTable && !$0.occupies.contains("journal") },
        seed: HostileBundleTests.seed
    ).prefix(HostileBundleTests.rounds == nil ? 4 : 1000).enumerated().map { Group(number: $0, threats: $1) }

    private static let typed = [
        "cat ", "cat x", "ls -C ", "use ", "index ", "rmindex ", "SELECT ", "SELECT * FROM ", "stats ", "info index ", "open ", "cp ",
        "view show ", "view query ",
    ]

    @Test(arguments: groups) func tabDoesNoHarm(_ group: Group) throws {
        let bundle = try HostileBundle(.ours, group.threats, seed: HostileBundleTests.seed)
        let environment = bundle.scene.environment.merging(["XDG_STATE_HOME": bundle.scene.work, "XDG_CONFIG_HOME": bundle.scene.work]) {
            $1
        }
        let terminal = try PseudoTerminal([bundle.path], environment: environment)
        // What is typed before the prompt stands is shown by the terminal itself, and thrown away by Ctrl-C.
        try terminal.waitForLine("hostile>")
        for (number, words) in Self.typed.enumerated() {
            // What is typed behind a Tab is shown when the Tab is done, with whatever it has put between them.
            terminal.type(words + "\t\tq\(number)q")
            try terminal.wait(for: "what follows the Tab behind '\(words)'") { screen in
                screen.lines.joined().contains("q\(number)q")
            }
            terminal.type("\u{3}")
            try terminal.waitForLine("hostile>")
        }
        terminal.type("quit\r")
        #expect(try terminal.finish() == 0)
        #expect(!String(decoding: terminal.transcript, as: UTF8.self).contains(HostileScene.canary))
        if let harm = try bundle.scene.harm() { Issue.record("Tab \(harm)\n\(group.threats)") }
    }
}
