/// Fleece bytes straight to JSON text.
///
/// Three things that JSON has no form for are written all the same, so that a person sees them: `undefined`, `inf`, and a bare
/// number as the key that the table of shared keys does not know.
package enum JSONWriter {
    /// Appends the text of a value.
    ///
    /// False if the value is nested too deep, or refers to its parts so often that the text would be out of all proportion to the
    /// bytes, as only hostile bytes do: then `undefined` stands for all of it.
    @discardableResult
    package static func write(_ value: Value, keys: SharedKeys?, style: JSONStyle = .compact, to buffer: inout ByteBuffer) -> Bool {
        var budget = WalkBudget(for: value)
        return write(value, keys: keys, style: style, within: &budget, to: &buffer)
    }

    /// The same for one of several parts of a value, which have one budget together. With `isStrict`, what JSON has no form for is treated
    /// like what is nested too deep.
    @discardableResult
    package static func write(
        _ value: Value, keys: SharedKeys?, style: JSONStyle = .compact, isStrict: Bool = false, within budget: inout WalkBudget,
        to buffer: inout ByteBuffer
    ) -> Bool {
        var rendering = JSONRendering(within: budget, keys: keys, style: style)
        let start = buffer.count
        rendering.write(value, depth: 0, to: &buffer)
        budget = rendering.budget
        guard rendering.isAbandoned || isStrict && rendering.hasForeignWords else { return true }
        buffer.truncate(to: start)
        buffer.append("undefined")
        return false
    }

    /// Appends the members of a dictionary without its braces, each behind a comma unless it is the first, so that the caller can put
    /// members of its own before them. False, and nothing appended, if it cannot be written; with `isStrict` also if JSON has no form for a part.
    @discardableResult
    package static func writeMembers(
        of value: Value, keys: SharedKeys?, style: JSONStyle = .compact, isStrict: Bool = false, startingWithComma: Bool,
        to buffer: inout ByteBuffer
    ) -> Bool {
        guard let dictionary = value.dictionary else { return false }
        var rendering = JSONRendering(of: value, keys: keys, style: style)
        let start = buffer.count
        rendering.writeMembers(of: dictionary, depth: 1, startingWithComma: startingWithComma, to: &buffer)
        let isWritten = !rendering.isAbandoned && !(isStrict && rendering.hasForeignWords)
        if !isWritten { buffer.truncate(to: start) }
        return isWritten
    }

    /// Appends a double: the shortest digits that read back as the same.
    package static func write(double: Double, to buffer: inout ByteBuffer) {
        buffer.appendNumber { NumberFormatting.write(double, to: $0) }
    }

    /// Appends UTF-8 bytes as a string in quotes.
    package static func write(string bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        buffer.append(quoted: bytes)
    }

    /// Appends UTF-8 bytes as the key of an object: in quotes, unless the style is JSON5 and they need none.
    package static func write(key bytes: UnsafeRawBufferPointer, style: JSONStyle, to buffer: inout ByteBuffer) {
        if style.contains(.json5), JSONRendering.isBareKey(bytes) { buffer.append(bytes) } else { buffer.append(quoted: bytes) }
    }

    /// Appends binary data as JSON has it: a string of Base64.
    package static func write(data bytes: UnsafeRawBufferPointer, to buffer: inout ByteBuffer) {
        buffer.append(base64: bytes)
    }

    /// A text as a JSON string, quotes included.
    package static func quoted(_ text: String) -> String {
        var buffer = ByteBuffer()
        write(string: text, to: &buffer)
        return buffer.string
    }

    package static func write(string: String, to buffer: inout ByteBuffer) {
        var string = string
        string.withUTF8 { buffer.append(quoted: UnsafeRawBufferPointer($0)) }
    }
}

extension Value {
    /// The value as JSON text; `keys` is the table of shared keys it was encoded with.
    package func json(keys: SharedKeys? = nil, style: JSONStyle = .compact) -> String {
        var buffer = ByteBuffer()
        JSONWriter.write(self, keys: keys, style: style, to: &buffer)
        return buffer.string
    }
}

/// One value on its way to text: the style, what may still be written, and room to sort keys in.
///
/// Hot: the export benchmark. Allocates nothing unless keys have to be sorted, and then once.
struct JSONRendering: ~Copyable {
    let keys: SharedKeys?
    let style: JSONStyle
    /// Whether the value turned out not to be writable, and the text so far is worth nothing.
    private(set) var isAbandoned = false
    /// Whether something was written that JSON has no form for.
    private(set) var hasForeignWords = false
    private(set) var budget: WalkBudget
    private var sorting = KeySorting()
    /// The names in `keys`.
    private let names: SharedKeys.Names?
    /// How many of them can be written as they are, with nothing but quotes around them: all or none.
    private let plainCount: Int

