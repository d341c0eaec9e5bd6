internal import CBLFleece
import Foundation
import Synchronization

/// What is in a dictionary or a document: properties as they were stored, and over them what the program has changed.
///
/// A value is read where it lies. Containers inside are made once, when they are asked for, so that everybody is given the same object; those
/// that can change count as changed from then on.
final class DictionaryStorage: @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    // Access to the fields is not checked at every step: the lock sees to it, and nothing that comes back to this object is called meanwhile.

    let isMutable: Bool
    private let lock = Mutex(())
    @exclusivity(unchecked) private(set) var source: StoredValues?
    /// Nil if there is none, or everything was replaced.
    @exclusivity(unchecked) private var storedValue: Value?
    @exclusivity(unchecked) private var stored: DictionaryView?
    /// The names of its keys; the source keeps them.
    @exclusivity(unchecked) private var keyNames: SharedKeys.Names?
    /// What a program has changed over what is stored.
    @exclusivity(unchecked) private var overlay = ItemTable()
    @exclusivity(unchecked) private var removed: Set<PropertyName> = []
    /// Of storage that cannot change: the containers that were handed out.
    @exclusivity(unchecked) private var handedOut = HandedOut()

    /// Of stored properties; `pairs` is what the value holds.
    init(_ value: Value, _ pairs: DictionaryView?, in source: StoredValues, isMutable: Bool) {
        storedValue = value
        stored = pairs
        keyNames = source.keys?.allNames
        self.source = source
        self.isMutable = isMutable
    }

    convenience init(_ value: Value, in source: StoredValues, isMutable: Bool) {
        self.init(value, value.dictionary, in: source, isMutable: isMutable)
    }

    /// Empty, to be filled.
    init() {
        source = nil
        isMutable = true
    }

    private init(copying other: DictionaryStorage) {
        isMutable = true
        let (source, storedValue, overlay, removed) = other.lock.withLock { _ in
            (other.source, other.storedValue, other.overlay, other.removed)
        }
        self.source = source
        self.storedValue = storedValue
        stored = storedValue?.dictionary
        keyNames = source?.keys?.allNames
        guard other.isMutable else { return }
        self.removed = removed
        for entry in overlay.entries { self.overlay.set(entry.name, entry.item.independent) }
    }

    /// One that can be changed by itself.
    func mutableCopy() -> DictionaryStorage { DictionaryStorage(copying: self) }

    // MARK: Reading

    /// What is at a place.
    func entry(_ name: String) -> Entry {
        guard isMutable else { return storedEntry(name) }
        return lock.withLock { _ in currentEntry(name) }
    }

    private func currentEntry(_ name: String) -> Entry {
        if let item = overlay[name] { return .item(item) }
        if !removed.isEmpty, removed.contains(PropertyName(name)) { return .absent }
        return storedEntry(name)
    }

    private func storedValue(_ name: String) -> Value? { stored?.value(forKey: name, among: keyNames) }

    private func storedEntry(_ name: String) -> Entry {
        guard let value = storedValue(name), !value.isUndefined else { return .absent }
        // Whoever replaces everything meanwhile must not take the memory away.
        return .stored(value, isMutable ? source : nil)
    }

    /// What is there as an object, the same one each time.
    func item(_ name: String) -> Item? {
        lock.withLock { _ in
            guard isMutable else { return storedItem(name) }
            switch currentEntry(name) {
            case .absent: return nil
            case .item(let item): return item
            case .stored(let value, _):
                guard let source else { return nil }
                let item = Item(value, in: source, isMutable: true)
                if item.isContainer { overlay.set(name, item) }
                return item
            }
        }
    }

    /// Of storage that cannot change.
    private func storedItem(_ name: String) -> Item? {
        guard let value = storedValue(name), !value.isUndefined, let source else { return nil }
        if let item = handedOut[value] { return item }
        let item = Item(value, in: source, isMutable: false)
        if item.isContainer { handedOut.add(item, at: value) }
        return item
    }

    var count: Int {
        guard isMutable else { return stored?.count ?? 0 }
        return lock.withLock { _ in
            guard let stored else { return overlay.count }
            let added = overlay.entries.reduce(0) { $0 + (storedValue($1.name) == nil ? 1 : 0) }
            return stored.count - removed.count + added
        }
    }

    /// Those that are stored first, in their order there.
    var names: [String] {
        lock.withLock { _ in
            var names: [String] = []
            if let stored {
                names.reserveCapacity(stored.count + overlay.count)
                for (key, _) in stored {
                    if let name = key.keyString(source?.keys), removed.isEmpty || !removed.contains(PropertyName(name)) {
                        names.append(name)
                    }
                }
            }
            guard isMutable, overlay.count > 0 else { return names }
            return names + overlay.names.filter { storedValue($0) == nil }
        }
    }

    /// Plain arrays and dictionaries all the way down.
    func plainDictionary() -> [String: Any] {
        let (source, stored, overlay, removed) = state()
        guard let source else { return plain(overlay, into: [:]) }
        defer { withExtendedLifetime(source) {} }
        guard isMutable, overlay.count > 0 || !removed.isEmpty else { return stored?.plainDictionary(source) ?? [:] }
        var result: [String: Any] = [:]
        if let stored {
            for (key, value) in stored {
                guard let name = key.keyString(source.keys), !removed.contains(PropertyName(name)), overlay.place(of: name) == nil else {
                    continue
                }
                result[name] = value.plainObject(source)
            }
        }
        return plain(overlay, into: result)
    }

    private func plain(_ overlay: ItemTable, into dictionary: [String: Any]) -> [String: Any] {
        var dictionary = dictionary
        for entry in overlay.entries { dictionary[entry.name] = entry.item.plainObject }
        return dictionary
    }

    private func state() -> (source: StoredValues?, stored: DictionaryView?, overlay: ItemTable, removed: Set<PropertyName>) {
        lock.withLock { _ in (source, stored, overlay, removed) }
    }

    // MARK: Changing

    func set(_ name: String, _ item: Item) {
        lock.withLock { _ in
            overlay.prepare()
            overlay.set(name, item)
            if !removed.isEmpty { removed.remove(PropertyName(name)) }
        }
    }

    func remove(_ name: String) {
        lock.withLock { _ in
            overlay.remove(name)
            if storedValue(name) != nil { removed.insert(PropertyName(name)) }
        }
    }

    func replaceAll(with items: ItemTable) { replaceAll(with: nil, nil, items) }

    /// The properties of a JSON object, which are read where they lie as those that are stored.
    func replaceAll(withJSON json: String) throws {
        let parsed = try StoredValues.parsing(json)
        guard parsed.root.dictionary != nil else { throw libraryError(CBLError.invalidJSON, "The JSON is not an object.") }
        replaceAll(with: parsed, parsed.root, ItemTable())
    }

    private func replaceAll(with source: StoredValues?, _ value: Value?, _ items: ItemTable) {
        lock.withLock { _ in
            self.source = source
            storedValue = value
            stored = value?.dictionary
            keyNames = source?.keys?.allNames
            removed = []
            overlay = items
        }
    }

    // MARK: Writing

    /// Writes what there is now, without `skipping` at this level. Blobs are stored on the way.
    func write(to writer: PropertyWriter, skipping skipped: String? = nil) throws {
        let (source, stored, overlay, removed) = state()
        defer { withExtendedLifetime(source) {} }
        if let database = writer.database { source?.adopt(database) }
        let encoder = writer.encoder
        encoder.beginDictionary()
        if let stored, let source {
            // Of the same file, most bodies are not looked into.
            for (key, value) in stored {
                if isMutable, !removed.isEmpty || overlay.count > 0 {
                    guard let name = key.keyString(source.keys) else { continue }
                    if removed.contains(PropertyName(name)) || overlay.place(of: name) != nil || name == skipped { continue }
                    encoder.writeKey(name)
                } else if let name = key.keyBytes(source.keys) {
                    encoder.writeKey(name)
                }
                try writer.write(value, of: source)
            }
        }
        if isMutable {
            for entry in overlay.entries where entry.name != skipped {
                encoder.writeKey(entry.name)
                try writer.write(entry.item)
            }
        }
        encoder.endDictionary()
    }

    /// Of storage that cannot change.
    var json: String { source.flatMap { storedValue?.json(keys: $0.keys, style: .canonical) } ?? "{}" }

    // MARK: Comparing

    func isEqual(to other: DictionaryStorage) -> Bool {
        if self === other { return true }
        let names = names
        guard names.count == other.count else { return false }
        return names.allSatisfy { name in
            guard let one = item(name), let two = other.item(name) else { return false }
            return one.isEqual(to: two)
        }
    }

    /// Equal ones have the same, whatever the order of their names.
    func hash(into hasher: inout Hasher) {
        var sum = 0
        for name in names {
            var one = Hasher()
            one.combine(name)
            item(name)?.hash(into: &one)
            sum &+= one.finalize()
        }
        hasher.combine(sum)
    }
}

