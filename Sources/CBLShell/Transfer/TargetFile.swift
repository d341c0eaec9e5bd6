import CBLBase
import Glibc

/// A file that is written under another name, and gets its own when it is complete: what was there before stays until then.
enum TargetFile {
    /// Writes a file that the person named, or standard output for `-`. Gives what `body` gives.
    static func write<Result>(_ path: String, _ session: Session, _ body: (Output) throws -> Result) throws -> Result {
        if path == "-" || isStandardOutput(path) { return try body(session.output) }
        guard !Endpoint.isDirectory(path) else { throw CommandError.failed("\(path): is a directory") }
        // A pipe or a device is written where it stands.
        guard isReplaceable(path) else { return try writeInPlace(path, body) }
        return try replace(behindLinks(path), body)
    }

    /// Writes a file whose name comes from a database. Whatever lies in its place, even a link or a pipe, is replaced, and leads nowhere.
    static func replace<Result>(_ path: String, _ body: (Output) throws -> Result) throws -> Result {
        let file = try PartialFile(for: path)
        let result: Result
        do {
            let output = Output(descriptor: file.descriptor, isTerminal: false)
            result = try describing(path) {
                let result = try body(output)
                try output.flush()
                return result
            }
        } catch {
            file.discard()
            throw error
        }
        try file.complete()
        return result
    }

    static func makeDirectory(_ path: String) throws {
        if mkdir(path, 0o755) != 0, errno != EEXIST || !Endpoint.isDirectory(path) {
            throw CommandError.system(path, errno: errno)
        }
    }

    /// Makes a folder inside of one that was named. A link in its place may be somebody else's, and is not followed.
    static func makeDirectory(inside folder: String, _ name: String) throws {
        let path = PathText.closed(folder) + name
        try makeDirectory(path)
        var facts = stat()
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFDIR else {
            throw CommandError.failed("\(path): that is a link, which is not followed")
        }
    }

    /// The name of what a symbolic link leads to: that is replaced, and not the link.
    static func behindLinks(_ path: String) -> String {
        guard let resolved = realpath(path, nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    /// Whether a path is another word for `-`.
    static func isStandardOutput(_ path: String) -> Bool { ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"].contains(path) }

    /// Whether another file may take the place of what is there, if anything is. The names of open files lead to somebody's file.
    static func isReplaceable(_ path: String) -> Bool {
        guard !["/dev/std", "/dev/fd/", "/proc/"].contains(where: path.hasPrefix) else { return false }
        var facts = stat()
        return stat(path, &facts) != 0 || facts.st_mode & S_IFMT == S_IFREG
    }

    private static func writeInPlace<Result>(_ path: String, _ body: (Output) throws -> Result) throws -> Result {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw CommandError.system(path, errno: errno) }
        defer { close(descriptor) }
        let output = Output(descriptor: descriptor)
        return try describing(path) {
            let result = try body(output)
            try output.flush()
            return result
        }
    }

    /// A failed write is about this file, and not about standard output.
    private static func describing<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
        do { return try body() } catch Output.Failure.system(let code) { throw CommandError.system(path, errno: code) }
    }
}
