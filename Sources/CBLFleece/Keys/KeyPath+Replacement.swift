extension KeyPath {
    /// Writes `root` anew into an encoder, with what `write` writes in place of the value that the path leads to. Objects and arrays on the way
    /// that are not there yet, or null, are made; the item just behind the end of an array is appended.
    ///
    /// On an error the encoder is left as it is then: `reset` it.
    package func replace(in root: Value, keys: SharedKeys?, into encoder: FleeceEncoder, with write: (FleeceEncoder) throws -> Void) throws
    {
        var budget = WalkBudget(for: root)
        try replace(root, at: 0, keys, encoder, &budget, write)
    }

    private func replace(
        _ value: Value?, at index: Int, _ keys: SharedKeys?, _ encoder: FleeceEncoder, _ budget: inout WalkBudget,
        _ write: (FleeceEncoder) throws -> Void
    ) throws {
        guard index < components.count else { return try write(encoder) }
        let component = components[index]
        let value = value.flatMap { $0.isNull || $0.isUndefined ? nil : $0 }
        if component.start < 0 {
            try replaceItem(Int(component.value), of: value, at: index, keys, encoder, &budget, write)
        } else {
            try replaceMember(name(component), of: value, at: index, keys, encoder, &budget, write)
        }
    }

    private func replaceMember(
        _ name: UnsafeRawBufferPointer, of value: Value?, at index: Int, _ keys: SharedKeys?, _ encoder: FleeceEncoder,
        _ budget: inout WalkBudget, _ write: (FleeceEncoder) throws -> Void
    ) throws {
        guard value == nil || value?.dictionary != nil else { throw mismatch(index, "what is there is not an object") }
        encoder.beginDictionary()
        var isFound = false
        if let dictionary = value?.dictionary {
            for (key, member) in dictionary {
                guard let bytes = key.keyBytes(keys) else { continue }
                encoder.writeKey(bytes)
                if bytes.elementsEqual(name) {
                    isFound = true
                    try replace(member, at: index + 1, keys, encoder, &budget, write)
                } else {
                    encoder.write(member, keys: keys, within: &budget)
                }
            }
        }
        if !isFound {
            encoder.writeKey(name)
            try replace(nil, at: index + 1, keys, encoder, &budget, write)
        }
        encoder.endDictionary()
    }

    private func replaceItem(
        _ number: Int, of value: Value?, at index: Int, _ keys: SharedKeys?, _ encoder: FleeceEncoder, _ budget: inout WalkBudget,
        _ write: (FleeceEncoder) throws -> Void
    ) throws {
        guard value == nil || value?.array != nil else { throw mismatch(index, "what is there is not an array") }
        let array = value?.array
        let count = array?.count ?? 0
        let position = number < 0 ? count + number : number
        guard position >= 0, position <= count else {
            throw mismatch(index, "the array there has \(count) items, so [\(number)] is out of range")
        }
        encoder.beginArray()
        for item in 0..<count {
            guard let member = array?[item] else { continue }
            if item == position {
                try replace(member, at: index + 1, keys, encoder, &budget, write)
            } else {
                encoder.write(member, keys: keys, within: &budget)
            }
        }
        if position == count { try replace(nil, at: index + 1, keys, encoder, &budget, write) }
        encoder.endArray()
    }

    /// An error about what the components before `index` lead to.
    private func mismatch(_ index: Int, _ reason: String) -> KeyPathError {
        var path = ""
        for component in components[..<index] {
            if component.start < 0 {
                path += "[\(component.value)]"
            } else {
                path += (path.isEmpty ? "" : ".") + String(decoding: name(component), as: UTF8.self)
            }
        }
        return KeyPathError(path: path, offset: nil, reason: reason)
    }
}
