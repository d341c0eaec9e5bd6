import CBLFleece

extension Call {
    /// What a full-text index holds of a property: the text of all scalars in it, each visited node followed by a blank but the last.
    ///
    /// The order is the vendor's, and an index depends on it: a node, then its items; collections among them are opened after all of
    /// their siblings, the last one first.
    func fullTextValue() {
        guard case .value(let value) = property() else { return }
        if let string = value.stringBytes { return set(text: string) }
        let output = database.text
        output.buffer.removeAll()
        // Bytes that refer to the same items again and again could keep this busy for ever.
        var budget = WalkBudget(for: value)
        var waiting: [Value] = []
        append(value, to: &output.buffer)
        if value.kind == .array || value.kind == .dictionary { waiting.append(value) }
        while let collection = waiting.popLast() {
            func visit(_ item: Value) {
                guard budget.visit(), budget.spend(item.stringBytes?.count ?? 0) else { return }
                append(item, to: &output.buffer)
                if item.kind == .array || item.kind == .dictionary { waiting.append(item) }
            }
            if let array = collection.array {
                for index in 0..<array.count where !budget.isExhausted { visit(array[index]) }
            } else if let dictionary = collection.dictionary {
                guard budget.enter(dictionary) else { break }
                for (_, item) in dictionary where !budget.isExhausted { visit(item) }
            }
            if budget.isExhausted { return fail("a property cannot be indexed: \(FleeceError.endless)") }
        }
        output.buffer.truncate(to: output.buffer.count - 1)
        set(text: output.buffer.bytes)
    }

    private func append(_ value: Value, to buffer: inout ByteBuffer) {
        switch value.kind {
        case .string: value.stringBytes.map { buffer.append($0) }
        case .boolean: buffer.append(value.boolean == true ? UInt8(ascii: "T") : UInt8(ascii: "F"))
        case .integer, .double: JSONWriter.write(value, keys: nil, to: &buffer)
        default: break
        }
        buffer.append(UInt8(ascii: " "))
    }
}
