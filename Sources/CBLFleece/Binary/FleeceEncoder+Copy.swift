extension FleeceEncoder {
    /// Writes a value of another encoding, with the keys of this one. `keys` is the table that the other encoding's dictionaries use. Damage, a
    /// value nested too deep or shared beyond measure, and a key that `keys` does not know become the encoder's ``failure``.
    package func write(_ value: Value, keys: SharedKeys?) {
        var budget = WalkBudget(for: value)
        write(value, keys: keys, within: &budget)
    }

    /// The same for those who write several parts of one value, which have one budget together.
    package func write(_ value: Value, keys: SharedKeys?, within budget: inout WalkBudget) {
        copy(value, keys, depth: 0, &budget)
    }

    private func copy(_ value: Value, _ keys: SharedKeys?, depth: Int, _ budget: inout WalkBudget) {
        guard budget.visit() else { return fail(.endless) }
        guard depth <= Limits.depth else { return fail(.tooDeep) }
        switch value.kind {
        case .undefined: value.byte0 < 0x80 ? writeUndefined() : failDamaged(value)
        case .null: writeNull()
        case .boolean: write(value.boolean ?? false)
        case .integer: copyInteger(value)
        case .double: copyDouble(value)
        case .string:
            guard let bytes = value.stringBytes else { return failDamaged(value) }
            guard budget.spend(bytes.count) else { return fail(.endless) }
            writeString(bytes)
        case .data:
            guard let bytes = value.dataBytes else { return failDamaged(value) }
            guard budget.spend(bytes.count) else { return fail(.endless) }
            writeData(bytes)
        case .array:
            guard let array = value.array else { return failDamaged(value) }
            beginArray()
            for item in array where failure == nil { copyMember(item, of: value, keys, depth: depth, &budget) }
            endArray()
        case .dictionary:
            guard let dictionary = value.dictionary else { return failDamaged(value) }
            guard budget.enter(dictionary) else { return fail(.endless) }
            beginDictionary()
            for (key, item) in dictionary where failure == nil {
                copyKey(key, keys, &budget)
                copyMember(item, of: value, keys, depth: depth, &budget)
            }
            endDictionary()
        }
    }

    private func copyMember(_ member: Value, of collection: Value, _ keys: SharedKeys?, depth: Int, _ budget: inout WalkBudget) {
        // A pointer that leads nowhere gives a value outside of these bytes.
        guard member.base == collection.base else { return failDamaged(collection) }
        copy(member, keys, depth: depth + 1, &budget)
    }

    private func copyKey(_ key: Value, _ keys: SharedKeys?, _ budget: inout WalkBudget) {
        if numbersKeys(as: keys), let number = key.integer {
            writeKey(sharedKey: Int(number))
        } else if let name = key.keyBytes(keys) {
            guard budget.spend(name.count) else { return fail(.endless) }
            writeKey(name)
        } else {
            failDamaged(key)
        }
    }

    /// Keeps the form, signed or unsigned, in which the number was written.
    private func copyInteger(_ value: Value) {
        guard let bits = value.integerBits else { return failDamaged(value) }
        if copiesLikeReference, depth > 0 { return copyNumber(value.byte0 < 0x10 ? 2 : Int(value.byte0 & 7) + 2, of: value) }
        value.isUnsigned ? write(bits) : write(Int64(bitPattern: bits))
    }

    private func copyDouble(_ value: Value) {
        guard let double = value.double else { return failDamaged(value) }
        if copiesLikeReference, depth > 0, !double.isNaN { return copyNumber(value.byte0 & 8 != 0 ? 10 : 6, of: value) }
        value.isFloat ? write(Float(double)) : write(double)
    }

    private func copyNumber(_ byteCount: Int, of value: Value) {
        copyNumber(UnsafeRawBufferPointer(start: value.base + value.start, count: byteCount))
    }

    private func failDamaged(_ value: Value) {
        fail(.damaged(reason: "it cannot be copied", offset: value.start))
    }
}
