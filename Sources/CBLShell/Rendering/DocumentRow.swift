import CBLBase
import CBLFleece
import CBLLanguage
import CBLStore

/// The rows of `ls -l`: document ID, revision, flags, sequence and size, in columns as wide as the vendor's program makes them.
/// Hot: the benchmark `ls -l` prints a hundred thousand of them.
struct DocumentRow {
    private static let idWidth = 24
    private static let sequenceWidth = 8
    private static let sizeWidth = 9

    /// As many characters of a revision ID are shown, and "..." if there are more.
    private let revisionLimit: Int
    private let revisionWidth: Int
    private let escapes: Bool

    /// `isRaw` shows revision IDs whole.
    init(versioning: Versioning, isRaw: Bool, output: Output) {
        let isVector = versioning == .vectors
        revisionLimit = isRaw ? RevisionID.maximumTextLength : isVector ? 27 : 12
        revisionWidth = isRaw ? (isVector ? 41 : 46) : revisionLimit + 5
        escapes = output.isTerminal
    }

    func writeHeading(to session: Session) throws {
        for (title, width) in [("Document ID", DocumentRow.idWidth), ("Rev ID", revisionWidth), ("Flags", 8), ("Seq", 8)] {
            try session.write(title, .heading)
            try session.output.write(repeating: UInt8(ascii: " "), count: width - title.utf8.count)
        }
        try session.write("Size", .heading)
        try session.output.write("\n")
    }

    func append(_ cursor: DocumentCursor, to buffer: inout ByteBuffer) {
        append(id: cursor.idBytes, to: &buffer)
        append(revision: cursor.versionBytes, to: &buffer)
        let flags = cursor.flags
        buffer.append(UInt8(ascii: flags.contains(.deleted) ? "d" : "-"))
        buffer.append(UInt8(ascii: flags.contains(.conflicted) ? "c" : "-"))
        buffer.append(UInt8(ascii: flags.contains(.hasAttachments) ? "a" : "-"))
        buffer.append(decimal: cursor.sequence, width: DocumentRow.sequenceWidth)
        let start = buffer.count
        SizeText.append(kilobytes: cursor.bodySize, to: &buffer)
        buffer.insert(repeating: UInt8(ascii: " "), count: max(1, DocumentRow.sizeWidth - (buffer.count - start)), at: start)
        buffer.append(UInt8(ascii: "\n"))
    }

    private func append(id: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        var width = id.count
        if TerminalText.needsEscapes(id) {
            // A line end in an ID, which only a damaged file has, must not look like another row.
            let text = escapes ? TerminalText.escaped(id) : String(decoding: id, as: UTF8.self)
            buffer.append(text)
            width = DisplayWidth.of(text)
        } else {
            buffer.append(id)
        }
        buffer.append(repeating: UInt8(ascii: " "), count: max(1, DocumentRow.idWidth - width))
    }

    private func append(revision column: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        let start = buffer.count
        // Of a long tree ID that is cut anyway no more is written than that.
        let isCut = revisionLimit < 20 && column.count > 16 && column[0] != 0
        buffer.append(revision: isCut ? UnsafeRawBufferPointer(rebasing: column[..<16]) : column)
        if buffer.count - start > revisionLimit + 3 {
            buffer.truncate(to: start + revisionLimit)
            buffer.append("...")
        }
        buffer.append(repeating: UInt8(ascii: " "), count: max(1, revisionWidth - (buffer.count - start)))
    }
}
