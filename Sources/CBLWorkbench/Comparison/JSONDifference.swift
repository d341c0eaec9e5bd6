import CBLFleece

/// What differs between two values, property by property: `name.first`, `tags[2]`.
package struct JSONDifference {
    package struct Change {
        package let path: String
        /// Nil if the property was added.
        package let before: Value?
        /// Nil if it was removed.
        package let after: Value?
    }

    // Deeper, or beyond so many, the rest is told in one piece: bytes from outside can describe more than anybody reads.
    private static let deepest = 64
    private static let most = 10_000

    private let keys: SharedKeys?
    private let otherKeys: SharedKeys?
    package private(set) var changes: [Change] = []

    /// Compares two bodies, each with its database's shared keys. The values must stay where they are, and have an end (`Value.isEndless`).
    package init(_ before: Value, _ keys: SharedKeys?, _ after: Value, _ otherKeys: SharedKeys?) {
        self.keys = keys
        self.otherKeys = otherKeys
        compare(before, after, at: "", depth: 0)
    }

    private mutating func compare(_ a: Value, _ b: Value, at path: String, depth: Int) {
        if a.isEqual(to: b, keys, otherKeys) { return }
        if depth < JSONDifference.deepest, changes.count < JSONDifference.most {
            if let first = a.dictionary, let second = b.dictionary { return compare(first, second, at: path, depth: depth + 1) }
            if let first = a.array, let second = b.array { return compare(first, second, at: path, depth: depth + 1) }
        }
        changes.append(Change(path: path, before: a, after: b))
    }

    private mutating func compare(_ a: DictionaryView, _ b: DictionaryView, at path: String, depth: Int) {
        var second: [String: Value] = [:]
        for (key, value) in b { second[key.keyString(otherKeys) ?? "?"] = value }
        var first: [String: Value] = [:]
        for (key, value) in a { first[key.keyString(keys) ?? "?"] = value }
        for name in Set(first.keys).union(second.keys).sorted() {
            let place = JSONDifference.path(path, name)
            if let before = first[name], let after = second[name] {
                compare(before, after, at: place, depth: depth)
            } else {
                changes.append(Change(path: place, before: first[name], after: second[name]))
            }
        }
    }

    // What both arrays have in common at the beginning and at the end is the same; what is between is compared item by item.
    private mutating func compare(_ a: ArrayView, _ b: ArrayView, at path: String, depth: Int) {
        var start = 0
        while start < min(a.count, b.count), a[start].isEqual(to: b[start], keys, otherKeys) { start += 1 }
        var end = 0
        while end < min(a.count, b.count) - start, a[a.count - 1 - end].isEqual(to: b[b.count - 1 - end], keys, otherKeys) { end += 1 }
        let (firstEnd, secondEnd) = (a.count - end, b.count - end)
        for index in start..<max(firstEnd, secondEnd) {
            let place = "\(path)[\(index)]"
            switch (index < firstEnd, index < secondEnd) {
            case (true, true): compare(a[index], b[index], at: place, depth: depth)
            case (true, false): changes.append(Change(path: place, before: a[index], after: nil))
            default: changes.append(Change(path: place, before: nil, after: b[index]))
            }
        }
    }

    /// A property's path as `KeyPath` reads it.
    private static func path(_ parent: String, _ name: String) -> String {
        var escaped = ""
        for (index, character) in name.unicodeScalars.enumerated() {
            if character == "." || character == "[" || character == "\\" || (character == "$" && index == 0 && parent.isEmpty) {
                escaped += "\\"
            }
            escaped.unicodeScalars.append(character)
        }
        return parent.isEmpty ? escaped : parent + "." + escaped
    }
}