extension Item {
    /// A stored value as an object; containers with storage of their own kind.
    init(_ value: Value, in source: StoredValues, isMutable: Bool) {
        switch value.kind {
        case .undefined, .null: self = .null
        case .boolean: self = .boolean(value.boolean ?? false)
        case .integer:
            if value.isUnsigned, let unsigned = value.unsigned, unsigned > Int64.max {
                self = .unsigned(unsigned)
            } else {
                self = .integer(Int64(truncatingIfNeeded: value.integerBits ?? 0))
            }
        case .double:
            let number = value.double ?? 0
            self = value.isFloat ? .float(Float(number)) : .double(number)
        case .string: self = .string(value.string ?? "")
        case .data: self = .blob(Blob(stored: value, in: source))
        case .array:
            let storage = ArrayStorage(value, in: source, isMutable: isMutable)
            self = .array(isMutable ? MutableArrayObject(storage) : ArrayObject(storage))
        case .dictionary:
            let pairs = value.dictionary
            if pairs?.isBlob(source.keys) == true {
                self = .blob(Blob(stored: value, in: source))
            } else {
                let storage = DictionaryStorage(value, pairs, in: source, isMutable: isMutable)
                self = .dictionary(isMutable ? MutableDictionaryObject(storage) : DictionaryObject(storage))
            }
        }
    }

    /// Those that have an identity.
    var isContainer: Bool {
        switch self {
        case .array, .dictionary, .blob: true
        default: false
        }
    }

    func isEqual(to other: Item) -> Bool {
        switch (self, other) {
        case (.null, .null): true
        case (.boolean(let one), .boolean(let two)): one == two
        case (.string(let one), .string(let two)): one == two
        case (.array(let one), .array(let two)): one == two
        case (.dictionary(let one), .dictionary(let two)): one == two
        case (.blob(let one), .blob(let two)): one == two
        case (.boolean, _), (_, .boolean): false
        default:
            if let one = number, let two = other.number { one == two } else { false }
        }
    }

    /// Equal ones have the same.
    func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .boolean(let flag): hasher.combine(flag)
        case .integer, .unsigned, .float, .double: hasher.combine(number?.doubleValue)
        case .string(let text): hasher.combine(text)
        case .array(let array): array.hash(into: &hasher)
        case .dictionary(let dictionary): dictionary.hash(into: &hasher)
        case .blob(let blob): blob.hash(into: &hasher)
        }
    }
}
