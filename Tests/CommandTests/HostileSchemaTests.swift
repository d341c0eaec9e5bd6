import CBLTestSupport
import FoundationEssentials
import Testing

/// What people can still do with a hostile bundle: see the documents that nothing is wrong with, learn what is wrong, have it removed, or carry
/// the documents out.
@Suite struct HostileSchemaTests {
    private static let base = HostileBase.ours
    private static let all = Threat.all.filter { $0.fits(base) }
    private static let foreign = all.filter { !$0.foreign.isEmpty }
    private static let sparing = all.filter(\.sparesDocuments)

    private func run(_ bundle: HostileBundle, _ words: [String]) throws -> Program.Result {
        let (result, harm) = try bundle.run(words)
        #expect(harm == nil, "'cblite \(words.joined(separator: " "))' \(harm ?? "")")
        return result
    }

    /// Documents that no name leads to are spoken of.
    @Test func tablesThatNoCollectionCanBeCalledAfterAreNamed() throws {
        let scratch = try Scratch(["doc": "{}"])
        let file = try RawDatabase(scratch.path + "/db.sqlite3")
        let rows: [[String?]] = try file.rows("SELECT sql FROM sqlite_master WHERE name='kv_default'")
        let sql = try #require(rows.first?[0])
        for name in ["kv_.$(touch x)", "kv_.../../up", "kv_del_.a\u{1B}[31m"] {
            try file.execute(sql.replacing("kv_default", with: name.replacing("\"", with: "\"\""), maxReplacements: 1))
        }
        let result = try Program.run(["check", scratch.path])
        #expect(result.exitCode == 0 && result.lines.count { $0.contains("no collection can be called so") } == 3, "\(result.output)")
        #expect(!result.output.contains("\u{1B}") && result.lines.contains { $0.hasPrefix("note: kv_.../../up: ") }, "\(result.output)")
    }

    @Test(arguments: sparing) func goodDocumentsAreShown(_ threat: Threat) throws {
        let bundle = try HostileBundle(Self.base, [threat])
        let spare = try #require(Self.base.spare)
        let listed = try run(bundle, ["ls", "-C", spare.collection, HostileBundle.name])
        // Without the names of properties no document can be read.
        if threat.occupies.contains("kv_info"), listed.exitCode != 0 {
            #expect(listed.errors.contains("check --salvage"), "\(listed.errors)")
            return
        }
        #expect(listed.output.contains(spare.document), "\(listed.errors)")
        let shown = try run(bundle, ["cat", "-C", spare.collection, HostileBundle.name, spare.document])
        #expect(shown.output.contains("\"name\""), "\(shown.errors)")
    }

    @Test(arguments: foreign) func checkNamesWhatNoReleaseMakes(_ threat: Threat) throws {
        let bundle = try HostileBundle(Self.base, [threat])
        for flags in [[], ["--quick"]] {
            let result = try run(bundle, ["check"] + flags + [HostileBundle.name])
            #expect(result.exitCode != 0)
            for name in threat.foreign { #expect((result.output + result.errors).contains(name), "\(flags)") }
        }
    }

    @Test(arguments: foreign) func writingIsRefusedWithAWordOnWhatToDo(_ threat: Threat) throws {
        let bundle = try HostileBundle(Self.base, [threat])
        for words in [["put", HostileBundle.name, "new", "{}"], ["rm", HostileBundle.name, "welcome"], ["compact", HostileBundle.name]] {
            let result = try run(bundle, words)
            #expect(result.exitCode != 0, "\(words)")
            #expect(result.errors.contains("check --repair"), "\(words): \(result.errors)")
            // The first is named, and the others are counted; or SQLite names the entry that it stumbles over.
            let isNamed = threat.foreign.contains(where: result.errors.contains) || result.errors.contains("malformed database schema")
            #expect(isNamed, "\(words): \(result.errors)")
        }
    }

    @Test(arguments: foreign) func repairRemovesWhatNoReleaseMakes(_ threat: Threat) throws {
        let bundle = try HostileBundle(Self.base, [threat])
        let repair = try run(bundle, ["check", "--repair", "--no-backup", "--drop-damaged", HostileBundle.name])
        if threat.takesNeededTable, repair.exitCode != 0 {
            #expect((repair.output + repair.errors).contains("check --salvage"), "\(repair.output)\(repair.errors)")
            return
        }
        let after = try run(bundle, ["check", HostileBundle.name])
        #expect(after.exitCode == 0, "\(after.output)\(after.errors)")
        for words in [
            ["put", HostileBundle.name, "new", #"{"name": "new"}"#], ["cat", HostileBundle.name, "new"], ["compact", HostileBundle.name],
        ] {
            let result = try run(bundle, words)
            #expect(result.exitCode == 0, "\(words): \(result.errors)")
        }
    }

    @Test(arguments: sparing) func salvageGetsTheDocumentsOut(_ threat: Threat) throws {
        let bundle = try HostileBundle(Self.base, [threat])
        let spare = try #require(Self.base.spare)
        let salvage = try run(bundle, ["check", "--drop-damaged", "--salvage", "rescued.cblite2", HostileBundle.name])
        let listed = try run(bundle, ["ls", "-C", spare.collection, "rescued.cblite2"])
        #expect(listed.output.contains(spare.document), "\(salvage.errors)\(listed.errors)")
        let checked = try run(bundle, ["check", "rescued.cblite2"])
        #expect(checked.exitCode == 0, "\(checked.output)\(checked.errors)")
    }

    /// The table of an index, as the file calls it, may be that of the documents.
    @Test(arguments: Threat.all.filter { $0.description.hasPrefix("an index") && $0.foreign.isEmpty })
    func droppingAnIndexDropsNoDocuments(_ threat: Threat) throws {
        let bundle = try HostileBundle(Self.base, [threat])
        var names: [String] = []
        try bundle.edit { names = try $0.rows("SELECT name FROM indexes").compactMap { $0[0] } }
        for name in names { _ = try run(bundle, ["rmindex", HostileBundle.name, name]) }
        #expect(try run(bundle, ["ls", HostileBundle.name]).output.contains("welcome"))
        #expect(try run(bundle, ["info", HostileBundle.name]).exitCode == 0)
    }
}
