extension PropertyPath {
    /// Reads the text of a path: names separated by dots, `[n]`, and a backslash before a character that stands for itself. A dot may come
    /// first; one at the end is a star. Nil if the text is no path.
    package init?(text: String) {
        var scanner = SyntaxScanner(bytes: Array(text.utf8))
        guard let path = scanner.scan() else { return nil }
        self = path
    }

    /// The text of the path as functions of SQL get it, and as it names columns of full-text tables: without a dot in front.
    package var text: String {
        var text = ""
        for (place, component) in components.enumerated() {
            switch component {
            case .index(let index): text += "[\(index)]"
            case .name(let name):
                if place > 0 { text += "." } else if name.utf8.first == UInt8(ascii: "$") { text += "\\" }
                text += name.escaped { $0 == "." || $0 == "[" || $0 == "\\" }
            }
        }
        return text
    }

    private struct SyntaxScanner {
        let bytes: [UInt8]
        var position = 0

        init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func scan() -> PropertyPath? {
            var path = PropertyPath()
            if bytes.first == UInt8(ascii: ".") { position = 1 }
            guard position < bytes.count else { return path }
            var isName = bytes[position] != UInt8(ascii: "[")
            if !isName { position += 1 }
            while true {
                guard let component = isName ? name() : index() else { return nil }
                path.components.append(component)
                guard position < bytes.count else { return path }
                let delimiter = bytes[position]
                position += 1
                switch delimiter {
                case UInt8(ascii: "."):
                    if position == bytes.count {
                        path.endsInStar = true
                        return path
                    }
                    isName = true
                case UInt8(ascii: "["): isName = false
                default: return nil
                }
            }
        }

        private mutating func name() -> Component? {
            var name: [UInt8] = []
            while position < bytes.count, bytes[position] != UInt8(ascii: "."), bytes[position] != UInt8(ascii: "[") {
                if bytes[position] == UInt8(ascii: "\\") {
                    position += 1
                    guard position < bytes.count else { return nil }
                }
                name.append(bytes[position])
                position += 1
            }
            return name.isEmpty ? nil : .name(String(decoding: name, as: UTF8.self))
        }

        // The reference takes a path that ends without the bracket.
        private mutating func index() -> Component? {
            let end = bytes[position...].firstIndex(of: UInt8(ascii: "]")) ?? bytes.count
            guard let index = Int32(String(decoding: bytes[position..<end], as: UTF8.self)) else { return nil }
            position = min(end + 1, bytes.count)
            return .index(Int(index))
        }
    }
}

extension String {
    /// The text with a backslash before some of its characters.
    fileprivate func escaped(_ isSpecial: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isSpecial) else { return self }
        var text = ""
        for scalar in unicodeScalars {
            if isSpecial(scalar) { text += "\\" }
            text.unicodeScalars.append(scalar)
        }
        return text
    }
}
