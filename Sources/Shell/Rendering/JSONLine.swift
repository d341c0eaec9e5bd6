import DocumentStore
import Fleece

/// One JSON object on one line, written member by member: the machine output of commands that list facts.
///
///     try invocation.session.writeFacts { line in
///         line.add("id", cursor.idBytes)
///         line.add("sequence", cursor.sequence)
///     }
struct JSONLine: ~Copyable {
    fileprivate var buffer: ByteBuffer
    private var isEmpty = true

    fileprivate init(_ buffer: consuming ByteBuffer) {
        self.buffer = buffer
        self.buffer.append("{")
    }

    private mutating func key(_ name: StaticString) {
        buffer.append(isEmpty ? "\"" : ",\"")
        isEmpty = false
        buffer.append(name)
        buffer.append("\":")
    }

    mutating func add(_ name: StaticString, _ text: UnsafeRawBufferPointer) {
        key(name)
        JSONWriter.write(string: text, to: &buffer)
    }

    mutating func add(_ name: StaticString, _ text: String) {
        key(name)
        JSONWriter.write(string: text, to: &buffer)
    }

    mutating func add(_ name: StaticString, _ flag: Bool) {
        key(name)
        buffer.append(flag ? "true" : "false")
    }

    mutating func add(_ name: StaticString, _ number: Int) {
        key(name)
        buffer.append(decimal: Int64(number))
    }

    mutating func add(_ name: StaticString, _ number: Int64) {
        key(name)
        buffer.append(decimal: number)
    }

    mutating func add(_ name: StaticString, _ number: UInt64) {
        key(name)
        buffer.append(decimal: number)
    }

    /// A revision ID, from the column `version`.
    mutating func add(_ name: StaticString, revision column: UnsafeRawBufferPointer) {
        key(name)
        buffer.append("\"")
        buffer.append(revision: column)
        buffer.append("\"")
    }

    /// A Fleece value, its dictionaries sorted by key.
    mutating func add(_ name: StaticString, _ value: Value, _ keys: SharedKeys?) {
        key(name)
        JSONWriter.write(value, keys: keys, style: .canonical, to: &buffer)
    }

    mutating func add(_ name: StaticString, list: some Sequence<String>) {
        key(name)
        buffer.append("[")
        var isFirst = true
        for item in list {
            if !isFirst { buffer.append(",") }
            isFirst = false
            JSONWriter.write(string: item, to: &buffer)
        }
        buffer.append("]")
    }

    /// An object within the object.
    mutating func add(_ name: StaticString, object fill: (inout JSONLine) throws -> Void) rethrows {
        key(name)
        buffer.append("{")
        isEmpty = true
        try fill(&self)
        buffer.append("}")
        isEmpty = false
    }

    /// A list of objects, one for each item.
    mutating func add<Item>(_ name: StaticString, objects items: some Sequence<Item>, _ fill: (Item, inout JSONLine) throws -> Void)
        rethrows
    {
        key(name)
        buffer.append("[")
        var isFirst = true
        for item in items {
            buffer.append(isFirst ? "{" : ",{")
            isFirst = false
            isEmpty = true
            try fill(item, &self)
            buffer.append("}")
        }
        buffer.append("]")
        isEmpty = false
    }

    fileprivate consuming func finish() -> ByteBuffer {
        buffer.append("}")
        return buffer
    }
}

extension Session {
    /// Prints one line of machine output.
    func writeFacts(_ fill: (inout JSONLine) throws -> Void) throws {
        var line = JSONLine(ByteBuffer(capacity: 512))
        try fill(&line)
        let buffer = line.finish()
        if terminal.usesColor { try JSONColoring.write(buffer.bytes, to: self) } else { try output.writeText(lines: buffer.bytes) }
        try output.write("\n")
    }
}