    init(of value: Value, keys: SharedKeys?, style: JSONStyle) {
        self.init(within: WalkBudget(for: value), keys: keys, style: style)
    }

    init(within budget: WalkBudget, keys: SharedKeys?, style: JSONStyle) {
        self.budget = budget
        self.keys = keys
        self.style = style
        names = keys?.allNames
        plainCount = keys?.areAllPlain == true && style.isDisjoint(with: [.pretty, .json5]) ? keys?.count ?? 0 : 0
    }

    mutating func write(_ value: Value, depth: Int, to buffer: inout ByteBuffer) {
        spend(WalkBudget.valueCost)
        guard !isAbandoned else { return }
        switch value.byte0 >> 4 {
        case 4:
            guard let bytes = value.stringBytes else { return writeForeign("undefined", to: &buffer) }
            spend(bytes.count)
            buffer.append(quoted: bytes)
        case 0, 1:
            guard let bits = value.integerBits else { return writeForeign("undefined", to: &buffer) }
            buffer.appendNumber {
                value.isUnsigned ? NumberFormatting.write(bits, to: $0) : NumberFormatting.write(Int64(bitPattern: bits), to: $0)
            }
        case 7:
            writeDictionary(value, depth: depth, to: &buffer)
        case 6:
            writeArray(value, depth: depth, to: &buffer)
        default:
            writeOther(value, to: &buffer)
        }
    }

    private mutating func writeOther(_ value: Value, to buffer: inout ByteBuffer) {
        switch value.kind {
        case .boolean:
            buffer.append(value.boolean == true ? "true" : "false")
        case .null:
            buffer.append("null")
        case .double:
            guard let number = value.double else { return writeForeign("undefined", to: &buffer) }
            if !number.isFinite { hasForeignWords = true }
            buffer.appendNumber { value.isFloat ? NumberFormatting.write(Float(number), to: $0) : NumberFormatting.write(number, to: $0) }
        case .data:
            guard let bytes = value.dataBytes else { return writeForeign("undefined", to: &buffer) }
            spend(bytes.count)
            buffer.append(base64: bytes)
        default:
            writeForeign("undefined", to: &buffer)
        }
    }

    private mutating func writeForeign(_ word: StaticString, to buffer: inout ByteBuffer) {
        hasForeignWords = true
        buffer.append(word)
    }

    @inline(__always)
    private mutating func spend(_ cost: Int) {
        if !budget.spend(cost) { isAbandoned = true }
    }

    private mutating func writeArray(_ value: Value, depth: Int, to buffer: inout ByteBuffer) {
        guard let array = value.array else { return writeForeign("undefined", to: &buffer) }
        guard depth < Limits.depth else {
            isAbandoned = true
            return
        }
        let count = array.count
        buffer.append(UInt8(ascii: "["))
        for index in 0..<count {
            if index > 0 { buffer.append(UInt8(ascii: ",")) }
            startLine(depth + 1, in: &buffer)
            write(array[index], depth: depth + 1, to: &buffer)
            if isAbandoned { return }
        }
        startLine(depth, in: &buffer)
        buffer.append(UInt8(ascii: "]"))
    }

    private mutating func writeDictionary(_ value: Value, depth: Int, to buffer: inout ByteBuffer) {
        guard let dictionary = value.dictionary else { return writeForeign("undefined", to: &buffer) }
        guard depth < Limits.depth else {
            isAbandoned = true
            return
        }
        buffer.append(UInt8(ascii: "{"))
        writeMembers(of: dictionary, depth: depth + 1, startingWithComma: false, to: &buffer)
        startLine(depth, in: &buffer)
        buffer.append(UInt8(ascii: "}"))
    }

