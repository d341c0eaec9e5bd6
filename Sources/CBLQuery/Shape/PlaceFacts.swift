import CBLFleece
import CBLFunctions

/// The dates that data holds as text, for those who show what was found.
package typealias WrittenDate = DateText

/// The least and the greatest of some measures.
package struct Extent<Measure: Comparable & Sendable & Hashable>: Hashable, Sendable {
    package private(set) var least: Measure
    package private(set) var greatest: Measure

    @inline(__always)
    static func extend(_ extent: inout Extent?, by measure: Measure) {
        guard var known = extent else {
            extent = Extent(least: measure, greatest: measure)
            return
        }
        if measure < known.least { known.least = measure }
        if measure > known.greatest { known.greatest = measure }
        extent = known
    }

    static func extend(_ extent: inout Extent?, by other: Extent?) {
        guard let other else { return }
        extend(&extent, by: other.least)
        extend(&extent, by: other.greatest)
    }
}

/// What is known of the values at one place of documents: of a property, of the items of an array, of the members of a map.
package struct PlaceFacts: Hashable, Sendable {
    /// How many values there are of each type. A reference to a blob is of a type of its own.
    package internal(set) var nulls = 0
    package internal(set) var falses = 0
    package internal(set) var trues = 0
    package internal(set) var integers = 0
    package internal(set) var doubles = 0
    package internal(set) var strings = 0
    package internal(set) var datas = 0
    package internal(set) var blobs = 0
    package internal(set) var arrays = 0
    package internal(set) var objects = 0
    /// `undefined`, or bytes that cannot be read.
    package internal(set) var unreadable = 0

    package internal(set) var numbers: Extent<Double>?
    /// Of those numbers that are whole, to the last digit.
    package internal(set) var wholeNumbers: Extent<Int64>?
    /// In characters.
    package internal(set) var textLengths: Extent<Int>?
    package internal(set) var emptyTexts = 0
    package internal(set) var arrayLengths: Extent<Int>?
    /// Of data and blobs, in bytes.
    package internal(set) var sizes: Extent<Int>?
    /// How many strings are dates of ISO 8601, and from when to when, in milliseconds since 1970.
    package internal(set) var dates = 0
    package internal(set) var instants: Extent<Int64>?
    /// Of numbers and strings; of blobs their content types.
    package internal(set) var values = DistinctSketch()

    package var count: Int {
        nulls + falses + trues + integers + doubles + strings + datas + blobs + arrays + objects + unreadable
    }
    package var booleans: Int { falses + trues }

    mutating func merge(_ other: PlaceFacts) {
        nulls += other.nulls
        falses += other.falses
        trues += other.trues
        integers += other.integers
        doubles += other.doubles
        strings += other.strings
        datas += other.datas
        blobs += other.blobs
        arrays += other.arrays
        objects += other.objects
        unreadable += other.unreadable
        Extent.extend(&numbers, by: other.numbers)
        Extent.extend(&wholeNumbers, by: other.wholeNumbers)
        Extent.extend(&textLengths, by: other.textLengths)
        emptyTexts += other.emptyTexts
        Extent.extend(&arrayLengths, by: other.arrayLengths)
        Extent.extend(&sizes, by: other.sizes)
        dates += other.dates
        Extent.extend(&instants, by: other.instants)
        values.merge(other.values)
    }
}

extension PlaceFacts {
    /// Takes in a value that has nothing inside. Hot: called for every scalar of every document.
    @inline(__always)
    mutating func add(scalar value: Value) {
        switch value.kind {
        case .string: add(text: value.stringBytes)
        case .integer: add(integer: value)
        case .double:
            guard let number = value.double else { return unreadable += 1 }
            doubles += 1
            // What is no number is neither less nor greater than others.
            if !number.isNaN { Extent.extend(&numbers, by: number) }
            values.add(ValueHash.of(number)) { SampledValue(number) }
        case .boolean: if value.boolean == true { trues += 1 } else { falses += 1 }
        case .null: nulls += 1
        case .data:
            guard let bytes = value.dataBytes else { return unreadable += 1 }
            datas += 1
            Extent.extend(&sizes, by: bytes.count)
        default: unreadable += 1
        }
    }

    @inline(__always)
    private mutating func add(integer value: Value) {
        if let integer = value.integer {
            integers += 1
            Extent.extend(&numbers, by: Double(integer))
            Extent.extend(&wholeNumbers, by: integer)
            values.add(ValueHash.of(integer)) { .integer(integer) }
        } else if let number = value.double {
            integers += 1
            Extent.extend(&numbers, by: number)
            if let unsigned = value.unsigned {
                values.add(ValueHash.of(Int64(bitPattern: ~unsigned))) { .unsigned(unsigned) }
            } else {
                values.add(ValueHash.of(number)) { SampledValue(number) }
            }
        } else {
            unreadable += 1
        }
    }

    @inline(__always)
    private mutating func add(text bytes: UnsafeRawBufferPointer?) {
        guard let bytes else { return unreadable += 1 }
        strings += 1
        if bytes.isEmpty { emptyTexts += 1 }
        Extent.extend(&textLengths, by: PlaceFacts.characterCount(bytes))
        if let instant = DateText.instant(bytes) {
            dates += 1
            Extent.extend(&instants, by: instant)
        }
        values.add(ValueHash.of(bytes)) { SampledValue(bytes) }
    }

    /// Takes in a reference to a blob: its size and its content type.
    mutating func add(blob: DictionaryView, _ keys: SharedKeys) {
        blobs += 1
        if let length = blob.value(forKey: "length", keys)?.integer { Extent.extend(&sizes, by: Int(clamping: length)) }
        if let type = blob.value(forKey: "content_type", keys)?.stringBytes { values.add(ValueHash.of(type)) { SampledValue(type) } }
    }

    /// Bytes that begin a character.
    @inline(__always)
    private static func characterCount(_ bytes: UnsafeRawBufferPointer) -> Int {
        var count = 0
        for byte in bytes where byte & 0xC0 != 0x80 { count &+= 1 }
        return count
    }
}
