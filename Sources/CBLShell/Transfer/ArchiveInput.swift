import CBLStore
import CBLWorkbench

/// The lines of an archive, which may be sealed with a key.
final class ArchiveInput {
    let source: InputSource
    private var reader: SealedArchive.Reader?
    /// What was opened, and not given yet.
    private var content: [UInt8] = []
    private var given = 0

    /// `key` is asked for if the archive is sealed.
    init(_ path: String, key: () throws -> EncryptionKey?) throws {
        source = try InputSource(path)
        while source.window.count < SealedArchive.headerSize, source.window.starts(with: SealedArchive.magic.prefix(source.window.count)) {
            guard try source.readMore() else { break }
        }
        guard source.window.starts(with: SealedArchive.magic) else { return }
        guard let key = try key() else {
            throw CommandError.failed(
                "\(source.name): the archive is sealed, and needs its key or password",
                hint: "--archive-password asks for it; --archive-password=:@FILE and --archive-key=:@FILE have it in a file.")
        }
        reader = try opening { () throws(SealedArchive.Problem) in
            try SealedArchive.Reader(key, header: UnsafeRawBufferPointer(rebasing: source.window.prefix(SealedArchive.headerSize)))
        }
        source.consume(SealedArchive.headerSize)
    }

    /// The next line without its end; nil at the end. Valid until the next call.
    func withNextLine(_ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
        guard reader != nil else {
            guard let line = try source.nextLine(limit: ArchiveTransfer.longestLine) else { return false }
            try body(line)
            return true
        }
        var searched = given
        while true {
            if let end = content[searched...].firstIndex(of: UInt8(ascii: "\n")) {
                defer { given = end + 1 }
                try content.withUnsafeBytes { try body(UnsafeRawBufferPointer(rebasing: $0[given..<end])) }
                return true
            }
            content.removeFirst(given)
            given = 0
            searched = content.count
            guard searched <= ArchiveTransfer.longestLine, try readPiece() else { break }
        }
        guard !content.isEmpty else { return false }
        defer { content = [] }
        try content.withUnsafeBytes { try body($0) }
        return true
    }

    /// False at the end, behind which nothing may be.
    private func readPiece() throws -> Bool {
        guard reader?.isAtEnd == false else {
            guard source.window.isEmpty, try !source.readMore() || source.window.isEmpty else { throw problem(.damaged) }
            return false
        }
        let lengthBytes = try take(SealedArchive.lengthSize)
        let length = lengthBytes.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        let count = try opening { () throws(SealedArchive.Problem) in try SealedArchive.Reader.count(length) }
        let piece = try take(count)
        let opened = try opening { () throws(SealedArchive.Problem) in try reader?.open(piece, length: length) ?? [] }
        content += opened
        return true
    }

    private func take(_ count: Int) throws -> [UInt8] {
        while source.window.count < count { guard try source.readMore() else { break } }
        guard source.window.count >= count else { throw problem(.cutOff) }
        defer { source.consume(count) }
        return Array(source.window.prefix(count))
    }

    private func opening<Result>(_ work: () throws(SealedArchive.Problem) -> Result) throws -> Result {
        do { return try work() } catch { throw problem(error) }
    }

    private func problem(_ problem: SealedArchive.Problem) -> CommandError {
        .failed("\(source.name): \(problem)", hint: "Nothing was restored.")
    }
}
