/// Which members of its first argument a function can touch, as far as its text tells without being understood: a tree of names.
///
/// Every place in the text where the parameter's name stands, be it in code, in a text or in a comment, has to be of the form `doc.name`; if one is
/// not, the function may do anything with the document, and all of it is touched. So names may be found that are not meant, but none is missed.
struct TouchedMembers: Sendable, Equatable {
    /// Whether the value may be used as such.
    var isWhole = false
    var members: [Member] = []

    struct Member: Sendable, Equatable {
        let name: [UInt8]
        var touched: TouchedMembers
    }

    // A text may have any number of names; to look for so many is no quicker than to take all.
    private static let mostMembers = 100

    static let everything = TouchedMembers(isWhole: true)

    init(isWhole: Bool = false) { self.isWhole = isWhole }

    init(ofFunction text: [UInt8]) {
        var scanner = NameScanner(text)
        // With these a function gets at its arguments by other ways, and a name can be written with escapes.
        let doors: [StaticString] = ["arguments", "eval", "\\u"]
        guard !doors.contains(where: { scanner.contains($0) }), let parameter = scanner.firstParameter() else {
            self = .everything
            return
        }
        if parameter.isEmpty { return }
        while let isSeparate = scanner.advance(behind: parameter) {
            let isFirst = scanner.opensTest(parameter)
            guard isSeparate, let path = scanner.path() else {
                self = .everything
                return
            }
            touch(path[...], isTested: isFirst && scanner.closesTest())
        }
    }

    /// A value that is only tested for being there has no members looked at.
    private mutating func touch(_ path: ArraySlice<[UInt8]>, isTested: Bool) {
        guard let name = path.first else {
            if !isTested { isWhole = true }
            return
        }
        let index = members.firstIndex { $0.name == name }
        if let index {
            members[index].touched.touch(path.dropFirst(), isTested: isTested)
        } else if members.count == TouchedMembers.mostMembers {
            isWhole = true
        } else {
            var member = Member(name: name, touched: TouchedMembers())
            member.touched.touch(path.dropFirst(), isTested: isTested)
            members.append(member)
        }
    }
}

/// Finds names in a text.
private struct NameScanner {
    private let text: [UInt8]
    private var place = 0
    private var opening = Opening.operand
    /// Whether what the path leads to is used by what follows it.
    private var isValueUsed = false

    // What comes behind more names is a part of what they lead to.
    private static let longestPath = 16

    private enum Opening { case operand, condition, negation }

    init(_ text: [UInt8]) { self.text = text }

    private func byte(_ index: Int) -> UInt8 { index >= 0 && index < text.count ? text[index] : 0 }

    private static func isNamePart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "_"), UInt8(ascii: "$"):
            true
        default: false
        }
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    func contains(_ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard text.count >= count else { return false }
        return (0...text.count - count).contains { start in (0..<count).allSatisfy { text[start + $0] == word.utf8Start[$0] } }
    }

    private mutating func skipBlanks() { while place < text.count, NameScanner.isBlank(text[place]) { place += 1 } }

    private mutating func name() -> [UInt8] {
        let start = place
        while NameScanner.isNamePart(byte(place)) { place += 1 }
        return Array(text[start..<place])
    }

    /// The name of the first parameter, empty if there is none; nil if the text does not begin like a function, or has a comment there.
    mutating func firstParameter() -> [UInt8]? {
        place = 0
        skipBlanks()
        guard name() == Array("function".utf8) else { return nil }
        skipBlanks()
        _ = name()
        skipBlanks()
        guard byte(place) == UInt8(ascii: "(") else { return nil }
        place += 1
        skipBlanks()
        let parameter = name()
        let first = parameter.first ?? 0
        if (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(first) { return nil }
        skipBlanks()
        guard byte(place) == UInt8(ascii: ",") || byte(place) == UInt8(ascii: ")") else { return nil }
        return parameter
    }

    /// Goes behind the next place where the name stands. False if it cannot be told whether that is the name or part of another one, true
    /// if it is it, nil if there is none.
    mutating func advance(behind name: [UInt8]) -> Bool? {
        while place <= text.count - name.count {
            let start = place
            guard text[start] == name[0], (0..<name.count).allSatisfy({ text[start + $0] == name[$0] }) else {
                place += 1
                continue
            }
            let (before, behind) = (byte(start - 1), byte(start + name.count))
            place = start + name.count
            if NameScanner.isNamePart(before) || NameScanner.isNamePart(behind) { continue }
            return before < 0x80 && behind < 0x80
        }
        return nil
    }

    /// The names behind the one just found: `.a.b` or `["a"]`; nil if there are none. What is called is left out, as the function that is
    /// called gets what it is a member of; so is a length, which needs the whole text or array.
    mutating func path() -> [[UInt8]]? {
        var path: [[UInt8]] = []
        while path.count < NameScanner.longestPath, let name = nextMember() { path.append(name) }
        skipBlanks()
        if byte(place) == UInt8(ascii: "(") || byte(place) == UInt8(ascii: "/") || path.last == Array("length".utf8) {
            path = path.dropLast()
            isValueUsed = true
        } else {
            isValueUsed = false
        }
        return path.isEmpty || byte(place) >= 0x80 ? nil : path
    }

    /// Whether what stands before the name that was just found leaves it to what follows: as in `(doc.a && …`, `!doc.a` and `if (doc.a)`.
    mutating func opensTest(_ name: [UInt8]) -> Bool {
        var start = place - name.count - 1
        while start >= 0, NameScanner.isBlank(text[start]) { start -= 1 }
        switch byte(start) {
        case UInt8(ascii: "&"), UInt8(ascii: "|"): opening = .operand
        case UInt8(ascii: "!"): opening = .negation
        case UInt8(ascii: "("):
            start -= 1
            while start >= 0, NameScanner.isBlank(text[start]) { start -= 1 }
            opening =
                byte(start) == UInt8(ascii: "f") && byte(start - 1) == UInt8(ascii: "i") && !NameScanner.isNamePart(byte(start - 2))
                ? .condition : .operand
        default: return false
        }
        return true
    }

    /// Whether the path that was just read ends there, and nothing is done with its value but to see whether it is true. What is false has no members.
    func closesTest() -> Bool {
        if isValueUsed { return false }
        let (next, second) = (byte(place), byte(place + 1))
        let isConjunction = next == UInt8(ascii: "&") && second == UInt8(ascii: "&")
        switch opening {
        case .operand: return isConjunction
        case .condition: return isConjunction || next == UInt8(ascii: ")")
        case .negation: return isConjunction || [UInt8(ascii: ")"), UInt8(ascii: "|"), UInt8(ascii: ";"), UInt8(ascii: ",")].contains(next)
        }
    }

    private mutating func nextMember() -> [UInt8]? {
        let start = place
        skipBlanks()
        if byte(place) == UInt8(ascii: ".") {
            place += 1
            skipBlanks()
            let found = name()
            if !found.isEmpty, byte(place) < 0x80 { return found }
        } else if byte(place) == UInt8(ascii: "["), byte(place + 1) == UInt8(ascii: "'") || byte(place + 1) == UInt8(ascii: "\"") {
            let quote = byte(place + 1)
            place += 2
            let found = name()
            if !found.isEmpty, byte(place) == quote, byte(place + 1) == UInt8(ascii: "]") {
                place += 2
                return found
            }
        }
        place = start
        return nil
    }
}
