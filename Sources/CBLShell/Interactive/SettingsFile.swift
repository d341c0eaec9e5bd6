import CBLBase
import CBLLanguage
import CBLWorkbench
import Glibc

/// The file that keeps settings from one session to the next: lines such as `.mode csv`, and comments. Somebody may have written it by hand,
/// so it is read with suspicion, and changed with care.
struct SettingsFile {
    /// `$XDG_CONFIG_HOME/cblite/config`
    static var standardPath: String? {
        if let config = Terminal.environment("XDG_CONFIG_HOME"), config.hasPrefix("/") { return config + "/cblite/config" }
        return Terminal.environment("HOME").map { $0 + "/.config/cblite/config" }
    }

    /// A line that is a setting, and its number.
    struct Entry {
        let line: Int
        let setting: ShellSetting
        let text: String
    }

    // No file of settings is that long.
    private static let largest = 64 * 1024
    private static let mostMistakes = 3

    let path: String
    /// The lines as they are, without their ends.
    private var lines: [[UInt8]] = []

    /// Reads the file; it need not exist.
    init(_ path: String) throws(CommandError) {
        self.path = path
        // A pipe or a device could keep the prompt waiting for ever.
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            if errno == ENOENT { return }
            throw .system(path, errno: errno)
        }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { throw .system(path, errno: errno) }
        if facts.st_mode & S_IFMT == S_IFDIR { throw .failed("\(path): is a directory, and no file with settings") }
        guard facts.st_mode & S_IFMT == S_IFREG else { throw .failed("\(path): is not a file with settings") }
        guard facts.st_size <= SettingsFile.largest else { throw .failed("\(path): is too large for a file with settings") }
        var bytes: [UInt8] = []
        while bytes.count <= SettingsFile.largest {
            let piece = [UInt8](unsafeUninitializedCapacity: 8192) { buffer, count in
                count = max(0, SystemCall.retrying { read(descriptor, buffer.baseAddress, 8192) })
            }
            if piece.isEmpty { break }
            bytes += piece
        }
        guard !bytes.contains(0) else { throw .failed("\(path): is not a file with settings") }
        lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { line in
            Array(line.last == UInt8(ascii: "\r") ? line.dropLast() : line)
        }
        if lines.last?.isEmpty ?? false { lines.removeLast() }
    }

    /// Goes through the settings in it. What is none is told to `onMistake`, but not without end.
    func forEach(_ body: (Entry) throws(CommandError) -> Void, onMistake: (CommandError) -> Void) {
        var mistakes = 0
        for (index, line) in lines.enumerated() {
            do throws(CommandError) {
                if let (setting, text) = try SettingsFile.parse(line) {
                    try body(Entry(line: index + 1, setting: setting, text: text))
                }
            } catch {
                mistakes += 1
                if mistakes <= SettingsFile.mostMistakes {
                    onMistake(error.behind("\(path): line \(index + 1): "))
                }
            }
        }
        let more = mistakes - SettingsFile.mostMistakes
        if more > 0 { onMistake(.failed("\(path): \(more) more \(more == 1 ? "line is" : "lines are") not understood")) }
    }

    /// What a line sets; nil if it is empty or a comment.
    private static func parse(_ line: [UInt8]) throws(CommandError) -> (ShellSetting, String)? {
        guard let text = String(validating: line, as: UTF8.self) else { throw .usage("this is not text in UTF-8") }
        var reader = StatementReader(commands: Commands.all)
        reader.append(text)
        guard let statement = try reader.next(isLast: true) else { return nil }
        guard case .setting(let words) = statement.action, let name = words.first else {
            throw .usage("only settings can stand there, such as .timer on")
        }
        let setting = try ShellSetting.named(name)
        guard setting.value != nil, words.count > 1 else { throw .usage("only settings with a value can stand there, such as .timer on") }
        return (setting, words.dropFirst().joined(separator: " "))
    }

    /// Changes the lines so that they give these settings: what differs from the defaults, each once. All other lines stay, also those that
    /// are not understood.
    mutating func keep(_ settings: ShellSettings) {
        let defaults = ShellSettings()
        var written: Set<String> = []
        var result: [[UInt8]] = []
        var ignored = defaults
        for line in lines {
            guard let (setting, text) = try? SettingsFile.parse(line), (try? setting.set(text, in: &ignored)) != nil else {
                result.append(line)
                continue
            }
            guard let now = SettingsFile.line(setting, settings, defaults), written.insert(setting.name).inserted else { continue }
            result.append(now)
        }
        for setting in ShellSetting.kept where !written.contains(setting.name) {
            if let line = SettingsFile.line(setting, settings, defaults) { result.append(line) }
        }
        lines = result
    }

    private static func line(_ setting: ShellSetting, _ settings: ShellSettings, _ defaults: ShellSettings) -> [UInt8]? {
        guard let value = setting.value else { return nil }
        let now = value.get(settings)
        return now == value.get(defaults) ? nil : Array(".\(setting.name) \(ShellSetting.written(now))".utf8)
    }

    /// Writes the lines, as a whole or not at all. The file keeps its rights, and a link to it stays one.
    func write() throws(CommandError) {
        let target = TargetFile.behindLinks(path)
        try SettingsFile.makeDirectory(ofFile: target)
        var facts = stat()
        let mode = stat(target, &facts) == 0 ? facts.st_mode & 0o777 : nil
        try PartialFile.keep(lines.flatMap { $0 + [UInt8(ascii: "\n")] }, at: target, mode: 0o644, rights: mode)
    }

    static func makeDirectory(ofFile path: String) throws(CommandError) {
        for directory in PathText.folders(of: path) {
            // The standard for such folders wants them private.
            if mkdir(directory, 0o700) != 0, errno != EEXIST { throw .system(directory, errno: errno) }
        }
    }

    /// The theme that the file asks for, for commands that run alone. Whatever is wrong with the file is told by the shell.
    static var theme: Theme? {
        guard let path = standardPath, let file = try? SettingsFile(path) else { return nil }
        var theme: Theme?
        // Parsing every line would cost a one-shot command more than it does itself.
        for line in file.lines where line.starts(with: ".theme ".utf8) {
            if let (_, text) = try? parse(line), let known = Theme(rawValue: text) { theme = known }
        }
        return theme
    }
}
