internal import CBLFleece
internal import CBLQuery
import Foundation

/// A row of a query's result: an array of its columns, and a dictionary of them by their names.
public final class Result: ArrayProtocol, DictionaryProtocol, Sequence, @unchecked Sendable {
    // Sendable: nothing of it changes.

    public typealias Element = String
    public typealias Iterator = IndexingIterator<[String]>

    let block: RowBlock
    let row: Int
    let shape: RowShape

    init(_ block: RowBlock, _ row: Int, _ shape: RowShape) {
        self.block = block
        self.row = row
        self.shape = shape
    }

    // MARK: Columns as the types of programs

    private func check(_ index: Int) {
        programmerErrorUnless((0..<count).contains(index), .range, "The index \(index) is outside of the row.")
    }

    @inline(__always)
    private func string(_ column: Int) -> String? {
        withExtendedLifetime(block) {
            if case .text(let bytes) = block[row, column] { String(decoding: bytes, as: UTF8.self) } else { nil }
        }
    }

    @inline(__always)
    private func int64(_ column: Int) -> Int64 {
        withExtendedLifetime(block) {
            switch block[row, column] {
            case .integer(let number): number
            case .double(let number): Int64(cutting: number)
            case .boolean(let flag): flag ? 1 : 0
            case .unsigned(let number): Int64(truncatingIfNeeded: number)
            default: 0
            }
        }
    }

    @inline(__always)
    private func double(_ column: Int) -> Double {
        withExtendedLifetime(block) {
            switch block[row, column] {
            case .integer(let number): Double(number)
            case .double(let number): number
            case .boolean(let flag): flag ? 1 : 0
            case .unsigned(let number): Double(number)
            default: 0
            }
        }
    }

    private func boolean(_ column: Int) -> Bool {
        withExtendedLifetime(block) {
            switch block[row, column] {
            case .missing, .null: false
            case .integer(let number): number != 0
            case .double(let number): number != 0
            case .boolean(let flag): flag
            case .unsigned(let number): number != 0
            case .text, .data, .collection: true
            }
        }
    }

    private func number(_ column: Int) -> NSNumber? {
        withExtendedLifetime(block) {
            switch block[row, column] {
            case .integer(let number): NSNumber(value: number)
            case .double(let number): NSNumber(value: number)
            case .boolean(let flag): NSNumber(value: flag)
            case .unsigned(let number): NSNumber(value: number)
            default: nil
            }
        }
    }

    /// A column's encoding with what its containers need.
    func stored(_ column: Int) -> StoredValues? {
        block.encoding(row, column).map { StoredValues($0, keys: block.keys, database: shape.database) }
    }

    private func item(_ column: Int) -> Item? {
        guard let stored = stored(column) else { return nil }
        return Item(stored.root, in: stored, isMutable: false)
    }

    private func value(_ column: Int) -> Any? {
        switch block[row, column] {
        case .missing, .null: nil
        case .text: string(column)
        case .integer, .double, .boolean, .unsigned: number(column)
        case .data, .collection: item(column)?.object
        }
    }

    private func plainValue(_ column: Int) -> Any? {
        switch block[row, column] {
        case .missing: nil
        case .null: NSNull()
        case .text: string(column)
        case .integer, .double, .boolean, .unsigned: number(column)
        case .data, .collection: stored(column).map { $0.root.plainObject($0) }
        }
    }

    private func date(_ column: Int) -> Date? { string(column).flatMap(ISO8601.date) }

    private func blob(_ column: Int) -> Blob? {
        if case .blob(let blob)? = item(column) { return blob }
        return nil
    }

    private func array(_ column: Int) -> ArrayObject? {
        if case .array(let array)? = item(column) { return array }
        return nil
    }

    private func dictionary(_ column: Int) -> DictionaryObject? {
        if case .dictionary(let dictionary)? = item(column) { return dictionary }
        return nil
    }

    // MARK: By index

    /// How many columns there are.
    public var count: Int { shape.titles.count }

    /// What the column has: a string, an `NSNumber`, a blob, an array or a dictionary; nil if it is null or missing.
    public func value(at index: Int) -> Any? {
        check(index)
        return value(index)
    }

    /// The string in the column; nil if there is none.
    public func string(at index: Int) -> String? {
        check(index)
        return string(index)
    }

    /// The number or boolean in the column; nil if there is neither.
    public func number(at index: Int) -> NSNumber? {
        check(index)
        return number(index)
    }

