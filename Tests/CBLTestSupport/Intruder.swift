import FoundationEssentials
import Glibc

/// What a stranger may put where a file or a folder of a bundle belongs.
package enum Intruder: String, CaseIterable, Sendable {
    case linkToFile, linkToFolder, linkToNothing, linkToItself, linkToEndlessDevice, pipe, socket, folder, file

    /// A link or a special file, which no release makes anywhere.
    package var isForeign: Bool { self != .folder && self != .file }

    /// Puts it there, in place of what is there.
    package func place(at path: String, _ victim: Victim) throws {
        try? FileManager.default.removeItem(atPath: path)
        let code =
            switch self {
            case .linkToFile: symlink(victim.file, path)
            case .linkToFolder: symlink(victim.folder, path)
            case .linkToNothing: symlink(victim.path + "/nothing", path)
            case .linkToItself: symlink(path, path)
            case .linkToEndlessDevice: symlink("/dev/zero", path)
            case .pipe: mkfifo(path, 0o600)
            case .socket: mknod(path, S_IFSOCK | 0o600, 0)
            case .folder: mkdir(path, 0o700)
            case .file: try Intruder.write("somebody's text", to: path)
            }
        guard code == 0 else { throw Program.NotStarted(path: path, code: errno) }
    }

    private static func write(_ text: String, to path: String) throws -> Int32 {
        try text.write(toFile: path, atomically: false, encoding: .utf8)
        return 0
    }
}

/// A folder of somebody else's beside a hostile bundle: nothing in it may change, and no word of it may come out.
package struct Victim: Sendable {
    /// In every file of it.
    package static let secret = "nobody-may-read-this"

    package let path: String
    /// What links to a file and to a folder lead to.
    package let file: String
    package let folder: String

    /// `names` are those of files in the folder, old enough for every clean-up.
    package init(in directory: TemporaryDirectory, file name: String = "secret.txt", names: [String]) throws {
        path = directory.path + "/victim"
        file = path + "/" + name
        folder = path + "/folder"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in [file] + names.map({ folder + "/" + $0 }) {
            try Victim.secret.write(toFile: name, atomically: false, encoding: .utf8)
            try makeOld(name)
        }
        try makeOld(folder)
    }

    /// Puts a copy of something where links to files lead to.
    package func replaceFile(with original: String) throws {
        try? FileManager.default.removeItem(atPath: file)
        try FileManager.default.copyItem(atPath: original, toPath: file)
    }

    /// Name, kind, time of change and content of everything in it.
    package func state() throws -> [String: Data] {
        var state: [String: Data] = [:]
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            var facts = stat()
            lstat(path + "/" + name, &facts)
            let isFile = facts.st_mode & S_IFMT == S_IFREG
            let content = isFile ? try Data(contentsOf: URL(filePath: path + "/" + name)) : Data()
            state[name] = content + Data(" \(facts.st_mode) \(facts.st_mtim.tv_sec) \(facts.st_mtim.tv_nsec)".utf8)
        }
        return state
    }
}

/// Sets the time of a file's last change, a link's own, long back.
package func makeOld(_ path: String) throws {
    var times = [timespec(tv_sec: 1_000_000_000, tv_nsec: 0), timespec(tv_sec: 1_000_000_000, tv_nsec: 0)]
    guard utimensat(AT_FDCWD, path, &times, AT_SYMLINK_NOFOLLOW) == 0 else { throw Program.NotStarted(path: path, code: errno) }
}
