/// The text of one function, in JavaScript.
///
///     let program = try ScriptProgram("function (doc) { emit(doc.type, null); }", name: "byType")
///
/// The text is one function expression, which may be in parentheses, as 1.x had it. It is found out once which members of the document
/// it can touch: only these are made for it.
package struct ScriptProgram: Sendable {
    /// What errors call it.
    package let name: String
    package let source: String
    /// What the engine gets: the function alone, in the same lines.
    let function: [UInt8]
    var touched: TouchedMembers

    /// Reads the text and has the engine look at it.
    package init(_ source: String, name: String) throws(ScriptError) {
        self.name = name
        self.source = source
        function = try ScriptProgram.function(in: Array(source.utf8), name: name)
        touched = TouchedMembers(ofFunction: function)
        let runner = try ScriptRunner()
        _ = try runner.add(self)
    }

    /// The function in the text: without what may stand around it. What is left out before it is replaced by blanks, for the engine counts lines.
    private static func function(in text: [UInt8], name: String) throws(ScriptError) -> [UInt8] {
        var text = text
        dropTrailing(from: &text, isSemicolonAllowed: true)
        if text.last == UInt8(ascii: ")"), let first = text.firstIndex(where: { !isBlank($0) }), text[first] == UInt8(ascii: "(") {
            text[first] = UInt8(ascii: " ")
            text.removeLast()
            dropTrailing(from: &text, isSemicolonAllowed: false)
        }
        guard text.last == UInt8(ascii: "}") else {
            throw ScriptError(.syntax, function: name, message: "the text is not one function expression")
        }
        return text
    }

    private static func dropTrailing(from text: inout [UInt8], isSemicolonAllowed: Bool) {
        while let last = text.last {
            if isBlank(last) || isSemicolonAllowed && last == UInt8(ascii: ";") {
                text.removeLast()
            } else if last == UInt8(ascii: "/"), text.dropLast().last == UInt8(ascii: "*"), let start = startOfLastComment(in: text) {
                text.removeSubrange(start...)
            } else {
                return
            }
        }
    }

    private static func startOfLastComment(in text: [UInt8]) -> Int? {
        // The end's own asterisk is not also the start's.
        guard text.count >= 4 else { return nil }
        return (0...text.count - 4).last { text[$0] == UInt8(ascii: "/") && text[$0 + 1] == UInt8(ascii: "*") }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
