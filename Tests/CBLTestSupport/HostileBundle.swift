import FoundationEssentials

/// A bundle that a stranger made: a sound one with threats in it, in a scene with something to lose. The seed decides whatever is left open.
///
///     let bundle = try HostileBundle(.ours, [threat], seed: 7)
///     let (result, harm) = try bundle.run(["ls", bundle.path])
package final class HostileBundle {
    package let scene: HostileScene
    package let base: HostileBase
    package let threats: [Threat]
    package private(set) var random: SeededRandom
    private let pristine: String

    package var path: String { scene.work + "/" + HostileBundle.name }
    package var file: String { path + "/db.sqlite3" }
    /// As a command in `work` calls it.
    package static let name = "hostile.cblite2"
    /// The base as it was, and a document in JSON, both beside the bundle.
    package static let soundName = "sound.cblite2"
    package static let dataName = "data.jsonl"

    package init(_ base: HostileBase, _ threats: [Threat], seed: UInt64 = 1) throws {
        scene = try HostileScene()
        self.base = base
        self.threats = threats
        random = SeededRandom(seed)
        pristine = scene.path + "/work.pristine"
        try base.make(at: path)
        try base.make(at: scene.work + "/" + HostileBundle.soundName)
        try Data("{\"_id\": \"new\", \"name\": \"x\"}\n".utf8).write(to: URL(filePath: scene.work + "/" + HostileBundle.dataName))
        for threat in threats.sorted(by: { $0.place < $1.place }) { try threat.apply(self) }
        if let harm = try scene.harm() { throw RawDatabase.Failure(description: "making the bundle did harm: \(harm)") }
        try FileManager.default.moveItem(atPath: scene.work, toPath: pristine)
        try restore()
    }

    /// Makes the folder `work` anew, with the bundle as the stranger sent it.
    package func restore() throws {
        if FileManager.default.fileExists(atPath: scene.work) { try FileManager.default.removeItem(atPath: scene.work) }
        try FileManager.default.copyItem(atPath: pristine, toPath: scene.work)
    }

    /// Runs a command beside the victims: what it said, and what harm it did, if any.
    package func run(_ words: [String], input: String = "", interruptAfter seconds: Double? = nil) throws -> (
        result: Program.Result, harm: String?
    ) {
        try scene.run(words, input: input, interruptAfter: seconds)
    }

    /// Works on the main file as it is now.
    package func edit(_ body: (RawDatabase) throws -> Void) throws {
        let database = try RawDatabase(file)
        try body(database)
    }

    func withRandom<Result>(_ body: (inout SeededRandom) throws -> Result) rethrows -> Result { try body(&random) }
}

/// One thing that a stranger may do to a bundle.
package struct Threat: Sendable, CustomStringConvertible {
    /// In words, as tests print it.
    package let description: String
    /// What it takes for itself, so that two threats that would hide each other are not put into one bundle.
    package let occupies: Set<String>
    /// The entries of the schema that no release makes: `check` names them, writing commands refuse the file, and `check --repair` removes them.
    package let foreign: [String]
    /// Whether the documents of the spare collection are still there.
    package let sparesDocuments: Bool
    /// Whether it takes the place of a table without which a file is no database: then reading may be refused, with a word on what helps.
    package var takesNeededTable: Bool { !occupies.isDisjoint(with: ["kv_default", "kv_info", "kvmeta"]) }
    /// Whether the base has what it needs.
    package let fits: @Sendable (HostileBase) -> Bool
    package let apply: @Sendable (HostileBundle) throws -> Void

    package init(
        _ description: String, occupies: Set<String> = [], foreign: [String] = [], sparesDocuments: Bool = true,
        fits: @escaping @Sendable (HostileBase) -> Bool = { _ in true }, apply: @escaping @Sendable (HostileBundle) throws -> Void
    ) {
        self.description = description
        self.occupies = occupies
        self.foreign = foreign
        self.sparesDocuments = sparesDocuments
        self.fits = fits
        self.apply = apply
    }

    /// All there are. A new kind is added to its file, and every command meets it.
    ///
    /// In the order in which they are put into one bundle: rows as long as their tables are sound, and journals last, since they would be played
    /// back by who makes the next threat.
    package static let all = rows + names + indexRows + schemaTexts + schemaObjects + logs + journals

    private static let places = Dictionary(all.enumerated().map { ($1.description, $0) }) { first, _ in first }
    /// Who takes the place of a table comes after those who need it, and before the journals.
    private var stage: Int { occupies.contains("journal") ? 2 : description.hasPrefix("an endless view") ? 1 : 0 }
    fileprivate var place: Int { stage * 100_000 + (Threat.places[description] ?? 0) }

    /// Parts the threats into as few groups as there are threats that would hide each other, in an order that the seed decides.
    package static func groups(of threats: [Threat], seed: UInt64) -> [[Threat]] {
        var random = SeededRandom(seed)
        var groups: [[Threat]] = []
        for threat in threats.shuffled(using: &random) {
            if let index = groups.firstIndex(where: { group in group.allSatisfy { $0.occupies.isDisjoint(with: threat.occupies) } }) {
                groups[index].append(threat)
            } else {
                groups.append([threat])
            }
        }
        return groups
    }
}
