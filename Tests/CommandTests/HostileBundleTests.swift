import CBLTestSupport
import FoundationEssentials
import Testing

/// Every command on every hostile bundle, beside files that it must not touch: it ends by itself, in bounded time and memory, and nothing outside
/// the bundle is changed, made, deleted or printed. The threats are in `TestSupport`, the commands come from their declarations, so that each new
/// one of either meets all of the other.
///
/// An ordinary run takes a sample. `CBLITE_HOSTILE_ROUNDS=50` is for more, `CBLITE_HOSTILE_SEED=7` for others.
@Suite struct HostileBundleTests {
    static let rounds = ProcessInfo.processInfo.environment["CBLITE_HOSTILE_ROUNDS"].flatMap(Int.init)
    static let seed = ProcessInfo.processInfo.environment["CBLITE_HOSTILE_SEED"].flatMap(UInt64.init) ?? 1

    /// A group of threats in a base, and the seed that made them.
    struct Case: Sendable, CustomStringConvertible {
        let base: HostileBase
        let threats: [Threat]
        let seed: UInt64

        var description: String { "seed \(seed), \(base): \(threats.map(\.description).joined(separator: "; "))" }
    }

    /// All threats in our own base, as few bundles as they go into, and more of them with each round.
    static let cases: [Case] = (0..<UInt64(rounds ?? 1)).flatMap { round in
        let seed = seed + round
        let base = HostileBase.all[Int(round) % HostileBase.all.count]
        return Threat.groups(of: Threat.all.filter { $0.fits(base) }, seed: seed).map { Case(base: base, threats: $0, seed: seed) }
    }

    /// A command line that was run: what went wrong names the line, the threats and the seed.
    private func expectNoHarm(_ bundle: HostileBundle, _ line: CommandLines.Line, _ what: Case) throws {
        let (_, harm) = try bundle.run(line.words, input: #"{"_id": "typed", "a": 1}"# + "\n", interruptAfter: line.isEndless ? 0.2 : nil)
        guard let harm else { return }
        Issue.record("'cblite \(line)' \(harm)\n\(what)")
    }

    @Test(arguments: cases) func noCommandDoesHarm(_ what: Case) throws {
        var random = SeededRandom(what.seed)
        let bundle = try HostileBundle(what.base, what.threats, seed: what.seed)
        let lines = CommandLines(base: what.base)
        for entry in CommandLines.entries {
            let all = lines.lines(of: entry).filter { !$0.isEndless || random.below(4) == 0 }
            // All lines of all commands in a long run.
            for line in Self.rounds == nil ? Array(all.shuffled(using: &random).prefix(2)) : all {
                try expectNoHarm(bundle, line, what)
                try bundle.restore()
            }
        }
    }

    /// The same in the interactive shell, one line after the other, on a bundle that those before may have changed.
    @Test(arguments: cases) func noLineOfTheShellDoesHarm(_ what: Case) throws {
        var random = SeededRandom(what.seed)
        let bundle = try HostileBundle(what.base, what.threats, seed: what.seed)
        let lines = CommandLines(base: what.base)
        let typed = CommandLines.entries.filter { !["quit", "tour", "edit", "openremote"].contains($0.words[0]) }.flatMap { entry in
            lines.lines(of: entry, isInteractive: true).filter { !$0.isEndless }.shuffled(using: &random).prefix(
                Self.rounds == nil ? 1 : 1000)
        }
        let statements = [
            "SELECT *;", "SELECT META().id, name FROM _ ORDER BY name;", "UPDATE _ SET a = 1;",
            "INSERT INTO _ VALUES {'_id': 'q', 'a': 1};",
            "DELETE FROM _ WHERE a = 2;", "begin", "put typed {\"a\": 1}", "commit", "begin", "rm typed", "rollback",
        ]
        let script = (typed.shuffled(using: &random).map { $0.words.map(CommandLines.quoted).joined(separator: " ") } + statements)
            .joined(separator: "\n")
        for flags in [["--keep-going"], ["--keep-going", "--writeable"]] {
            let (_, harm) = try bundle.run(flags + [HostileBundle.name], input: script + "\n")
            if let harm { Issue.record("'cblite \(flags.joined(separator: " "))' \(harm)\n\(what)\n\(script)") }
            try bundle.restore()
        }
    }

    /// A command that nothing reaches would pass all of these tests.
    @Test(arguments: CommandLines.entries) func everyCommandIsReached(_ entry: CommandLines.Entry) throws {
        let bundle = try HostileBundle(.ours, [])
        let lines = CommandLines(base: .ours)
        var said = ""
        for line in lines.lines(of: entry).filter({ !$0.isEndless }) + lines.lines(of: entry).filter(\.isEndless).prefix(1) {
            let (result, harm) = try bundle.run(line.words, interruptAfter: line.isEndless ? 0.2 : nil)
            try #require(harm == nil, "'cblite \(line)' \(harm ?? "")")
            if result.exitCode != 2 { return }
            said += "'cblite \(line)': \(result.errors)\n"
        }
        for line in lines.lines(of: entry, isInteractive: true) {
            let typed = line.words.map(CommandLines.quoted).joined(separator: " ")
            let (result, _) = try bundle.run(["--writeable", HostileBundle.name], input: typed + "\n")
            if result.exitCode != 2 { return }
            said += "'\(typed)': \(result.errors)\n"
        }
        Issue.record("CommandLines finds no arguments for '\(entry)': a kind of argument may need values that suit it.\n\(said)")
    }

    /// A threat that changes nothing would pass them too.
    @Test(arguments: Threat.all) func everyThreatIsThere(_ threat: Threat) throws {
        let sound = try HostileBundle(.ours, [])
        let hostile = try HostileBundle(.ours, [threat])
        #expect(try files(of: sound) != files(of: hostile))
        #expect(try hostile.scene.harm() == nil)
    }

    private func files(of bundle: HostileBundle) throws -> [String: Data] {
        try Dictionary(
            uniqueKeysWithValues: FileManager.default.contentsOfDirectory(atPath: bundle.path).filter { $0 != "Attachments" }.map {
                ($0, try Data(contentsOf: URL(filePath: bundle.path + "/" + $0)))
            })
    }
}

extension CommandLines {
    /// A word as the interactive shell reads it.
    static func quoted(_ word: String) -> String {
        word.contains { " '\"\\{}[]*;".contains($0) } ? "'" + word.replacing("'", with: "''") + "'" : word
    }
}
