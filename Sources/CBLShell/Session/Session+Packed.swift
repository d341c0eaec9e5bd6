import CBLBase
import CBLStore
import CBLWorkbench

/// A database out of a ZIP file, in a folder of its own.
struct UnpackedCopy {
    /// As it was asked for.
    let source: String
    let path: String
    fileprivate let folder: PrivateFolder
}

extension Session {
    private static let purpose = "zip"

    /// The path of a database, which may be in a ZIP file: `backup.zip`, or `backup.zip/data/travel.cblite2`. Then it is that of a private copy,
    /// for reading, which goes when the program ends.
    func unpacked(_ path: String) throws -> String {
        guard PackedDatabases.mayBe(path), let (file, inside) = PackedDatabases.parted(path) else { return path }
        if let known = unpackedCopies.first(where: { $0.source == path }) { return known.path }
        do {
            let packed = try PackedDatabases(file)
            let database = try chosen(inside, of: packed, in: file)
            PrivateFolder.removeStale(of: Session.purpose)
            let folder = try PrivateFolder.make(for: Session.purpose)
            let name = database.name.isEmpty ? PathText.without(".zip", PathText.name(file)) : PathText.name(database.name)
            // It is shown at the prompt.
            let safe = PrivateFolder.safeName(PathText.without(".cblite2", name))
            let copy = UnpackedCopy(source: path, path: "\(folder.path)/\(safe).cblite2", folder: folder)
            unpackedCopies.append(copy)
            let progress = progress("Unpacking", total: database.size, unit: "bytes")
            defer { progress.finish() }
            try packed.unpack(database, to: copy.path) { count in
                try Interruption.check()
                progress.advance(by: count)
            }
            return copy.path
        } catch let error as FileError {
            throw CommandError(.cannotOpen, error.message)
        }
    }

    private func chosen(_ inside: String, of packed: PackedDatabases, in file: String) throws(CommandError) -> PackedDatabases.Database {
        let all = packed.databases
        guard !all.isEmpty else { throw CommandError(.cannotOpen, "\(file): there is no database in it") }
        let named = PathText.without("/", inside)
        let wanted = Database.bundlePath(ofMainFile: named) ?? named
        let matching = wanted.isEmpty ? all : all.filter { $0.name == wanted || PathText.hasEnding("/" + wanted, $0.name) }
        if matching.count == 1 { return matching[0] }
        if let exact = matching.first(where: { $0.name == wanted }) { return exact }
        let message = matching.isEmpty ? "there is no \"\(wanted)\" in it" : "there are \(matching.count) databases in it"
        let candidates = matching.isEmpty ? all : matching
        let names = candidates.prefix(10).map { "\(file)/\($0.name)" }.joined(separator: ", ")
        throw CommandError(.cannotOpen, "\(file): \(message)", hint: "Say which: \(names)\(candidates.count > 10 ? ", …" : "")")
    }

    /// Whether a path is that of such a copy, and what it was called.
    func packedSource(of path: String) -> String? { unpackedCopies.first { $0.path == path }?.source }

    /// As somebody has called it: of a private copy, what it is a copy of.
    func shownPath(of database: Database) -> String { packedSource(of: database.path) ?? database.path }

    static func packedError(_ source: String) -> CommandError {
        CommandError(.cannotOpen, "\(source): what is in a ZIP file can only be read", hint: "Unpack it, or make a copy with cp.")
    }

    /// At the end.
    func removeUnpackedCopies() {
        for copy in unpackedCopies { copy.folder.remove() }
        unpackedCopies = []
    }
}

extension ParsedCommand {
    /// The same command for copies of databases that are in ZIP files.
    func unpacking(in session: Session) throws -> ParsedCommand {
        // Who waits for a completion would wait for the copy, too.
        guard command.group != .hidden else { return self }
        var result = try databasePath.map { withDatabase(try session.unpacked($0)) } ?? self
        for kind in [ValueKind.database, .databaseOrName] { result = try result.replacing(kind) { try session.unpacked($0) } }
        return result
    }
}
