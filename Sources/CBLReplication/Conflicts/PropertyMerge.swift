import CBLFleece
import CBLStore

/// Merges two objects property by property, into what differs from their common ancestor on either side.
///
/// Where both sides changed a property, and not to the same, the side that is preferred has it; objects within objects are merged in turn, arrays and
/// blobs are taken whole. Without an ancestor nobody can tell an added property from one that was removed on the other side, so all stay.
package struct PropertyMerge {
    /// The side that has its way where both changed the same.
    package var prefersLocal: Bool
    private let encoder = FleeceEncoder()

    /// The table of all three.
    private let keys: SharedKeys?

    package init(prefersLocal: Bool, keys: SharedKeys? = nil) {
        self.prefersLocal = prefersLocal
        self.keys = keys
    }

    /// The keys of what comes of it are strings.
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
        if areSame(local, remote) { return outcome(local) }
        // With an ancestor, who has left a property as it was has nothing to say about it.
        if let base {
            if areSame(base, local) { return outcome(remote) }
            if areSame(base, remote) { return outcome(local) }
        }
        guard let local else { return base == nil ? outcome(remote) : outcome(prefersLocal ? nil : remote) }
        guard let remote else { return base == nil ? outcome(local) : outcome(prefersLocal ? local : nil) }
        if let mine = object(local), let theirs = object(remote) {
            return .objects(base: base.flatMap(object), mine, theirs)
        }
        return outcome(prefersLocal ? local : remote)
    }

    private func write(_ outcome: Outcome) {
        switch outcome {
        case .absent: break
        case .value(let value): encoder.write(value, keys: keys)
        case .objects(let base, let local, let remote):
            encoder.beginDictionary()
            var names = local.compactMap { $0.key.keyString(keys) }
            let known = Set(names)
            names += remote.compactMap { $0.key.keyString(keys) }.filter { !known.contains($0) }
            for name in names {
                let member = merged(base?.value(forKey: name, keys), local.value(forKey: name, keys), remote.value(forKey: name, keys))
                if case .absent = member { continue }
                encoder.writeKey(name)
                write(member)
            }
            encoder.endDictionary()
        }
    }

    /// An object that has a meaning as a whole, such as a blob, is none here.
    private func object(_ value: Value) -> DictionaryView? {
        guard let object = value.dictionary, object.value(forKey: "@type", keys) == nil else { return nil }
        return object
    }

    private func areSame(_ one: Value?, _ other: Value?) -> Bool {
        switch (one, other) {
        case (nil, nil): true
        case (let one?, let other?): one.isEqual(to: other, keys, keys)
        default: false
        }
    }
}

extension SyncResolution {
    /// Both sides' changes, as far as they are not about the same property; what is, goes as the default rule says. A deletion wins, as there.
    package static func merge(_ conflict: SyncConflict) throws -> SyncResolution {
        guard let local = conflict.local, let remote = conflict.remote else { return standard(conflict) }
        let merge = PropertyMerge(prefersLocal: standard(conflict) == .local, keys: local.keys)
        let merged = try local.withRoot { mine in
            try remote.withRoot { theirs in
                try conflict.base?.withRoot { try merge.merge(base: $0, local: mine, remote: theirs) }
                    ?? merge.merge(base: nil, local: mine, remote: theirs)
            }
        }
        return SyncResolution(DocumentProperties(merged), of: conflict)
    }

    /// What properties say, as one of the sides if it says the same.
    package init(_ properties: DocumentProperties, of conflict: SyncConflict) {
        self = properties == conflict.remote ? .remote : properties == conflict.local ? .local : .merged(properties)
    }
}
