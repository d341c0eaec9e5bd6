import CBLFleece
import CBLStore

extension JSONObjectWriter {
    /// A revision ID, from the column `version`.
    mutating func add(_ name: StaticString, revision column: UnsafeRawBufferPointer) {
        key(name)
        buffer.append("\"")
        buffer.append(revision: column)
        buffer.append("\"")
    }
}

extension Session {
    /// Prints one line of machine output: a JSON object.
    ///
    ///     try invocation.session.writeFacts { line in
    ///         line.add("id", cursor.idBytes)
    ///         line.add("sequence", cursor.sequence)
    ///     }
    func writeFacts(_ fill: (inout JSONObjectWriter) throws -> Void) throws {
        var line = JSONObjectWriter()
        line.begin()
        try fill(&line)
        line.end()
        let bytes = line.buffer.bytes
        if terminal.usesColor { try JSONColoring.write(bytes, to: self) } else { try output.write(lines: bytes) }
        try output.write("\n")
    }
}
