/// A path into a value, compiled once: property names separated by `.`, array items as `[n]` (from the end if negative), `\` before a character
/// that would otherwise mean something.
///
///     let path = try KeyPath("contact.emails[0]")
///     let email = path.evaluate(in: body, keys: table)
///
/// Hot: `fl_value` evaluates one per row. A name remembers its number in the table of shared keys, and at which pair it was found last: the
/// next document probably has it there too. So an evaluation allocates nothing, hashes nothing after the first, and mostly searches nothing.
/// Belongs to one connection, like the table.
package final class KeyPath {
    struct Component: BitwiseCopyable {
        /// Where the name lies in `names`; -1 for an array index.
        var start: Int32
        /// The length of the name, or the array index.
        var value: Int32
        /// The number of the name in the table that `KeyPath.identity` names; -1 if it has none.
        var sharedKey: Int32
        /// The pair at which the name was found last.
        var pair: Int32 = 0
    }

    let components: UnsafeMutableBufferPointer<Component>
    private let names: UnsafeMutableRawBufferPointer
    // For which table, and which state of it, the components' numbers hold.
    @exclusivity(unchecked) private var identity: UInt64 = 0
    @exclusivity(unchecked) private var keyCount = 0

    /// How many components the path has. With none it leads to the value itself.
    package var count: Int { components.count }

    package convenience init(_ path: String) throws(KeyPathError) {
        try self.init(bytes: Array(path.utf8))
    }

    /// A path in UTF-8, as SQL functions get it.
    package convenience init(_ path: UnsafeRawBufferPointer) throws(KeyPathError) {
        try self.init(bytes: Array(path))
    }

    /// One component of a path.
    package enum Step: Hashable, Sendable {
        case name(String)
        /// Counts from the end if negative.
        case index(Int)
    }

    /// A path whose names are given as they are, without backslashes. Nil if a name is empty, or an index out of all reason.
    package init?(_ steps: [Step]) {
        var scanner = SyntaxScanner(path: [])
        for step in steps {
            switch step {
            case .index(let index):
                guard let index = Int32(exactly: index) else { return nil }
                scanner.components.append(Component(start: -1, value: index, sharedKey: -1))
            case .name(let name):
                guard !name.isEmpty else { return nil }
                let bytes = Array(name.utf8)
                scanner.components.append(Component(start: Int32(scanner.names.count), value: Int32(bytes.count), sharedKey: -1))
                scanner.names += bytes
            }
        }
        (names, components) = KeyPath.memory(for: scanner)
    }

    private init(bytes: [UInt8]) throws(KeyPathError) {
        var scanner = SyntaxScanner(path: bytes)
        try scanner.scan()
        (names, components) = KeyPath.memory(for: scanner)
    }

    private static func memory(for scanner: SyntaxScanner) -> (UnsafeMutableRawBufferPointer, UnsafeMutableBufferPointer<Component>) {
        let names = UnsafeMutableRawBufferPointer.allocate(byteCount: max(scanner.names.count, 1), alignment: 1)
        names.copyBytes(from: scanner.names)
        let components = UnsafeMutableBufferPointer<Component>.allocate(capacity: scanner.components.count)
        _ = components.initialize(from: scanner.components)
        return (names, components)
    }

    deinit {
        components.deallocate()
        names.deallocate()
    }

    /// The value at the path, or nil if there is none. `keys` is the table of the value's dictionaries.
    package func evaluate(in root: Value, keys: SharedKeys?) -> Value? {
        if let keys, keys.identity != identity || keys.count != keyCount { look(up: keys) }
        var value = root
        for index in 0..<components.count {
            let component = components[index]
            if component.start < 0 {
                guard let array = value.array else { return nil }
                let item = component.value < 0 ? array.count &+ Int(component.value) : Int(component.value)
                guard item >= 0, item < array.count else { return nil }
                value = array[item]
            } else {
                guard let dictionary = value.dictionary else { return nil }
                var pair = Int(component.pair)
                if keys != nil, component.sharedKey >= 0,
                    let next = dictionary.value(forSharedKey: Int(component.sharedKey), probablyAt: &pair)
                {
                    value = next
                } else if let next = dictionary.value(forStringKey: name(component), probablyAt: &pair) {
                    value = next
                } else {
                    return nil
                }
                components[index].pair = Int32(truncatingIfNeeded: pair)
            }
        }
        return value.isUndefined ? nil : value
    }

    @inline(__always)
    func name(_ component: Component) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: names.baseAddress.map { $0 + Int(component.start) }, count: Int(component.value))
    }

    private func look(up keys: SharedKeys) {
        for index in components.indices where components[index].start >= 0 {
            components[index].sharedKey = keys.index(ofKey: name(components[index])).map { Int32($0) } ?? -1
        }
        identity = keys.identity
        keyCount = keys.count
    }

    private struct SyntaxScanner {
        let path: [UInt8]
        var position = 0
        var names: [UInt8] = []
        var components: [Component] = []

        init(path: [UInt8]) { self.path = path }

        mutating func scan() throws(KeyPathError) {
            guard path.count < Int32.max else { throw error("the path is too long") }
            // Paths of older index definitions begin with "$." or "."; the root itself is "$" or nothing.
            if path.first == UInt8(ascii: "$"), path.count == 1 || path[1] == UInt8(ascii: ".") || path[1] == UInt8(ascii: "[") {
                position = 1
            }
            var needsName = position == 0 && !path.isEmpty && path.first != UInt8(ascii: "[")
            if position == 0, path.first == UInt8(ascii: ".") {
                position = 1
                needsName = path.count > 1 && path[1] != UInt8(ascii: "[")
            }
            if needsName { try scanName() }
            while position < path.count {
                if path[position] == UInt8(ascii: "[") {
                    try scanIndex()
                } else if path[position] == UInt8(ascii: ".") {
                    position += 1
                    try scanName()
                } else {
                    throw error("expected \".\" or \"[\"")
                }
            }
        }

        private mutating func scanName() throws(KeyPathError) {
            let start = names.count
            while position < path.count, path[position] != UInt8(ascii: "."), path[position] != UInt8(ascii: "[") {
                if path[position] == UInt8(ascii: "\\") {
                    position += 1
                    guard position < path.count else { throw error("nothing follows the \"\\\"") }
                }
                names.append(path[position])
                position += 1
            }
            guard names.count > start else { throw error("expected a property name") }
            components.append(Component(start: Int32(start), value: Int32(names.count - start), sharedKey: -1))
        }

        private mutating func scanIndex() throws(KeyPathError) {
            position += 1
            let isNegative = position < path.count && path[position] == UInt8(ascii: "-")
            if isNegative { position += 1 }
            let first = position
            var number: Int32 = 0
            while position < path.count, case UInt8(ascii: "0")...UInt8(ascii: "9") = path[position] {
                let (tens, tooLarge) = number.multipliedReportingOverflow(by: 10)
                let (sum, stillTooLarge) = tens.addingReportingOverflow(Int32(path[position] - UInt8(ascii: "0")))
                guard !tooLarge, !stillTooLarge else { throw error("the array index is too large") }
                number = sum
                position += 1
            }
            guard position > first else { throw error("expected an array index") }
            guard position < path.count, path[position] == UInt8(ascii: "]") else { throw error("expected \"]\"") }
            position += 1
            components.append(Component(start: -1, value: isNegative ? -number : number, sharedKey: -1))
        }

        private func error(_ reason: String) -> KeyPathError {
            KeyPathError(path: String(decoding: path, as: UTF8.self), offset: position, reason: reason)
        }
    }
}

/// A path that is none.
package struct KeyPathError: Error, Hashable, Sendable, CustomStringConvertible {
    package let path: String
    /// The byte at which it stops making sense; nil if the path is right, but does not lead anywhere in a value.
    package let offset: Int?
    package let reason: String

    package var description: String {
        guard let offset else { return "key path \"\(path)\": \(reason)" }
        return "key path \"\(path)\", byte \(offset): \(reason)"
    }
}
