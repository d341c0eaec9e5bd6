import CBLBase
import CBLLanguage
import CBLWorkbench
import Glibc

/// The names of files that a path may stand for.
enum FileNames {
    static func complete(_ prefix: String, onlyDirectories: Bool, _ line: CommandLineContext) -> Completion {
        let (directory, beginning) = PathText.split(prefix)
        var names: [String] = []
        for name in entries(of: directory.isEmpty ? "." : directory) where name.hasPrefix(beginning) {
            // Hidden files are offered to who asks for them.
            guard !name.hasPrefix(".") || beginning.hasPrefix("."), !name.unicodeScalars.contains(where: TerminalText.isHarmful) else {
                continue
            }
            let isDirectory = Endpoint.isDirectory(directory + name)
            // Nobody looks for something inside of a database.
            let isEntered = isDirectory && !name.hasSuffix(".cblite2")
            if isDirectory || !onlyDirectories || name.hasSuffix(".cblite") || name.hasSuffix(".zip") {
                names.append(isEntered ? name + "/" : name)
            }
        }
        names.sort()
        let isOpen = names.count == 1 && names[0].hasSuffix("/")
        return Completion(
            length: line.wordLength, candidates: names.map { line.escaped(directory + $0) }, ending: isOpen ? "" : line.ending,
            labels: names)
    }

    private static func entries(of path: String) -> [String] {
        guard let directory = opendir(path) else { return [] }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }
}
