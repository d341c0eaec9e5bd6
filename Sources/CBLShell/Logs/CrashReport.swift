import CBLBase
import Glibc

/// What the vendor's library leaves beside its logs when an app crashes: a text.
struct CrashReport {
    static let fileName = "cbl_crash.log"

    let path: String
    /// The first ones, which say why.
    let lines: [String]

    private static let mostLines = 12
    private static let mostBytes = 16 << 10

    /// Nil if there is no such file, or nothing in it: it is opened before anything has happened.
    init?(in directory: String) {
        path = directory + "/" + CrashReport.fileName
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: CrashReport.mostBytes)
        let count = read(file, &bytes, bytes.count)
        guard count > 0 else { return nil }
        lines = String(decoding: bytes[..<count], as: UTF8.self).split(separator: "\n").prefix(CrashReport.mostLines).map { String($0) }
    }
}
