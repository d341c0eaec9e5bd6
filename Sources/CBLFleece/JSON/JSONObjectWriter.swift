/// A JSON object, written member by member into a buffer: machine output and the lines of archives.
///
///     var line = JSONObjectWriter()
///     line.begin()
///     line.add("id", "doc1")
///     line.add("sequence", 7)
///     line.end()
package struct JSONObjectWriter: ~Copyable {
    /// What has been written, for values of other kinds: they follow `key(_:)`.
    package var buffer: ByteBuffer
    private var isEmpty = true

    package init(capacity: Int = 512) { buffer = ByteBuffer(capacity: capacity) }

    /// Begins an object: a line of its own, or the value of a member.
    package mutating func begin() {
        buffer.append("{")
        isEmpty = true
    }

    package mutating func end() {
        buffer.append("}")
        isEmpty = false
    }

    package mutating func key(_ name: StaticString) {
        buffer.append(isEmpty ? "\"" : ",\"")
        isEmpty = false
        buffer.append(name)
        buffer.append("\":")
    }

    package mutating func add(_ name: StaticString, _ text: UnsafeRawBufferPointer) {
        key(name)
        JSONWriter.write(string: text, to: &buffer)
    }

    package mutating func add(_ name: StaticString, _ text: String) {
        key(name)
        JSONWriter.write(string: text, to: &buffer)
    }

    package mutating func add(_ name: StaticString, _ flag: Bool) {
        key(name)
        buffer.append(flag ? "true" : "false")
    }

    package mutating func add(_ name: StaticString, _ number: Int) { add(name, Int64(number)) }

    package mutating func add(_ name: StaticString, _ number: Int64) {
        key(name)
        buffer.append(decimal: number)
    }

    package mutating func add(_ name: StaticString, _ number: UInt64) {
        key(name)
        buffer.append(decimal: number)
    }

    /// A Fleece value, its dictionaries sorted by key. False for one that has no end, which is then null.
    @discardableResult
    package mutating func add(_ name: StaticString, _ value: Value, _ keys: SharedKeys?) -> Bool {
        key(name)
        let start = buffer.count
        if JSONWriter.write(value, keys: keys, style: .canonical, to: &buffer) { return true }
        buffer.truncate(to: start)
        buffer.append("null")
        return false
    }

    package mutating func add(_ name: StaticString, list: some Sequence<String>) {
        add(name, elements: list) { JSONWriter.write(string: $0, to: &$1.buffer) }
    }

    package mutating func add(_ name: StaticString, list: some Sequence<Int>) {
        add(name, elements: list) { $1.buffer.append(decimal: Int64($0)) }
    }

    /// An object within the object.
    package mutating func add<Failure: Error>(
        _ name: StaticString, object fill: (inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        key(name)
        begin()
        try fill(&self)
        end()
    }

    /// A list of objects, one for each item.
    package mutating func add<Item, Failure: Error>(
        _ name: StaticString, objects items: some Sequence<Item>, _ fill: (Item, inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        try add(name, elements: items) { (item, writer) throws(Failure) in
            writer.begin()
            try fill(item, &writer)
            writer.end()
        }
    }

    private mutating func add<Item, Failure: Error>(
        _ name: StaticString, elements items: some Sequence<Item>, _ write: (Item, inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        key(name)
        buffer.append("[")
        var needsComma = false
        for item in items {
            if needsComma { buffer.append(",") }
            needsComma = true
            try write(item, &self)
        }
        buffer.append("]")
        isEmpty = false
    }

    /// An object whose names are numbers; `fill` writes the value of each.
    package mutating func add<Failure: Error>(
        _ name: StaticString, byNumber numbers: some Sequence<UInt16>, _ fill: (UInt16, inout JSONObjectWriter) throws(Failure) -> Void
    ) throws(Failure) {
        key(name)
        buffer.append("{")
        var needsComma = false
        for number in numbers {
            buffer.append(needsComma ? ",\"" : "\"")
            needsComma = true
            buffer.append(decimal: UInt64(number))
            buffer.append("\":")
            try fill(number, &self)
        }
        buffer.append("}")
        isEmpty = false
    }
}
