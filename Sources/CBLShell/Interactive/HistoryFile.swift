import CBLBase
import CBLWorkbench
import Glibc

/// The statements of earlier sessions, in `$XDG_STATE_HOME/cblite/history`: one a line, readable by its owner alone.
///
/// Sessions that run at the same time add to one file, each statement when it is typed, under a lock. A statement that comes again moves to
/// the end; what is repeated in the file itself is left out when the file is read, and removed when it has grown by half.
final class HistoryFile {
    static let longest = 10_000

    private let path: String?
    private(set) var entries: [String] = []
    private var sizeRead = 0

    /// Nil: the history is kept for this session only.
    init(path: String?) {
        self.path = path
        reload()
    }

    static var standardPath: String? {
        if let state = Terminal.environment("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/cblite/history" }
        return Terminal.environment("HOME").map { $0 + "/.local/state/cblite/history" }
    }

    /// Takes over what other sessions have added. True if there is anything new.
    @discardableResult
    func reload() -> Bool {
        guard let path, FileFacts.size(path) != sizeRead, let (lines, size) = HistoryFile.statements(path) else { return false }
        sizeRead = size
        entries = HistoryFile.lastOfEach(lines)
        if lines.count > entries.count + entries.count / 2 + 100 { rewrite() }
        return true
    }

    /// Adds a statement, unless it is one to forget: those that begin with a blank, and those that hold a password.
    func add(_ statement: String) {
        guard !HistoryFile.isPrivate(statement), entries.last != statement else { return }
        entries.removeAll { $0 == statement }
        entries.append(statement)
        if entries.count > HistoryFile.longest { entries.removeFirst() }
        guard let path else { return }
        HistoryFile.makeDirectories(of: path)
        // A pipe in its place must not keep the prompt waiting.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o600)
        // A history that cannot be kept is no reason to trouble anybody.
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        flock(descriptor, LOCK_EX)
        let before = FileFacts.size(path)
        let line = HistoryFile.escaped(statement) + "\n"
        guard HistoryFile.write(line, descriptor) else {
            // A part of a line would become one with the next.
            ftruncate(descriptor, off_t(before))
            return
        }
        // What somebody else wrote meanwhile is read the next time.
        if before == sizeRead { sizeRead += line.utf8.count }
    }

    /// A statement that should not lie in a file: it begins with a blank, or a flag in it carries a secret.
    static func isPrivate(_ statement: String) -> Bool {
        guard let first = statement.utf8.first, first != UInt8(ascii: " ") else { return true }
        var lexer = WordLexer(Array(statement.utf8))
        var words: [String] = []
        reading: while true {
            switch lexer.next() {
            case .word(let word): words.append(word)
            case .newline, .semicolon, .pipe, .redirection: continue
            case .end, .unfinished: break reading
            }
        }
        // A name alone is no secret: the password behind the colon is.
        return SecretWords.masked(words) != words || words.contains(where: SecretWords.isSuspicious)
            || words.contains { $0.drop { $0 == "-" } == "encrypted" && $0.hasPrefix("-") }
    }

    static func lastOfEach(_ lines: [String]) -> [String] {
        var known: Set<String> = []
        return Array(lines.reversed().filter { known.insert($0).inserted }.prefix(longest).reversed())
    }

    // A statement may have several lines, the file has one for each.
    static func escaped(_ statement: String) -> String { statement.replacingEach("\\", with: "\\\\").replacingEach("\n", with: "\\n") }

    static func unescaped(_ line: some Collection<UInt8>) -> String {
        let backslash = UInt8(ascii: "\\")
        guard line.contains(backslash) else { return String(decoding: line, as: UTF8.self) }
        var result: [UInt8] = []
        var isEscape = false
        for byte in line {
            if isEscape {
                result.append(byte == UInt8(ascii: "n") ? UInt8(ascii: "\n") : byte)
                isEscape = false
            } else if byte == backslash {
                isEscape = true
            } else {
                result.append(byte)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Replaces the file by one without repetitions.
    private func rewrite() {
        guard let path else { return }
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        flock(descriptor, LOCK_EX)
        // Others may have added to it since it was read.
        guard FileFacts.size(path) == sizeRead else { return }
        let text = entries.map { HistoryFile.escaped($0) + "\n" }.joined()
        // Written over what is there, it takes no room; and each statement is there all the time, in its old place or in its new one.
        guard text.utf8.count < sizeRead, HistoryFile.write(text, descriptor), ftruncate(descriptor, off_t(text.utf8.count)) == 0 else {
            return
        }
        sizeRead = text.utf8.count
    }

    private static func write(_ text: String, _ descriptor: Int32) -> Bool {
        var text = text
        return text.withUTF8 { SystemCall.writeAll(UnsafeRawBufferPointer($0), to: descriptor) }
    }

    /// What the lines of the file say, and how many bytes they are.
    private static func statements(_ path: String) -> (lines: [String], size: Int)? {
        // A pipe there would be waited for.
        guard FileFacts.isRegular(path), let source = try? InputSource(path) else { return nil }
        return try? source.withAll { bytes in (bytes.split(separator: UInt8(ascii: "\n")).map { unescaped($0) }, bytes.count) }
    }

    private static func makeDirectories(of path: String) {
        for directory in PathText.folders(of: path) { mkdir(directory, 0o700) }
    }
}

/// What the file system says of a file.
enum FileFacts {
    static func isRegular(_ path: String) -> Bool {
        var facts = stat()
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
    }

    static func size(_ path: String) -> Int {
        var facts = stat()
        return stat(path, &facts) == 0 ? Int(facts.st_size) : 0
    }
}
