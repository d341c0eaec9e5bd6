import CBLFleece

/// Merges two objects property by property, into what differs from their common ancestor on either side.
///
/// Where both sides changed a property, and not to the same, the side that is preferred has it; objects within objects are merged in turn, arrays and
/// blobs are taken whole. Without an ancestor nobody can tell an added property from one that was removed on the other side, so all stay.
package struct PropertyMerge {
    /// The side that has its way where both changed the same.
    package var prefersLocal: Bool
    private let encoder = FleeceEncoder()

    package init(prefersLocal: Bool) { self.prefersLocal = prefersLocal }

    package func merge(base: Value?, local: Value, remote: Value) throws -> FleeceData {
        encoder.reset()
        write(merged(base, local, remote))
        return try encoder.finish()
    }

    private enum Outcome {
        case absent
        case value(Value)
        case objects(base: DictionaryView?, DictionaryView, DictionaryView)
    }

    private func merged(_ base: Value?, _ local: Value?, _ remote: Value?) -> Outcome {
        func outcome(_ value: Value?) -> Outcome { value.map { .value($0) } ?? .absent }
        if PropertyMerge.areSame(local, remote) { return outcome(local) }
        // With an ancestor, who has left a property as it was has nothing to say about it.
        if let base {
            if PropertyMerge.areSame(base, local) { return outcome(remote) }
            if PropertyMerge.areSame(base, remote) { return outcome(local) }
        }
        guard let local else { return base == nil ? outcome(remote) : outcome(prefersLocal ? nil : remote) }
        guard let remote else { return base == nil ? outcome(local) : outcome(prefersLocal ? local : nil) }
        if let mine = PropertyMerge.object(local), let theirs = PropertyMerge.object(remote) {
            return .objects(base: base.flatMap(PropertyMerge.object), mine, theirs)
        }
        return outcome(prefersLocal ? local : remote)
    }

    private func write(_ outcome: Outcome) {
        switch outcome {
        case .absent: break
        case .value(let value): encoder.write(value, keys: nil)
        case .objects(let base, let local, let remote):
            encoder.beginDictionary()
            var names = local.compactMap { $0.key.stringBytes.map { String(decoding: $0, as: UTF8.self) } }
            let known = Set(names)
            names += remote.compactMap { $0.key.stringBytes.map { String(decoding: $0, as: UTF8.self) } }.filter { !known.contains($0) }
            for name in names {
                let member = merged(base?.value(forKey: name, nil), local.value(forKey: name, nil), remote.value(forKey: name, nil))
                if case .absent = member { continue }
                encoder.writeKey(name)
                write(member)
            }
            encoder.endDictionary()
        }
    }

    /// An object that has a meaning as a whole, such as a blob, is none here.
    private static func object(_ value: Value) -> DictionaryView? {
        guard let object = value.dictionary, object.value(forKey: "@type", nil) == nil else { return nil }
        return object
    }

    private static func areSame(_ one: Value?, _ other: Value?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one?, let other?): one.isEqual(to: other)
        default: false
        }
    }
}

extension SyncResolution {
    /// Both sides' changes, as far as they are not about the same property; what is, goes as the default rule says. A deletion wins, as there.
    package static func merge(_ conflict: SyncConflict) throws -> SyncResolution {
        guard let local = conflict.local, let remote = conflict.remote else { return standard(conflict) }
        let merge = PropertyMerge(prefersLocal: standard(conflict) == .local)
        let (mine, theirs) = (try FleeceData.parsing(json: local), try FleeceData.parsing(json: remote))
        let base = try conflict.base.map { try FleeceData.parsing(json: $0) }
        let merged = try mine.withRoot { mine in
            try theirs.withRoot { theirs in
                try base?.withRoot { try merge.merge(base: $0, local: mine, remote: theirs) }
                    ?? merge.merge(base: nil, local: mine, remote: theirs)
            }
        }
        return SyncResolution(merged, of: conflict)
    }

    /// What an object says, as one of the sides if it says the same.
    package init(_ properties: FleeceData, of conflict: SyncConflict) {
        func isSame(_ json: String?) -> Bool {
            guard let json, let side = try? FleeceData.parsing(json: json) else { return false }
            return side.withRoot { side in properties.withRoot { $0.isEqual(to: side) } }
        }
        self = isSame(conflict.remote) ? .remote : isSame(conflict.local) ? .local : .merged(properties.withRoot { $0.json() })
    }
}

extension FleeceData {
    static func parsing(json: String) throws -> FleeceData {
        let encoder = FleeceEncoder()
        try JSONParser.parse(json, into: encoder)
        return try encoder.finish()
    }
}
