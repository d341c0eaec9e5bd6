extension KeyPath {
    /// Writes `root` anew into an encoder, without what the path leads to: a member of an object goes with its name, and the items behind an
    /// array's item move up. False if the path leads nowhere; the encoder then holds `root` as it was.
    package func remove(from root: Value, keys: SharedKeys?, into encoder: FleeceEncoder) -> Bool {
        guard components.count > 0, evaluate(in: root, keys: keys) != nil else {
            encoder.write(root, keys: keys)
            return false
        }
        var budget = WalkBudget(for: root)
        copy(root, at: 0, keys, encoder, &budget)
        return true
    }

    /// `evaluate` has been the whole way: everything on it is of the right kind.
    private func copy(_ value: Value, at index: Int, _ keys: SharedKeys?, _ encoder: FleeceEncoder, _ budget: inout WalkBudget) {
        let component = components[index]
        let isLast = index == components.count - 1
        if let array = value.array, component.start < 0 {
            let position = component.value < 0 ? array.count + Int(component.value) : Int(component.value)
            encoder.beginArray()
            for (place, item) in array.enumerated() {
                if place != position {
                    encoder.write(item, keys: keys, within: &budget)
                } else if !isLast {
                    copy(item, at: index + 1, keys, encoder, &budget)
                }
            }
            encoder.endArray()
        } else if let dictionary = value.dictionary {
            let name = name(component)
            encoder.beginDictionary()
            for (key, member) in dictionary {
                guard let bytes = key.keyBytes(keys) else { continue }
                let isMeant = bytes.elementsEqual(name)
                if isMeant && isLast { continue }
                encoder.writeKey(bytes)
                if isMeant {
                    copy(member, at: index + 1, keys, encoder, &budget)
                } else {
                    encoder.write(member, keys: keys, within: &budget)
                }
            }
            encoder.endDictionary()
        }
    }
}
