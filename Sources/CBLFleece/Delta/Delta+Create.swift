extension Delta {
    /// The delta from one value to another, both encoded with the same table of shared keys. `{}` if they are equal.
    ///
    /// What JSON cannot say (an infinite number, a key that the table does not know, an undefined value but for an item of an array) is an error.
    package static func create(from old: Value, to new: Value, keys: SharedKeys? = nil) throws(DeltaError) -> String {
        var buffer = ByteBuffer()
        try create(from: old, to: new, keys: keys, into: &buffer)
        return buffer.string
    }

    /// Appends the delta to a buffer. After an error the buffer is as it was.
    package static func create(from old: Value, to new: Value, keys: SharedKeys?, into buffer: inout ByteBuffer) throws(DeltaError) {
        let start = buffer.count
        do {
            var maker = DeltaMaker(from: old, to: new, keys: keys)
            if try !maker.difference(from: old, to: new, depth: 0, isRoot: true, into: &buffer) { buffer.append("{}") }
        } catch {
            buffer.truncate(to: start)
            throw error
        }
    }
}

/// One delta in the making.
private struct DeltaMaker {
    let keys: SharedKeys?
    var textWork = Delta.textWork
    var budget: WalkBudget

    init(from old: Value, to new: Value, keys: SharedKeys?) {
        self.keys = keys
        budget = WalkBudget(byteCount: old.limit + new.limit)
    }

    /// Appends the node that turns `old`, if there is one, into `new`. False, and nothing appended, if they are the same.
    mutating func difference(from old: Value?, to new: Value, depth: Int, isRoot: Bool = false, into buffer: inout ByteBuffer)
        throws(DeltaError) -> Bool
    {
        guard budget.visit() else { throw .endless }
        guard depth <= Limits.depth else { throw .tooDeep }
        guard let old, !isRoot || !old.isUndefined else {
            try replace(with: new, isRoot: isRoot, into: &buffer)
            return true
        }
        switch (old.kind, new.kind) {
        case (.dictionary, .dictionary):
            if let oldMembers = old.dictionary, let newMembers = new.dictionary {
                return try differenceOfDictionaries(from: oldMembers, to: newMembers, depth: depth, into: &buffer)
            }
        case (.array, .array):
            if let oldItems = old.array, let newItems = new.array {
                if oldItems.isEmpty, newItems.isEmpty { return false }
                if !oldItems.isEmpty, !newItems.isEmpty {
                    return try differenceOfArrays(from: oldItems, to: newItems, depth: depth, into: &buffer)
                }
            }
        default:
            guard budget.spend((new.stringBytes ?? new.dataBytes)?.count ?? 0) else { throw .endless }
            if Delta.areSame(old, new) { return false }
            if let oldText = old.stringBytes, let newText = new.stringBytes, patch(oldText, newText, into: &buffer) { return true }
        }
        try replace(with: new, isRoot: isRoot, into: &buffer)
        return true
    }

    private mutating func differenceOfDictionaries(
        from old: DictionaryView, to new: DictionaryView, depth: Int, into buffer: inout ByteBuffer
    ) throws(DeltaError) -> Bool {
        guard budget.enter(old), budget.enter(new) else { throw .endless }
        let start = buffer.count
        for (key, value) in new {
            let name = try name(of: key)
            guard budget.spend(name.count) else { throw .endless }
            let mark = buffer.count
            beginMember(name, isFirst: mark == start, in: &buffer)
            do {
                if try !difference(from: old.value(forKey: name, keys), to: value, depth: depth + 1, into: &buffer) {
                    buffer.truncate(to: mark)
                }
            } catch {
                throw error.within(String(decoding: name, as: UTF8.self))
            }
        }
        for (key, _) in old {
            let name = try name(of: key)
            guard budget.visit(), budget.spend(name.count) else { throw .endless }
            guard new.value(forKey: name, keys) == nil else { continue }
            beginMember(name, isFirst: buffer.count == start, in: &buffer)
            buffer.append("[]")
        }
        return end(start, in: &buffer)
    }

    private mutating func differenceOfArrays(
        from old: ArrayView, to new: ArrayView, depth: Int, into buffer: inout ByteBuffer
    ) throws(DeltaError) -> Bool {
        let start = buffer.count
        let common = min(old.count, new.count)
        for index in 0..<common {
            let mark = buffer.count
            beginMember(index, suffix: "\":", isFirst: mark == start, in: &buffer)
            if new[index].isUndefined {
                // Within an array a deletion leaves an undefined item.
                if old[index].isUndefined { buffer.truncate(to: mark) } else { buffer.append("[]") }
                continue
            }
            do {
                if try !difference(from: old[index], to: new[index], depth: depth + 1, into: &buffer) { buffer.truncate(to: mark) }
            } catch {
                throw error.within("\(index)")
            }
        }
        if old.count != new.count {
            beginMember(common, suffix: "-\":", isFirst: buffer.count == start, in: &buffer)
            buffer.append(UInt8(ascii: "["))
            for index in common..<new.count {
                if index > common { buffer.append(UInt8(ascii: ",")) }
                try write(new[index], into: &buffer)
            }
            buffer.append(UInt8(ascii: "]"))
        }
        return end(start, in: &buffer)
    }

    // The brace opens with the first member, so that nothing is written where nothing differs.

    private func beginMember(_ name: UnsafeRawBufferPointer, isFirst: Bool, in buffer: inout ByteBuffer) {
        buffer.append(UInt8(ascii: isFirst ? "{" : ","))
        buffer.append(quoted: name)
        buffer.append(UInt8(ascii: ":"))
    }

    private func beginMember(_ index: Int, suffix: StaticString, isFirst: Bool, in buffer: inout ByteBuffer) {
        buffer.append(isFirst ? "{\"" : ",\"")
        buffer.append(decimal: Int64(index))
        buffer.append(suffix)
    }

    private func end(_ start: Int, in buffer: inout ByteBuffer) -> Bool {
        guard buffer.count > start else { return false }
        buffer.append(UInt8(ascii: "}"))
        return true
    }

    private func name(of key: Value) throws(DeltaError) -> UnsafeRawBufferPointer {
        guard let name = key.keyBytes(keys) else { throw DeltaError("the key number \(key.integer ?? -1) is unknown") }
        return name
    }

    private mutating func patch(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer, into buffer: inout ByteBuffer) -> Bool {
        var operations = ByteBuffer()
        guard TextPatch.create(from: old, to: new, work: &textWork, into: &operations) else { return false }
        buffer.append(UInt8(ascii: "["))
        operations.withBytes { buffer.append(quoted: $0) }
        buffer.append(",0,2]")
        return true
    }

    private mutating func replace(with new: Value, isRoot: Bool, into buffer: inout ByteBuffer) throws(DeltaError) {
        if isRoot, new.isUndefined { return buffer.append("[]") }
        let isWrapped = isRoot || new.kind == .array || new.kind == .dictionary
        if isWrapped { buffer.append(UInt8(ascii: "[")) }
        try write(new, into: &buffer)
        if isWrapped { buffer.append(UInt8(ascii: "]")) }
    }

    private mutating func write(_ value: Value, into buffer: inout ByteBuffer) throws(DeltaError) {
        var rendering = JSONRendering(within: budget, keys: keys, style: .compact)
        rendering.write(value, depth: 0, to: &buffer)
        budget = rendering.budget
        if rendering.isAbandoned { throw .endless }
        if rendering.hasForeignWords { throw DeltaError("the new value has something in it that JSON cannot say") }
    }
}
