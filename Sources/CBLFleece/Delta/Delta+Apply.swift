extension Delta {
    /// Writes what the delta makes of `old` into the encoder; an undefined value if it deletes it.
    ///
    /// `keys` is the table that `old` was encoded with. The delta comes from outside and may be anything; after an error the encoder
    /// holds half a value: reset it.
    package static func apply(_ delta: UnsafeRawBufferPointer, to old: Value, keys: SharedKeys?, into encoder: FleeceEncoder)
        throws(DeltaError)
    {
        let parsed = try parse(delta)
        try parsed.withRoot { node throws(DeltaError) in
            guard node.kind == .dictionary || node.kind == .array else { throw DeltaError("the delta is neither an object nor an array") }
            var patcher = DeltaPatcher(keys: keys, encoder: encoder, budget: WalkBudget(byteCount: old.limit + delta.count))
            if isDeletion(node) {
                guard !old.isUndefined else { throw DeltaPatcher.nothingToDelete }
                return encoder.writeUndefined()
            }
            try patcher.patch(old.isUndefined ? nil : old, with: node)
        }
        if let failure = encoder.failure { throw DeltaError("\(failure)") }
    }

    package static func apply(_ delta: String, to old: Value, keys: SharedKeys? = nil, into encoder: FleeceEncoder) throws(DeltaError) {
        var delta = delta
        let result: Result<Void, DeltaError> = delta.withUTF8 { bytes in
            Result { () throws(DeltaError) in try apply(UnsafeRawBufferPointer(bytes), to: old, keys: keys, into: encoder) }
        }
        try result.get()
    }

    private static func parse(_ delta: UnsafeRawBufferPointer) throws(DeltaError) -> FleeceData {
        let encoder = FleeceEncoder()
        do {
            // A delta wraps what a document may nest to the limit.
            try JSONParser.parse(delta, depth: JSONReader.deepest, into: encoder)
            return try encoder.finish()
        } catch {
            throw DeltaError("the delta is not JSON: \(error)")
        }
    }

    static func isDeletion(_ node: Value) -> Bool {
        guard let items = node.array else { return false }
        return items.isEmpty || items.count == 3 && items[2].double == deletionCode
    }
}

/// One delta being applied. Its depth is bounded by the parser that read it, and each of its nodes is used once; the old value may refer to its
/// parts as often as it likes.
private struct DeltaPatcher {
    let keys: SharedKeys?
    let encoder: FleeceEncoder
    /// For what is taken over of the old value.
    var budget: WalkBudget

    static let nothingToDelete = DeltaError("the delta deletes what is not there")

    /// Writes what a node, which is no deletion, makes of the old value.
    mutating func patch(_ old: Value?, with node: Value) throws(DeltaError) {
        switch node.kind {
        case .array:
            guard let items = node.array else { return }
            try replace(old, with: items)
        case .dictionary:
            guard let changes = node.dictionary else { return }
            guard let old else { throw DeltaError("the delta changes what is not there") }
            if let members = old.dictionary {
                try patch(members, with: changes)
            } else if let items = old.array {
                try patch(items, with: changes)
            } else {
                guard changes.isEmpty else { throw DeltaError("the delta changes members of what is neither an object nor an array") }
                encoder.write(old, keys: keys, within: &budget)
            }
        default:
            encoder.write(node, keys: nil)
        }
    }

    private mutating func replace(_ old: Value?, with node: ArrayView) throws(DeltaError) {
        switch node.count {
        case 1:
            encoder.write(node[0], keys: nil)
        case 2:
            guard old != nil else { throw DeltaError("the delta replaces what is not there") }
            encoder.write(node[1], keys: nil)
        case 3 where node[2].double == Delta.textPatchCode:
            guard let patch = node[0].stringBytes else { throw DeltaError("the text patch is not a string") }
            guard let text = old?.stringBytes else { throw DeltaError("there is no string for the text patch") }
            guard budget.spend(text.count) else { throw .endless }
            var result = ByteBuffer(capacity: text.count + patch.count)
            try TextPatch.apply(patch, to: text, into: &result)
            result.withBytes { encoder.writeString($0) }
        default:
            throw DeltaError("an array in the delta is of no known kind")
        }
    }

    private mutating func patch(_ old: DictionaryView, with changes: DictionaryView) throws(DeltaError) {
        guard budget.enter(old) else { throw .endless }
        encoder.beginDictionary()
        for (key, value) in old {
            guard budget.visit() else { throw .endless }
            let change = key.keyBytes(keys).flatMap { changes.value(forStringKey: $0) }
            if let change, Delta.isDeletion(change) { continue }
            try writeKey(key)
            if let change {
                let keys = keys
                try patch(value, with: change, at: key.keyString(keys) ?? "?")
            } else {
                encoder.write(value, keys: keys, within: &budget)
            }
        }
        for (key, change) in changes {
            guard let name = key.stringBytes, old.value(forKey: name, keys) == nil else { continue }
            guard !Delta.isDeletion(change) else { throw Self.nothingToDelete.within(String(decoding: name, as: UTF8.self)) }
            encoder.writeKey(name)
            try patch(nil, with: change, at: String(decoding: name, as: UTF8.self))
        }
        encoder.endDictionary()
    }

    private mutating func patch(_ old: ArrayView, with changes: DictionaryView) throws(DeltaError) {
        encoder.beginArray()
        for (index, item) in old.enumerated() {
            guard budget.visit() else { throw .endless }
            if let change = change(of: index, in: changes) {
                if Delta.isDeletion(change) {
                    encoder.writeUndefined()
                } else {
                    try patch(item, with: change, at: "\(index)")
                }
            } else if let rest = change(from: index, in: changes) {
                try append(rest)
                return encoder.endArray()
            } else {
                encoder.write(item, keys: keys, within: &budget)
            }
        }
        if let rest = change(from: old.count, in: changes) { try append(rest) }
        encoder.endArray()
    }

    private func append(_ rest: Value) throws(DeltaError) {
        guard let items = rest.array else { throw DeltaError("the delta has no array where the rest of one should be") }
        for item in items { encoder.write(item, keys: nil) }
    }

    private mutating func patch(_ old: Value?, with node: Value, at key: @autoclosure () -> String) throws(DeltaError) {
        do {
            try patch(old, with: node)
        } catch {
            throw error.within(key())
        }
    }

    private func writeKey(_ key: Value) throws(DeltaError) {
        if encoder.numbersKeys(as: keys), let number = key.integer {
            encoder.writeKey(sharedKey: Int(number))
        } else if let name = key.keyBytes(keys) {
            encoder.writeKey(name)
        } else {
            throw DeltaError("the key number \(key.integer ?? -1) is unknown")
        }
    }

    private func change(of index: Int, in changes: DictionaryView) -> Value? { value(ofKey: index, isRest: false, in: changes) }
    private func change(from index: Int, in changes: DictionaryView) -> Value? { value(ofKey: index, isRest: true, in: changes) }

    private func value(ofKey index: Int, isRest: Bool, in changes: DictionaryView) -> Value? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: NumberFormatting.maximumLength) { buffer in
            guard let start = buffer.baseAddress else { return nil }
            var length = NumberFormatting.write(Int64(index), to: start)
            if isRest {
                start[length] = UInt8(ascii: "-")
                length += 1
            }
            return changes.value(forStringKey: UnsafeRawBufferPointer(start: start, count: length))
        }
    }
}
