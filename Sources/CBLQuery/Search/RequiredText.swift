/// A text that every match of a regular expression has in it, which is found more quickly than the expression is tried.
enum RequiredText {
    /// The longest that can be told at a glance: nil if there is none, or if it takes more than a glance.
    static func of(_ pattern: String, ignoringCase: Bool) -> [UInt8]? {
        // Which of several alternatives matches is not known.
        guard !pattern.unicodeScalars.contains("|") else { return nil }
        var scan = Scan(scalars: Array(pattern.unicodeScalars), ignoresCase: ignoringCase)
        scan.scan()
        return scan.longest.isEmpty ? nil : scan.longest
    }

    private struct Scan {
        let scalars: [Unicode.Scalar]
        let ignoresCase: Bool
        var place = 0
        var depth = 0
        var run: [[UInt8]] = []
        var longest: [UInt8] = []

        mutating func scan() {
            while let scalar = take() {
                switch scalar {
                case "\\": guard escape() else { return end() }
                case "[": set()
                case "(":
                    end()
                    depth += 1
                case ")":
                    end()
                    depth -= 1
                case "*", "?": endBeforeLast()
                case "{":
                    endBeforeLast()
                    while let next = take(), next != "}" {}
                case "+", ".", "^", "$", "]", "}": end()
                default: add(scalar)
                }
            }
            end()
        }

        mutating func take() -> Unicode.Scalar? {
            guard place < scalars.count else { return nil }
            defer { place += 1 }
            return scalars[place]
        }

        /// What is in a group may be left out, or be what must not be there.
        mutating func add(_ scalar: Unicode.Scalar) {
            guard depth == 0 else { return }
            // Letters beyond ASCII have more than one other form, some of which are letters of it.
            if ignoresCase, !scalar.isASCII { return end() }
            run.append(Array(String(scalar).utf8))
        }

        /// False for what goes on behind the letter, as numbers of characters and names of properties do.
        mutating func escape() -> Bool {
            guard let scalar = take() else { return true }
            switch scalar {
            case "d", "D", "w", "W", "s", "S", "b", "B", "n", "r", "t", "f", "v": end()
            case "a"..."z", "A"..."Z", "0"..."9": return false
            default: add(scalar)
            }
            return true
        }

        mutating func set() {
            end()
            while let scalar = take(), scalar != "]" {
                if scalar == "\\" { _ = take() }
            }
        }

        mutating func endBeforeLast() {
            _ = run.popLast()
            end()
        }

        mutating func end() {
            let text = Array(run.joined())
            if text.count > longest.count { longest = text }
            run.removeAll()
        }
    }
}