    /// The number in the column, its fraction cut off; 0 if there is none.
    public func int(at index: Int) -> Int {
        check(index)
        return Int(int64(index))
    }

    /// The number in the column, its fraction cut off; 0 if there is none.
    public func int64(at index: Int) -> Int64 {
        check(index)
        return int64(index)
    }

    /// The number in the column; 0 if there is none.
    public func double(at index: Int) -> Double {
        check(index)
        return double(index)
    }

    /// The number in the column; 0 if there is none.
    public func float(at index: Int) -> Float {
        check(index)
        return Float(double(index))
    }

    /// False for false, 0, null and what is missing; true for all else.
    public func boolean(at index: Int) -> Bool {
        check(index)
        return boolean(index)
    }

    /// The blob in the column; nil if there is none.
    public func blob(at index: Int) -> Blob? {
        check(index)
        return blob(index)
    }

    /// The date that the string in the column says; nil if it says none.
    public func date(at index: Int) -> Date? {
        check(index)
        return date(index)
    }

    /// The array in the column; nil if there is none.
    public func array(at index: Int) -> ArrayObject? {
        check(index)
        return array(index)
    }

    /// The dictionary in the column; nil if there is none.
    public func dictionary(at index: Int) -> DictionaryObject? {
        check(index)
        return dictionary(index)
    }

    /// The row as an array of plain values. What is null or missing is `NSNull`.
    public func toArray() -> [Any] { (0..<count).map { plainValue($0) ?? NSNull() } }

    /// The place of a column.
    public subscript(index: Int) -> Fragment { Fragment(self, index) }

    // MARK: By name

    /// The names of all columns.
    public var keys: [String] { shape.titles }

    /// What the column has: a string, an `NSNumber`, a blob, an array or a dictionary; nil if it is null or missing, or there is no such column.
    public func value(forKey key: String) -> Any? { shape.column(key).flatMap { value($0) } }

    /// The string in the column; nil if there is none.
    public func string(forKey key: String) -> String? { shape.column(key).flatMap { string($0) } }

    /// The number or boolean in the column; nil if there is neither.
    public func number(forKey key: String) -> NSNumber? { shape.column(key).flatMap { number($0) } }

    /// The number in the column, its fraction cut off; 0 if there is none.
    public func int(forKey key: String) -> Int { Int(int64(forKey: key)) }

    /// The number in the column, its fraction cut off; 0 if there is none.
    public func int64(forKey key: String) -> Int64 { shape.column(key).map { int64($0) } ?? 0 }

    /// The number in the column; 0 if there is none.
    public func float(forKey key: String) -> Float { Float(double(forKey: key)) }

    /// The number in the column; 0 if there is none.
    public func double(forKey key: String) -> Double { shape.column(key).map { double($0) } ?? 0 }

    /// False for false, 0, null and what is missing; true for all else.
    public func boolean(forKey key: String) -> Bool { shape.column(key).map { boolean($0) } ?? false }

    /// The blob in the column; nil if there is none.
    public func blob(forKey key: String) -> Blob? { shape.column(key).flatMap { blob($0) } }

    /// The date that the string in the column says; nil if it says none.
    public func date(forKey key: String) -> Date? { shape.column(key).flatMap { date($0) } }

    /// The array in the column; nil if there is none.
    public func array(forKey key: String) -> ArrayObject? { shape.column(key).flatMap { array($0) } }

    /// The dictionary in the column; nil if there is none.
    public func dictionary(forKey key: String) -> DictionaryObject? { shape.column(key).flatMap { dictionary($0) } }

    /// Whether the column has something, be it null.
    public func contains(key: String) -> Bool { shape.column(key).map { !block.isMissing(row, $0) } ?? false }

    /// The row as a dictionary of plain values. What is missing is left out, null is `NSNull`.
    public func toDictionary() -> [String: Any] {
        var dictionary = [String: Any](minimumCapacity: count)
        for (column, title) in shape.titles.enumerated() { dictionary[title] = plainValue(column) }
        return dictionary
    }

    /// Goes through the names of the columns.
    public func makeIterator() -> IndexingIterator<[String]> { keys.makeIterator() }

    /// The row as a JSON object. What is missing is left out.
    public func toJSON() -> String { shape.json(block, row) }

    /// The place of a column.
    public subscript(key: String) -> Fragment { Fragment(self, key) }
}
