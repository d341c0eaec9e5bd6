/// A file of JavaScript with the functions of a view:
///
///     function (doc, meta) { emit(doc.city, 1); }          // a map function alone
///
///     function map(doc) { … }                              // or both, by name
///     function reduce(keys, values, rereduce) { … }
///
///     map = function (doc) { … };  reduce = "_count";      // or assigned, with or without var and exports.
///
///     { map: function (doc) { … }, reduce: "_sum" }        // or as members
///
/// The text is taken apart, and not run.
package struct ScriptFile: Equatable {
    package private(set) var map: String?
    package private(set) var reduce: String?

    package init(_ text: String) throws(ViewError) {
        var scanner = ScriptScanner(Array(text.utf8))
        scanner.skipBlanks()
        if scanner.isAtFunctionWithoutName {
            // A mistake in it the engine knows to name.
            map = (try? scanner.value()) ?? text
            _ = scanner.take(";")
            scanner.skipBlanks()
            guard scanner.isAtEnd || map == text else { throw scanner.error("the end of the file behind the function") }
        } else {
            let isObject = scanner.take("{") || scanner.take("(") && scanner.take("{")
            while try readMember(&scanner, isObject: isObject) {}
        }
        guard map != nil else { throw .badRequest("there is no map function in it: function (doc, meta) { emit(key, value); }") }
    }

    private mutating func readMember(_ scanner: inout ScriptScanner, isObject: Bool) throws(ViewError) -> Bool {
        scanner.skipBlanks()
        if isObject ? scanner.take("}") || scanner.isAtEnd : scanner.isAtEnd { return false }
        var name: String
        let text: String
        if !isObject, scanner.isAtFunction {
            (name, text) = try scanner.namedFunction()
        } else {
            for word in ["var", "let", "const"] where !isObject { _ = scanner.takeWord(word) }
            for object in ["module", "exports"] where !isObject && scanner.takeWord(object) { _ = scanner.take(".") }
            name = try scanner.name()
            guard scanner.take(isObject ? ":" : "=") else { throw scanner.error("\(isObject ? ":" : "=") after \(name)") }
            text = try scanner.value()
        }
        _ = scanner.take(isObject ? "," : ";")
        switch name {
        case "map": map = text
        case "reduce": reduce = text
        default: throw .badRequest("it has \(name); only map and reduce are used, and helpers belong inside of them")
        }
        return true
    }
}

/// Goes through JavaScript as far as brackets, strings and comments can be told apart.
private struct ScriptScanner {
    private let text: [UInt8]
    private var place = 0

    init(_ text: [UInt8]) { self.text = text }