    mutating func writeMembers(of dictionary: DictionaryView, depth: Int, startingWithComma: Bool, to buffer: inout ByteBuffer) {
        if style.contains(.canonical) {
            return writeSortedMembers(of: dictionary, depth: depth, startingWithComma: startingWithComma, to: &buffer)
        }
        var needsComma = startingWithComma
        guard !dictionary.inherits else {
            guard budget.enter(dictionary) else { return isAbandoned = true }
            for (key, value) in dictionary {
                writeMember(key.keyBytes(keys), key, value, depth: depth, needsComma: needsComma, to: &buffer)
                needsComma = true
                if isAbandoned { return }
            }
            return
        }
        let slots = dictionary.slots
        for index in 0..<Int(slots.count) {
            let head = Int(slots.head(index &* 2))
            let value = slots[index &* 2 &+ 1]
            if head < plainCount, let names {
                buffer.append(plainKey: names.packed(head), length: names[head].count, needsComma: needsComma)
                write(value, depth: depth, to: &buffer)
            } else {
                writeMember(name(slots, index), slots[index &* 2], value, depth: depth, needsComma: needsComma, to: &buffer)
            }
            needsComma = true
            if isAbandoned { return }
        }
    }

    /// The name of a pair's key; nil for a shared key that the table does not have.
    @inline(__always)
    private func name(_ slots: Slots, _ index: Int) -> UnsafeRawBufferPointer? {
        let head = Int(slots.head(index &* 2))
        if let names, head < names.count { return names[head] }
        return head < 0x1000 ? nil : slots[index &* 2].stringBytes
    }

    private mutating func writeSortedMembers(
        of dictionary: DictionaryView, depth: Int, startingWithComma: Bool, to buffer: inout ByteBuffer
    ) {
        let first = sorting.count
        spend(Int(dictionary.slots.count))
        if isAbandoned { return }
        if !dictionary.inherits, let names, let order = PlainOrder(dictionary.slots, names, plainCount) {
            return writePlainMembers(of: dictionary.slots, order, names, depth: depth, startingWithComma: startingWithComma, to: &buffer)
        }
        if dictionary.inherits {
            guard budget.enter(dictionary) else { return isAbandoned = true }
            for (key, value) in dictionary { sorting.append(key.keyBytes(keys), key, value) }
        } else {
            let slots = dictionary.slots
            for index in 0..<Int(slots.count) { sorting.append(name(slots, index), slots[index &* 2], slots[index &* 2 &+ 1]) }
        }
        sorting.sort(from: first)
        var needsComma = startingWithComma
        for index in first..<sorting.count {
            let member = sorting[index]
            writeMember(member.name, member.key, member.value, depth: depth, needsComma: needsComma, to: &buffer)
            needsComma = true
            if isAbandoned { return }
        }
        sorting.truncate(to: first)
    }

    private mutating func writePlainMembers(
        of slots: Slots, _ order: PlainOrder, _ names: SharedKeys.Names, depth: Int, startingWithComma: Bool, to buffer: inout ByteBuffer
    ) {
        var needsComma = startingWithComma
        for place in 0..<order.count {
            let index = order[place]
            let head = Int(slots.head(index &* 2))
            let length = names[head].count
            spend(length)
            buffer.append(plainKey: names.packed(head), length: length, needsComma: needsComma)
            write(slots[index &* 2 &+ 1], depth: depth, to: &buffer)
            needsComma = true
            if isAbandoned { return }
        }
    }

    @inline(__always)
    private mutating func writeMember(
        _ name: UnsafeRawBufferPointer?, _ key: Value, _ value: Value, depth: Int, needsComma: Bool, to buffer: inout ByteBuffer
    ) {
        if needsComma { buffer.append(UInt8(ascii: ",")) }
        startLine(depth, in: &buffer)
        if let name {
            spend(name.count)
            if style.contains(.json5), Self.isBareKey(name) { buffer.append(name) } else { buffer.append(quoted: name) }
        } else {
            hasForeignWords = true
            buffer.appendNumber { NumberFormatting.write(key.integer ?? 0, to: $0) }
        }
        buffer.append(UInt8(ascii: ":"))
        if style.contains(.pretty) { buffer.append(UInt8(ascii: " ")) }
        write(value, depth: depth, to: &buffer)
    }

    @inline(__always)
    private mutating func startLine(_ depth: Int, in buffer: inout ByteBuffer) {
        if style.contains(.pretty) { startIndentedLine(depth, in: &buffer) }
    }

    private mutating func startIndentedLine(_ depth: Int, in buffer: inout ByteBuffer) {
        // A level or two of indentation is part of what a value costs.
        spend(max(0, depth - 4))
        buffer.append(UInt8(ascii: "\n"))
        for _ in 0..<depth { buffer.append("  ") }
    }

    static func isBareKey(_ name: UnsafeRawBufferPointer) -> Bool {
        guard let first = name.first, !first.isDecimalDigit else { return false }
        return name.allSatisfy { byte in
            byte.isDecimalDigit || (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "$")
        }
    }
}
