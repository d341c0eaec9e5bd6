import CBLFleece
import CBLFunctions
import Glibc

/// Makes one row of each group of rows. Hot: grouped queries go through whole indexes with it.
final class GroupFeed: RowFeed {
    private let rows: RowFeed
    private let row: ViewRow
    private let reducer: GroupReducer?
    private let isGrouped: Bool
    private let limit: Int
    /// Whether the ordered bytes of keys are those of the Unicode order, which groups are made by, whatever the view's own.
    private let hasUnicodeKeys: Bool
    private let order = ValueOrder(.unicode)
    private let check: () throws -> Void
    private var hasRow = false
    private var hasBegun = false
    private var count = 0

    // The first key of the group.
    private var first = ByteBuffer()
    /// How many of its ordered bytes the other keys of the group begin with; nil if these bytes do not tell.
    private var prefixCount: Int?
    private var result = ByteBuffer()
    private var resultKey = ByteBuffer()
    private let encoder = FleeceEncoder()

    init(
        _ rows: RowFeed, _ row: ViewRow, _ reduction: Reduction?, groups: Bool, level: Int, _ collation: JSONCollation,
        check: @escaping () throws -> Void
    ) throws {
        self.rows = rows
        self.row = row
        self.check = check
        reducer = try reduction.map { try GroupReducer($0) }
        isGrouped = groups
        limit = level == 0 ? .max : level
        hasUnicodeKeys = collation == .unicode
    }

    override func next() throws -> Bool {
        if !hasBegun {
            hasBegun = true
            hasRow = try rows.next()
        }
        guard hasRow else { return false }
        begin()
        repeat {
            count &+= 1
            if count & 1023 == 0 { try check() }
            try reducer?.add(rows, row)
            row.forget()
            hasRow = try rows.next()
        } while hasRow && (!isGrouped || belongs())
        try finish()
        return true
    }

    private func begin() {
        guard isGrouped else { return }
        first.truncate(to: 0)
        let column = rows.indexKey ?? rows.key
        first.append(column)
        let key = ViewKey(column)
        prefixCount = hasUnicodeKeys && key.isComplete ? GroupPrefix.count(key.ordered, items: limit) : nil
    }

    @inline(__always)
    private func belongs() -> Bool {
        let column = rows.indexKey ?? rows.key
        if let prefixCount {
            let (key, start) = (ViewKey(column), ViewKey(first.bytes))
            guard key.ordered.count >= prefixCount, let a = key.ordered.baseAddress, let b = start.ordered.baseAddress else { return false }
            return memcmp(a, b, prefixCount) == 0
        }
        if column.count == first.count, let a = column.baseAddress, let b = first.bytes.baseAddress, memcmp(a, b, column.count) == 0 {
            return true
        }
        return order.compare(ViewKey(column).value, ViewKey(first.bytes).value, arrayLimit: limit) == 0
    }

    private func finish() throws {
        (id, sequence, indexKey) = (UnsafeRawBufferPointer(start: nil, count: 0), 0, nil)
        resultKey.truncate(to: 0)
        if !isGrouped {
            SmallValue.append(0x3000, to: &resultKey)
        } else {
            let key = ViewKey(first.bytes)
            if let array = key.value.array, array.count > limit {
                encoder.beginArray()
                for index in 0..<limit { encoder.write(array[index], keys: nil) }
                encoder.endArray()
                try encoder.withFinished { resultKey.append($0) }
            } else {
                resultKey.append(key.encoding)
            }
        }
        key = resultKey.bytes
        result.truncate(to: 0)
        if let reducer { try reducer.finish(&result) } else { SmallValue.append(0x3000, to: &result) }
        (kind, value) = (.encoded, result.bytes)
    }
}

/// What reduces the rows of one group after another.
private final class GroupReducer {
    private enum Function {
        case builtIn
        case custom(any Reducer, ReducedRows)
    }

    private let function: Function
    private var tally = ReductionTally(.count)
    private let encoder = FleeceEncoder()

    init(_ reduction: Reduction) throws {
        switch reduction {
        case .builtIn(let builtIn):
            function = .builtIn
            tally = ReductionTally(builtIn)
        case .custom(let make): function = .custom(try make(), ReducedRows())
        }
    }

    @inline(__always)
    func add(_ rows: RowFeed, _ row: ViewRow) throws {
        switch function {
        case .builtIn:
            if rows.kind == .encoded, let value = Value(root: rows.value) { tally.add(value) } else { tally.add(.undefined) }
        case .custom(_, let reduced):
            try row.withValueBytes { reduced.add(key: rows.key, value: $0 ?? UnsafeRawBufferPointer(start: nil, count: 0)) }
        }
    }

    func finish(_ result: inout ByteBuffer) throws {
        encoder.reset()
        do {
            switch function {
            case .builtIn: tally.write(to: encoder)
            case .custom(let reducer, let rows): try reducer.reduce(rows, rereduce: false, into: encoder)
            }
            try encoder.withFinished { result.append($0) }
        } catch let error as ViewError {
            // It is no matter of this group.
            throw error
        } catch {
            // As in 1.x: a function that fails gives null.
            result.truncate(to: 0)
            SmallValue.append(0x3000, to: &result)
        }
        switch function {
        case .builtIn: tally.reset()
        case .custom(_, let rows): rows.removeAll()
        }
    }
}

/// How many ordered bytes keys of the Unicode order must have in common to be equal up to so many items.
enum GroupPrefix {
    static func count(_ ordered: UnsafeRawBufferPointer, items: Int) -> Int? {
        guard ordered.first == JSONCollation.unicode.rank(.array), items != .max else { return ordered.count }
        var position = 1
        for _ in 0..<items {
            guard position < ordered.count else { return nil }
            // The array is no longer than that: its end is a part of it.
            if ordered[position] == JSONCollation.unicode.rank(.closingBracket) { return ordered.count }
            guard skip(ordered, &position) else { return nil }
        }
        return position
    }

    /// Goes behind a value.
    private static func skip(_ ordered: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
        var depth = 0
        repeat {
            guard position < ordered.count else { return false }
            let kind = ordered[position]
            position += 1
            switch Int(kind) {
            case JSONToken.number.rawValue: position += 8
            case JSONToken.string.rawValue:
                let start = position
                while position < ordered.count, ordered[position] != 0 { position += 1 }
                position += 1 + (position - start + 7) / 8
            case JSONToken.array.rawValue, JSONToken.object.rawValue: depth += 1
            case JSONToken.closingBracket.rawValue, JSONToken.closingBrace.rawValue: depth -= 1
            case JSONToken.null.rawValue, JSONToken.false.rawValue, JSONToken.true.rawValue: break
            default: return false
            }
        } while depth > 0
        return position <= ordered.count
    }
}
