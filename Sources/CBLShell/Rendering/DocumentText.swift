import CBLFleece
import CBLStore

/// A document as JSON text: `_id` first, `_rev` if wanted, then the body sorted by key. What `cat`, `ls --body` and `export` print.
///
///     {"_id":"doc1", "name":"Ada"}        raw, byte by byte as the vendor's program prints it
struct DocumentText {
    var isRaw = false
    var isJSON5 = false
    var showsRevision = false
    /// Only these properties, if any are named.
    var properties: [String] = []

    private var style: JSONStyle {
        var style: JSONStyle = .canonical
        if !isRaw { style.insert(.pretty) }
        if isJSON5 { style.insert(.json5) }
        return style
    }

    /// Appends the text, without the end of the last line. `version` is what the column holds. False if the body has no end: then it is left out.
    func append(
        id: UnsafeRawBufferPointer, version: UnsafeRawBufferPointer, body: Value, keys: SharedKeys?, to buffer: inout ByteBuffer
    ) -> Bool {
        if properties.isEmpty { return append(id: id, version: version, members: body, keys: keys, to: &buffer) }
        let selected = selection(of: body, keys)
        let isWhole = (selected ?? .emptyDictionary).withRoot {
            append(id: id, version: version, members: $0, keys: nil, to: &buffer)
        }
        return isWhole && selected != nil
    }

    private func append(
        id: UnsafeRawBufferPointer, version: UnsafeRawBufferPointer, members: Value, keys: SharedKeys?, to buffer: inout ByteBuffer
    ) -> Bool {
        buffer.append(isRaw ? "{" : "{\n  ")
        if isJSON5 { buffer.append("_id:") } else { buffer.append("\"_id\":") }
        if !isRaw { buffer.append(" ") }
        JSONWriter.write(string: id, to: &buffer)
        if showsRevision {
            buffer.append(isRaw ? "," : ",\n  ")
            if isJSON5 { buffer.append("_rev:") } else { buffer.append("\"_rev\":") }
            if !isRaw { buffer.append(" ") }
            buffer.append("\"")
            buffer.append(revision: version)
            buffer.append("\"")
        }
        let end = buffer.count
        // A blank between what is ours and the body, on the one line of raw text.
        if isRaw { buffer.append(", ") }
        let start = buffer.count
        let isWhole = JSONWriter.writeMembers(of: members, keys: keys, style: style, startingWithComma: !isRaw, to: &buffer)
        if buffer.count == start { buffer.truncate(to: end) }
        buffer.append(isRaw ? "}" : "\n}")
        return isWhole
    }

    private func selection(of body: Value, _ keys: SharedKeys?) -> FleeceData? {
        let encoder = FleeceEncoder()
        encoder.beginDictionary()
        for name in Set(properties).sorted() {
            guard let value = body.dictionary?.value(forKey: name, keys) else { continue }
            encoder.writeKey(name)
            encoder.write(value, keys: keys)
        }
        encoder.endDictionary()
        return try? encoder.finish()
    }
}

extension ByteBuffer {
    /// Appends the text of a revision ID as the column `version` holds it. Damaged ones become `?`.
    mutating func append(revision column: UnsafeRawBufferPointer) {
        let start = count
        append(atMost: RevisionID.maximumTextLength) { RevisionID.writeText(ofColumn: column, to: $0) }
        if count == start { append("?") }
    }
}
