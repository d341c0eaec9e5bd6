import CBLFleece

/// Writes JSON or JSON5 text with colours, and with its dangerous characters escaped. The text itself is not changed otherwise.
enum JSONColoring {
    static func write(_ json: UnsafeRawBufferPointer, to session: Session) throws(Output.Failure) {
        guard session.terminal.usesColor else { return try session.output.write(lines: json) }
        let output = session.output
        var position = 0
        while position < json.count {
            let start = position
            let style = token(json, &position)
            let bytes = UnsafeRawBufferPointer(rebasing: json[start..<position])
            if let style {
                try output.write(session.theme.code(style))
                try output.write(bytes)
                try output.write(Style.off)
            } else {
                try output.write(lines: bytes)
            }
        }
    }

    /// Moves over one token, and says how it looks.
    private static func token(_ json: UnsafeRawBufferPointer, _ position: inout Int) -> Style? {
        let first = json[position]
        switch first {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            position += 1
            while position < json.count, json[position] != first {
                position += json[position] == UInt8(ascii: "\\") ? 2 : 1
            }
            position = min(position + 1, json.count)
            return isKey(json, position) ? .key : .string
        case _ where isWordByte(first):
            while position < json.count, isWordByte(json[position]) { position += 1 }
            if isKey(json, position) { return .key }
            let isNumber = first < UInt8(ascii: "A")
            return isNumber ? .number : .literal
        default:
            while position < json.count, !isWordByte(json[position]), json[position] != 0x22, json[position] != 0x27 { position += 1 }
            return nil
        }
    }

    private static func isKey(_ json: UnsafeRawBufferPointer, _ end: Int) -> Bool {
        var position = end
        while position < json.count, json[position] == UInt8(ascii: " ") { position += 1 }
        return position < json.count && json[position] == UInt8(ascii: ":")
    }

    private static func isWordByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...: true
        default: false
        }
    }
}

extension Output {
    /// Writes JSON text that `render` makes, and the end of a line: without colours.
    @inline(__always)
    func writeJSON(endsLine: Bool, _ render: (inout ByteBuffer) -> Void) throws {
        try write {
            render(&$0)
            if endsLine { $0.append(UInt8(ascii: "\n")) }
        }
    }
}

extension Session {
    /// Writes JSON text that `render` makes, and the end of a line. Hot: without colours it is made where it is sent from.
    @inline(__always)
    func writeJSON(endsLine: Bool = true, _ render: (inout ByteBuffer) -> Void) throws {
        if terminal.usesColor { return try writeColoredJSON(endsLine, render) }
        try output.writeJSON(endsLine: endsLine, render)
    }

    private func writeColoredJSON(_ endsLine: Bool, _ render: (inout ByteBuffer) -> Void) throws {
        var buffer = ByteBuffer()
        render(&buffer)
        try JSONColoring.write(buffer.bytes, to: self)
        if endsLine { try output.write("\n") }
    }
}
