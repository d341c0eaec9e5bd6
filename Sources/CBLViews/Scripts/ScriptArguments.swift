import CBLBase
import CBLFleece
internal import CBLSystemDuktape

/// The arguments of one call, in the order in which they are written. Values of Fleece stay where they are until the call: their bytes have to.
///
///     let arguments = ScriptArguments()
///     arguments.beginArray()
///     for key in keys { arguments.write(key, keys: nil) }
///     arguments.endArray()
///     arguments.write(false)
///
/// Hot: what a function touches of each document goes through here; `Benchmarks/Views`. No method calls anything that could come back to the object
/// while it changes a field.
package final class ScriptArguments {
    @exclusivity(unchecked) private(set) var items: UnsafeMutablePointer<cblite_script_item>
    @exclusivity(unchecked) private(set) var count = 0
    @exclusivity(unchecked) private var capacity = 256
    /// The first thing that could not be written.
    @exclusivity(unchecked) private(set) var failure: FleeceError?
    /// The table whose numbers stand for keys, 0 if none does: the first one that comes. Keys of others are written out.
    @exclusivity(unchecked) private(set) var numberedKeys: UInt64 = 0
    /// Texts that are nobody else's.
    private var texts: [UnsafeMutableRawBufferPointer] = []

    package init() { items = .allocate(capacity: capacity) }

    deinit {
        reset()
        items.deallocate()
    }

    package func reset() {
        count = 0
        failure = nil
        numberedKeys = 0
        if texts.isEmpty { return }
        for text in texts { text.deallocate() }
        texts.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    private func add(_ kind: cblite_script_item_kind, count length: Int = 0, bits: UInt64 = 0) {
        if count == capacity { grow() }
        items[count] = cblite_script_item(head: UInt64(kind.rawValue) | UInt64(truncatingIfNeeded: length) &<< 8, bits: bits)
        count &+= 1
    }

    private func grow() {
        let larger = UnsafeMutablePointer<cblite_script_item>.allocate(capacity: capacity * 2)
        larger.update(from: items, count: count)
        items.deallocate()
        items = larger
        capacity *= 2
    }

    @inline(__always)
    private func add(_ kind: cblite_script_item_kind, _ bytes: UnsafeRawBufferPointer) {
        add(kind, count: bytes.count, bits: UInt64(UInt(bitPattern: bytes.baseAddress)))
    }

    // Scalars

    package func writeUndefined() { add(cblite_item_undefined) }
    package func writeNull() { add(cblite_item_null) }
    package func write(_ value: Bool) { add(value ? cblite_item_true : cblite_item_false) }
    package func write(_ value: Double) { add(cblite_item_number, bits: value.bitPattern) }

    /// Writes a text that stays where it is until the call.
    package func write(lent bytes: UnsafeRawBufferPointer) { add(cblite_item_text, bytes) }
    package func write(_ text: String) { write(lent: copy(Array(text.utf8))) }

    private func copy(_ bytes: [UInt8]) -> UnsafeRawBufferPointer {
        let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: bytes.count, alignment: 1)
        copy.copyBytes(from: bytes)
        texts.append(copy)
        return UnsafeRawBufferPointer(copy)
    }

    // Collections

    package func beginArray() { add(cblite_item_array) }
    package func endArray() { add(cblite_item_end) }
    package func beginObject() { add(cblite_item_object) }
    package func endObject() { add(cblite_item_end) }

    package func writeKey(_ key: StaticString) {
        add(cblite_item_key, UnsafeRawBufferPointer(start: key.utf8Start, count: key.utf8CodeUnitCount))
    }

    package func writeKey(_ key: String) { add(cblite_item_key, copy(Array(key.utf8))) }
    package func writeKey(lent key: UnsafeRawBufferPointer) { add(cblite_item_key, key) }

    /// Writes a dictionary's key as it is stored; false if the table does not have it.
    @inline(__always)
    private func writeKey(_ key: Value, _ keys: SharedKeys?) -> Bool {
        if let bytes = key.stringBytes {
            add(cblite_item_key, bytes)
            return true
        }
        guard let index = key.integer, let keys, let bytes = keys.bytes(at: Int(truncatingIfNeeded: index)) else { return false }
        if numberedKeys == 0 { numberedKeys = keys.identity }
        if numberedKeys != keys.identity {
            add(cblite_item_key, bytes)
            return true
        }
        add(cblite_item_numbered_key, count: bytes.count | Int(index) &<< 16, bits: UInt64(UInt(bitPattern: bytes.baseAddress)))
        return true
    }

    // Fleece

    /// Writes a value; `keys` is the table that its dictionaries use. Damage, and what is nested too deep, fails the call.
    package func write(_ value: Value, keys: SharedKeys?) {
        var budget = WalkBudget(for: value)
        write(value, keys, depth: 0, &budget)
    }

    func write(_ value: Value, _ keys: SharedKeys?, depth: Int, _ budget: inout WalkBudget) {
        guard budget.visit() else { return fail(.endless) }
        switch value.kind {
        case .undefined: writeUndefined()
        case .null: writeNull()
        case .boolean: write(value.boolean ?? false)
        case .integer, .double: write(value.double ?? 0)
        case .string:
            guard let bytes = value.stringBytes, budget.spend(bytes.count) else { return fail(.endless) }
            write(lent: bytes)
        case .data:
            guard let bytes = value.dataBytes, budget.spend(bytes.count) else { return fail(.endless) }
            writeData(bytes)
        case .array:
            guard depth < Limits.depth, let array = value.array else { return fail(.tooDeep) }
            beginArray()
            for item in array where failure == nil { write(item, keys, depth: depth + 1, &budget) }
            endArray()
        case .dictionary:
            guard depth < Limits.depth, let dictionary = value.dictionary, budget.enter(dictionary) else { return fail(.tooDeep) }
            beginObject()
            writeMembers(of: dictionary, keys, depth: depth, &budget)
            endObject()
        }
    }

    func writeMembers(of dictionary: DictionaryView, _ keys: SharedKeys?, depth: Int, _ budget: inout WalkBudget) {
        for (key, item) in dictionary where failure == nil {
            guard writeKey(key, keys) else { return fail(.badSharedKeys("it does not have the number of a key")) }
            write(item, keys, depth: depth + 1, &budget)
        }
    }

    /// JSON has no bytes: they are what they are there, Base64.
    private func writeData(_ bytes: UnsafeRawBufferPointer) {
        write(Base64.text(of: bytes))
    }

    func fail(_ error: FleeceError) {
        if failure == nil { failure = error }
    }
}
