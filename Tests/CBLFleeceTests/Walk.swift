@testable import CBLFleece

/// Reads everything that can be read of a value, and counts how often it read something. Used on damaged bytes, where each access may find
/// anything but must come back.
struct Walk {
    var visits: Int
    /// Something that depends on all that was read, so that no read is left out.
    var digest = 0
    let keys: SharedKeys?

    init(limit: Int = 20_000, keys: SharedKeys? = nil) {
        visits = limit
        self.keys = keys
    }

    mutating func read(_ value: Value, depth: Int = 0) {
        visits -= 1
        guard visits > 0, depth < Limits.depth else { return }
        digest &+= Int(value.kind.rawValue) &+ (value.isUndefined ? 1 : 0) &+ (value.isNull ? 1 : 0) &+ (value.isNumber ? 1 : 0)
        digest &+= (value.boolean == true ? 1 : 0) &+ (value.isUnsigned ? 1 : 0) &+ (value.isFloat ? 1 : 0)
        digest &+= Int(truncatingIfNeeded: value.integer ?? 3) &+ Int(truncatingIfNeeded: value.unsigned ?? 5)
        digest &+= Int(truncatingIfNeeded: value.double?.bitPattern ?? 7)
        if let bytes = value.stringBytes { read(bytes) }
        if let bytes = value.dataBytes { read(bytes) }
        if let array = value.array { read(array, depth) }
        if let dictionary = value.dictionary { read(dictionary, depth) }
    }

    private mutating func read(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes.prefix(1000) { digest &+= Int(byte) }
        if let last = bytes.last { digest &+= Int(last) }
    }

    private mutating func read(_ array: ArrayView, _ depth: Int) {
        digest &+= array.count &+ array[-1].start &+ array[array.count].start &+ array[.max].start
        for item in array {
            read(item, depth: depth + 1)
            if visits <= 0 { return }
        }
    }

    private mutating func read(_ dictionary: DictionaryView, _ depth: Int) {
        if dictionary.slots.count < 1000 { digest &+= dictionary.count &+ (dictionary.isEmpty ? 1 : 0) }
        for (key, value) in dictionary {
            read(key, depth: depth + 1)
            read(value, depth: depth + 1)
            if let name = key.keyBytes(keys) { digest &+= dictionary.value(forKey: name, keys)?.start ?? 1 }
            if let number = key.integer { digest &+= dictionary.value(forSharedKey: Int(number))?.start ?? 1 }
            if visits <= 0 { return }
        }
        digest &+= dictionary.value(forKey: "name", keys)?.start ?? 1
        digest &+= dictionary.value(forSharedKey: 3)?.start ?? 1
        digest &+= dictionary.value(forSharedKey: .min)?.start ?? 1
    }
}