    var isAtEnd: Bool { place >= text.count }
    private func byte(_ offset: Int = 0) -> UInt8 { place + offset < text.count ? text[place + offset] : 0 }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
            true
        default: false
        }
    }

    func error(_ expected: String) -> ViewError {
        let line = text.prefix(place).count { $0 == 0x0A } + 1
        return .badRequest("line \(line): expected \(expected)")
    }

    mutating func skipBlanks() {
        while !isAtEnd {
            if byte() == 0x20 || (0x09...0x0D).contains(byte()) {
                place += 1
            } else if !skipComment() {
                return
            }
        }
    }

    private mutating func skipComment() -> Bool {
        guard byte() == UInt8(ascii: "/") else { return false }
        if byte(1) == UInt8(ascii: "/") {
            while !isAtEnd, byte() != 0x0A { place += 1 }
        } else if byte(1) == UInt8(ascii: "*") {
            place += 2
            while !isAtEnd, !(byte() == UInt8(ascii: "*") && byte(1) == UInt8(ascii: "/")) { place += 1 }
            place = min(place + 2, text.count)
        } else {
            return false
        }
        return true
    }

    mutating func take(_ sign: Character) -> Bool {
        skipBlanks()
        guard let code = sign.asciiValue, byte() == code else { return false }
        place += 1
        return true
    }

    private func isAt(_ word: String) -> Bool {
        text[place...].starts(with: word.utf8) && !ScriptScanner.isWord(byte(word.utf8.count))
    }

    mutating func takeWord(_ word: String) -> Bool {
        skipBlanks()
        guard isAt(word) else { return false }
        place += word.utf8.count
        return true
    }

    var isAtFunction: Bool { isAt("function") }

    var isAtFunctionWithoutName: Bool {
        var copy = self
        while copy.take("(") {}
        guard copy.takeWord("function") else { return false }
        return copy.take("(")
    }

    /// A name, bare or in quotes.
    mutating func name() throws(ViewError) -> String {
        skipBlanks()
        let start = place
        if byte() == UInt8(ascii: "\"") || byte() == UInt8(ascii: "'") {
            try skipString()
            return String(decoding: text[(start + 1)..<(place - 1)], as: UTF8.self)
        }
        while !isAtEnd, ScriptScanner.isWord(byte()) { place += 1 }
        guard place > start else { throw error("map or reduce") }
        return String(decoding: text[start..<place], as: UTF8.self)
    }

    /// A function as it is declared, which is also a function expression.
    mutating func namedFunction() throws(ViewError) -> (name: String, text: String) {
        var copy = self
        _ = copy.takeWord("function")
        let name = try copy.name()
        return (name, try value())
    }

    /// A function expression, in parentheses or not, or the content of a string.
    mutating func value() throws(ViewError) -> String {
        skipBlanks()
        let start = place
        switch byte() {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            try skipString()
            return String(decoding: text[(start + 1)..<(place - 1)], as: UTF8.self)
        case UInt8(ascii: "("):
            try skipBrackets()
        default:
            guard takeWord("function") else { throw error("a function, or the name of a built-in one in quotes") }
            while !isAtEnd, byte() != UInt8(ascii: "{") {
                if byte() == UInt8(ascii: "(") { try skipBrackets() } else if !skipComment() { place += 1 }
            }
            guard !isAtEnd else { throw error("the body of the function") }
            try skipBrackets()
        }
        return String(decoding: text[start..<place], as: UTF8.self)
    }

    private mutating func skipString() throws(ViewError) {
        let quote = byte()
        let start = self
        place += 1
        while !isAtEnd, byte() != quote { place += byte() == UInt8(ascii: "\\") ? 2 : 1 }
        guard place < text.count else { throw start.error("the end of this string") }
        place += 1
    }

    /// From a bracket to behind the one that closes it.
    private mutating func skipBrackets() throws(ViewError) {
        let start = self
        var depth = 0
        // Whether a slash would begin a regular expression, and not divide.
        var awaitsOperand = true
        repeat {
            guard !isAtEnd else { throw start.error("an end to this bracket") }
            let next = byte()
            switch next {
            case UInt8(ascii: "{"), UInt8(ascii: "("), UInt8(ascii: "["):
                depth += 1
                place += 1
                awaitsOperand = true
            case UInt8(ascii: "}"), UInt8(ascii: ")"), UInt8(ascii: "]"):
                depth -= 1
                place += 1
                awaitsOperand = next == UInt8(ascii: "}")
            case UInt8(ascii: "\""), UInt8(ascii: "'"):
                try skipString()
                awaitsOperand = false
            case UInt8(ascii: "/"):
                if skipComment() { break }
                if awaitsOperand { try skipRegularExpression() } else { place += 1 }
                awaitsOperand.toggle()
            case _ where ScriptScanner.isWord(next):
                let word = place
                while !isAtEnd, ScriptScanner.isWord(byte()) { place += 1 }
                awaitsOperand = ["return", "typeof", "case", "in", "of", "delete", "void", "throw", "new", "else"].contains {
                    text[word..<place].elementsEqual($0.utf8)
                }
            case 0x20, 0x09...0x0D: place += 1
            default:
                place += 1
                awaitsOperand = true
            }
        } while depth > 0
    }

    private mutating func skipRegularExpression() throws(ViewError) {
        let start = self
        var isInClass = false
        place += 1
        while !isAtEnd, byte() != 0x0A, isInClass || byte() != UInt8(ascii: "/") {
            if byte() == UInt8(ascii: "[") { isInClass = true }
            if byte() == UInt8(ascii: "]") { isInClass = false }
            place += byte() == UInt8(ascii: "\\") ? 2 : 1
        }
        guard byte() == UInt8(ascii: "/") else { throw start.error("the end of this regular expression") }
        place += 1
    }
}
