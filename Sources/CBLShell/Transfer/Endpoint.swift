import CBLBase
import CBLWorkbench
import Glibc

/// One side of a copy: a database, or documents in another form.
enum Endpoint: Equatable {
    case database(String)
    /// `ws:` or `wss:`, a database on a server.
    case remote(String)
    /// JSON texts, one document per line when written; any row of values, or an array of them, when read. `-` is standard input or output.
    case json(String, JSONLayout)
    /// Without a delimiter it is a comma when written, and found out when read.
    case table(String, delimiter: Delimiter?)
    case directory(String)

    enum JSONLayout: Equatable { case lines, array }

    static let formats = ["json", "jsonl", "array", "csv", "tsv"]

    /// Guesses from the path's ending, unless a format is named. Nil if that says nothing.
    init?(_ path: String, format: String? = nil, delimiter: Delimiter? = nil) {
        let path = path == "/dev/stdin" || TargetFile.isStandardOutput(path) ? "-" : path
        switch format {
        case "csv": self = .table(path, delimiter: delimiter)
        case "tsv": self = .table(path, delimiter: delimiter ?? .tab)
        case "array": self = .json(path, .array)
        case "json", "jsonl": self = .json(path, .lines)
        default:
            self.init(guessing: path)
            if let delimiter, case .table = self { self = .table(path, delimiter: delimiter) }
        }
    }

    private init?(guessing path: String) {
        let name = path.lowercased()
        if name.hasPrefix("ws:") || name.hasPrefix("wss:") || name.hasPrefix("http:") || name.hasPrefix("https:") {
            self = .remote(path)
        } else if name.hasSuffix(".cblite2") || name.hasSuffix(".cblite2/") || name.hasSuffix(".cblite") {
            self = .database(path)
        } else if path == "-" || [".json", ".jsonl", ".ndjson", ".json5"].contains(where: name.hasSuffix) {
            self = .json(path, .lines)
        } else if name.hasSuffix(".csv") {
            self = .table(path, delimiter: nil)
        } else if name.hasSuffix(".tsv") {
            self = .table(path, delimiter: .tab)
        } else if path.hasSuffix("/") || Endpoint.isDirectory(path) {
            self = .directory(path)
        } else {
            return nil
        }
    }

    /// `-`: standard input or output.
    var isStandardStream: Bool {
        switch self {
        case .json(let path, _), .table(let path, _): path == "-"
        case .database, .remote, .directory: false
        }
    }

    static func isDirectory(_ path: String) -> Bool { FolderTree.isFolder(path) }

    static func exists(_ path: String) -> Bool { access(path, F_OK) == 0 }
}
