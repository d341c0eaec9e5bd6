internal import CBLFleece
import Foundation
import Synchronization

/// What is in an array: values as they were stored, until the program changes something; then each by itself. See ``DictionaryStorage``.
final class ArrayStorage: @unchecked Sendable {
    // Sendable: what changes is guarded by the lock.

    private enum Element {
        case stored(Value)
        case item(Item)
    }

    let isMutable: Bool
    let source: StoredValues?
    private let lock = Mutex(())
    private let storedValue: Value?
    private let stored: ArrayView?
    /// Takes the place of what is stored.
    @exclusivity(unchecked) private var elements: [Element]?
    /// Of storage that cannot change: what was handed out.
    @exclusivity(unchecked) private var handedOut: [Int: Item] = [:]

    init(_ value: Value, in source: StoredValues, isMutable: Bool) {
        storedValue = value
        stored = value.array
        self.source = source
        self.isMutable = isMutable
    }

    /// To be filled.
    init(_ items: [Item] = []) {
        storedValue = nil
        stored = nil
        source = nil
        isMutable = true
        elements = items.map { .item($0) }
    }

    private init(copying other: ArrayStorage) {
        isMutable = true
        storedValue = other.storedValue
        stored = other.stored
        source = other.source
        elements = other.lock.withLock { _ in other.elements }?.map {
            if case .item(let item) = $0 { .item(item.independent) } else { $0 }
        }
    }

    /// One that can be changed by itself.
    func mutableCopy() -> ArrayStorage { ArrayStorage(copying: self) }

    var count: Int {
        guard isMutable else { return stored?.count ?? 0 }
        return lock.withLock { _ in elements?.count ?? stored?.count ?? 0 }
    }

    /// What is at a place. A stored value is valid as long as this object.
    func entry(_ index: Int) -> Entry {
        guard isMutable else {
            guard let stored, stored.indices.contains(index) else { return .absent }
            return .stored(stored[index], nil)
        }
        return lock.withLock { _ in
            guard let elements else {
                guard let stored, stored.indices.contains(index) else { return .absent }
                return .stored(stored[index], nil)
            }
            guard elements.indices.contains(index) else { return .absent }
            switch elements[index] {
            case .stored(let value): return .stored(value, nil)
            case .item(let item): return .item(item)
            }
        }
    }

    /// What is there as an object, the same one each time.
    func item(_ index: Int) -> Item? {
        lock.withLock { _ in
            if let item = handedOut[index] { return item }
            let value: Value
            if let elements {
                guard elements.indices.contains(index) else { return nil }
                switch elements[index] {
                case .item(let item): return item
                case .stored(let stored): value = stored
                }
            } else {
                guard let stored, stored.indices.contains(index) else { return nil }
                value = stored[index]
            }
            guard let source else { return nil }
            let item = Item(value, in: source, isMutable: isMutable)
            guard item.isContainer else { return item }
            if isMutable {
                unfold()
                elements?[index] = .item(item)
            } else {
                handedOut[index] = item
            }
            return item
        }
    }

    private func unfold() {
        if elements == nil { elements = stored.map { $0.map { .stored($0) } } ?? [] }
    }

    private var current: (stored: ArrayView?, elements: [Element]?) { lock.withLock { _ in (stored, elements) } }

    func plainArray() -> [Any] {
        let (stored, elements) = current
        guard let elements else {
            guard let stored, let source else { return [] }
            return stored.map { $0.plainObject(source) }
        }
        return elements.map { element in
            switch element {
            case .item(let item): item.plainObject
            case .stored(let value): source.map { value.plainObject($0) } ?? NSNull()
            }
        }
    }

    // MARK: Changing

    /// Puts an item in the place of another.
    func set(_ index: Int, _ item: Item) {
        lock.withLock { _ in
            unfold()
            check(index, below: elements?.count ?? 0)
            elements?[index] = .item(item)
        }
    }

    func insert(_ item: Item, at index: Int) {
        lock.withLock { _ in
            unfold()
            check(index, below: (elements?.count ?? 0) + 1)
            elements?.insert(.item(item), at: index)
        }
    }

    func append(_ item: Item) {
        lock.withLock { _ in
            unfold()
            elements?.append(.item(item))
        }
    }

    func remove(_ index: Int) {
        lock.withLock { _ in
            unfold()
            check(index, below: elements?.count ?? 0)
            elements?.remove(at: index)
        }
    }

    func replaceAll(with items: [Item]) { lock.withLock { _ in elements = items.map { .item($0) } } }

    private func check(_ index: Int, below end: Int) {
        programmerErrorUnless((0..<end).contains(index), .range, "The index \(index) is outside of the array.")
    }

    // MARK: Writing

    func write(to writer: PropertyWriter) throws {
        let (stored, elements) = current
        let encoder = writer.encoder
        encoder.beginArray()
        if let elements {
            for element in elements {
                switch element {
                case .item(let item): try writer.write(item)
                case .stored(let value): if let source { try writer.write(value, of: source) }
                }
            }
        } else if let stored, let source {
            for value in stored { try writer.write(value, of: source) }
        }
        encoder.endArray()
    }

    /// Of storage that cannot change.
    var json: String { source.flatMap { storedValue?.json(keys: $0.keys, style: .canonical) } ?? "[]" }

    func isEqual(to other: ArrayStorage) -> Bool {
        if self === other { return true }
        let count = count
        guard count == other.count else { return false }
        return (0..<count).allSatisfy { index in
            guard let one = item(index), let two = other.item(index) else { return false }
            return one.isEqual(to: two)
        }
    }

    /// Equal ones have the same.
    func hash(into hasher: inout Hasher) {
        hasher.combine(count)
        for index in 0..<count { item(index)?.hash(into: &hasher) }
    }
}
