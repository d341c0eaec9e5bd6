import CBLBase
import CBLLanguage
import CBLWorkbench
import Glibc

/// Queries that somebody keeps under a name: files of SQL++ in a folder of one's own, to be changed with any editor, or copied to somebody else.
struct SavedQueries {
    static let ending = ".sqlpp"

    let folder: String

    /// `$XDG_CONFIG_HOME/cblite/queries`
    init() throws(CommandError) {
        guard let config = SettingsFile.standardPath else { throw .failed("there is no home for saved queries: HOME is not set") }
        folder = PathText.split(config).directory + "queries"
    }

    /// In the order of the alphabet.
    var names: [String] {
        let files = (try? FolderTree.names(in: folder)) ?? []
        return files.filter { PathText.hasEnding(SavedQueries.ending, $0) }.map { PathText.without(SavedQueries.ending, $0) }
            .filter(SavedQueries.isName).sorted()
    }

    /// A name that is a file's name everywhere, and one word at the prompt.
    static func isName(_ name: String) -> Bool {
        (1...64).contains(name.utf8.count) && name.utf8.first != UInt8(ascii: "-")
            && name.utf8.allSatisfy { Lexer.isWordByte($0) || $0 == UInt8(ascii: "-") }
    }

    func path(of name: String) throws(CommandError) -> String {
        guard SavedQueries.isName(name) else {
            throw .usage("\"\(name)\" cannot name a saved query: letters, digits, - and _ can", hint: nil)
        }
        return folder + "/" + name + SavedQueries.ending
    }

    func exists(_ name: String) throws(CommandError) -> Bool { access(try path(of: name), F_OK) == 0 }

    func missing(_ name: String) -> CommandError {
        let hint = names.isEmpty ? "\"save NAME\" saves the last query." : "\"saved\" lists them."
        return .failed("no saved query \"\(name)\".\(Suggestion.sentence(for: name, in: names, quoted: true))", hint: hint)
    }

    /// What it says; it may be a script of several statements.
    func statements(of name: String) throws -> [QueryInput] {
        guard try exists(name) else { throw missing(name) }
        return try QueryInput.statements(inFile: path(of: name))
    }

    func text(of name: String) throws -> String {
        guard try exists(name) else { throw missing(name) }
        let text = try QueryInput.text(of: InputSource(path(of: name)))
        return text.hasSuffix("\n") ? String(text.dropLast()) : text
    }

    func save(_ text: String, as name: String) throws {
        let path = try path(of: name)
        try SettingsFile.makeDirectory(ofFile: path)
        // Whoever reads it meanwhile finds the old one or the new one.
        try PartialFile.keep(Array((text + "\n").utf8), at: path, mode: 0o600)
    }

    func remove(_ name: String) throws {
        guard try exists(name) else { throw missing(name) }
        let path = try path(of: name)
        guard unlink(path) == 0 else { throw CommandError.system(path, errno: errno) }
    }
}
