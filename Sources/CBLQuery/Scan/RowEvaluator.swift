import CBLFleece
import CBLFunctions
import CBLLanguage
import CBLSQLite
import CBLStore

/// Computes what a query computes of each row, from the row's bytes: what SQLite would give for the same SQL. Hot: the benchmarks `scan`, `like` and
/// `any` are this and `TableReader`.
///
/// Belongs to one thread. What it cannot tell as SQLite does, it says (`isUnsure`), and SQLite does it.
final class RowEvaluator: ScanRow {
    /// What a comparison gives: a number, or NULL.
    private enum Truth: UInt8 { case no, yes, unknown }

    private let reader: TableReader
    private let mayHoldTrees: Bool
    private let code: RowCode
    private let sharedKeys: SharedKeys
    // The same where no references are counted.
    private let keys: Unmanaged<SharedKeys>
    private let steps: UnsafeMutablePointer<RowCode.Step>
    private let operands: UnsafeMutablePointer<RowCode.Operand>
    private let constants: UnsafeMutablePointer<SQLValue>
    private let paths: UnsafeMutablePointer<Unmanaged<KeyPath>>
    private let columns: UnsafeMutablePointer<RowCode.Column>
    private let root: Int32

    /// The document's body; nil before it was asked for.
    @exclusivity(unchecked) private var body: Value?
    @exclusivity(unchecked) private(set) var isUnsure = false

    private enum Place {
        static let key = 0
        static let sequence = 1
        static let flags = 2
        static let body = 4
    }

    /// Nil if a parameter is one that has to be bound, or a path is none.
    init?(_ program: RowProgram, _ parameters: QueryParameters, _ pages: PageSource, on snapshot: Snapshot) {
        guard let code = RowCode(program, parameters) else { return nil }
        self.code = code
        reader = TableReader(pages)
        mayHoldTrees = snapshot.mayHoldTreesInBodies
        sharedKeys = snapshot.sharedKeys
        keys = .passUnretained(sharedKeys)
        root = code.root
        steps = RowEvaluator.copy(code.steps)
        operands = RowEvaluator.copy(code.operands)
        constants = RowEvaluator.copy(code.constants)
        paths = RowEvaluator.copy(code.paths.map { .passUnretained($0) })
        columns = RowEvaluator.copy(code.columns)
    }

    private static func copy<Element>(_ elements: [Element]) -> UnsafeMutablePointer<Element> {
        let copy = UnsafeMutablePointer<Element>.allocate(capacity: max(elements.count, 1))
        copy.initialize(from: elements, count: elements.count)
        return copy
    }

    deinit {
        steps.deallocate()
        operands.deallocate()
        constants.deallocate()
        paths.deallocate()
        columns.deallocate()
    }

    // Rows

    enum Next { case row, end, unsure }

    /// The pages that will be begun with, in this order.
    func expect(_ leaves: ArraySlice<UInt32>) { reader.expect(leaves) }

    /// Goes before the first row of a page.
    func begin(_ leaf: UInt32) -> Bool { reader.begin(leaf) }

    /// Goes to the next row of the page that fulfils the condition.
    @inline(__always)
    func next() -> Next {
        while true {
            switch reader.next() {
            case .row: break
            case .end: return .end
            case .damage: return .unsure
            }
            body = nil
            let isWanted = root < 0 || truth(root) == .yes
            if isUnsure { return .unsure }
            if isWanted { return .row }
        }
    }

    /// Reads the pages of rows that will be looked for next, in this order. Gives for how many there was room; nil if one cannot be read.
    func gather(_ rows: ArraySlice<Int64>, in leaves: TableLeaves) -> Int? { reader.gather(rows, in: leaves) }

    /// Goes to the row of a number. It ends if that does not fulfil the condition.
    func find(_ number: Int64, in leaves: TableLeaves) -> Next {
        guard reader.find(number, in: leaves) else { return .unsure }
        body = nil
        let isWanted = root < 0 || truth(root) == .yes
        return isUnsure ? .unsure : isWanted ? .row : .end
    }

    private static var emptyDocument: Value? {
        Value(root: UnsafeRawBufferPointer(start: ("p\0" as StaticString).utf8Start, count: 2))
    }

    @inline(__always)
    private func document() -> Value {
        if let body { return body }
        let value = readBody()
        body = value
        return value
    }

    private func readBody() -> Value {
        switch reader.kind(Place.body) {
        case .null: return RowEvaluator.emptyDocument ?? .undefined
        case .blob:
            guard var bytes = reader.bytes(Place.body) else {
                isUnsure = true
                return .undefined
            }
            if mayHoldTrees { bytes = RecordBody.current(bytes) }
            if bytes.isEmpty { return RowEvaluator.emptyDocument ?? .undefined }
            return Value(root: bytes) ?? .undefined
        case .integer, .real, .text: return .undefined
        }
    }

    @inline(__always)
    private func property(_ operand: RowCode.Operand) -> Value? {
        let root = document()
        guard !root.isUndefined else { return nil }
        return paths[Int(operand.place)]._withUnsafeGuaranteedRef { path in
            keys._withUnsafeGuaranteedRef { path.evaluate(in: root, keys: $0) }
        }
    }

    /// What stands for an encoding, which is no text and not empty, where nobody looks at it.
    private static nonisolated(unsafe) let encoding = UnsafeRawBufferPointer(start: ("encoded" as StaticString).utf8Start, count: 1)

    @inline(__always)
    private func operand(_ place: Int32) -> SQLValue {
        let operand = operands[Int(place)]
        switch operand.source {
        case .property: return property(operand).map(RowEvaluator.value) ?? .null
        case .body: return wholeBody()
        case .constant: return constants[Int(operand.place)]
        case .key: return key()
        case .sequence: return sequence()
        }
    }

    /// What has no encoding of its own is made by SQLite's functions.
    private func wholeBody() -> SQLValue {
        guard !mayHoldTrees, reader.kind(Place.body) == .blob, let bytes = reader.bytes(Place.body), !bytes.isEmpty else { return unsure() }
        return .blob(bytes)
    }

    private func key() -> SQLValue {
        guard reader.kind(Place.key) == .text, let bytes = reader.bytes(Place.key) else { return unsure() }
        return .text(bytes)
    }

    private func sequence() -> SQLValue {
        guard reader.kind(Place.sequence) == .integer, let integer = reader.integer(Place.sequence) else { return unsure() }
        return .integer(integer)
    }

    /// As `fl_value` gives it.
    @inline(__always)
    private static func value(_ value: Value) -> SQLValue {
        switch value.kind {
        case .undefined: return .null
        case .null: return .blob(UnsafeRawBufferPointer(start: nil, count: 0))
        case .boolean: return .integer(value.boolean == true ? 1 : 0)
        case .integer: return value.integerBits.map { .integer(Int64(bitPattern: $0)) } ?? .null
        case .double:
            guard let double = value.double, !double.isNaN else { return .null }
            return .real(double)
        case .string: return value.stringBytes.map(SQLValue.text) ?? .null
        case .data, .array, .dictionary: return .blob(RowEvaluator.encoding)
        }
    }

    private func unsure() -> SQLValue {
        isUnsure = true
        return .null
    }

    // Columns

    /// A column as `fl_result` gives it.
    func value(_ column: Int32) -> SQLValue {
        let operand = columns[Int(column)].operand
        guard operand >= 0 else { return .integer(1) }
        if columns[Int(column)].isCount {
            if case .null = self.operand(operand) { return .integer(0) }
            return .integer(1)
        }
        if operands[Int(operand)].source == .body { return wholeBody() }
        guard operands[Int(operand)].source == .property else {
            // An empty blob is null, which a column has encoded.
            if case .blob = self.operand(operand) { return .blob(RowEvaluator.bytes("0\0")) }
            return self.operand(operand)
        }
        guard let value = property(operands[Int(operand)]) else { return .null }
        switch value.kind {
        case .null: return .blob(RowEvaluator.bytes("0\0"))
        case .boolean: return .blob(RowEvaluator.bytes(value.boolean == true ? "8\0" : "4\0"))
        case .integer where value.isUnsigned && value.integer == nil: return unsure()
        // What is to be encoded is SQLite's to keep.
        case .data, .array, .dictionary: return unsure()
        default: return RowEvaluator.value(value)
        }
    }

    private static func bytes(_ literal: StaticString) -> UnsafeRawBufferPointer {
        UnsafeRawBufferPointer(start: literal.utf8Start, count: literal.utf8CodeUnitCount)
    }

    // Conditions

    private func truth(_ place: Int32) -> Truth {
        let step = steps[Int(place)]
        switch step.operation {
        case .isLive:
            guard reader.kind(Place.flags) == .integer, let flags = reader.integer(Place.flags) else {
                isUnsure = true
                return .unknown
            }
            return flags & 1 == 0 ? .yes : .no
        case .and:
            let first = truth(step.first)
            if first == .no { return .no }
            let second = truth(step.second)
            return second == .no ? .no : first == .yes && second == .yes ? .yes : .unknown
        case .or:
            let first = truth(step.first)
            if first == .yes { return .yes }
            let second = truth(step.second)
            return second == .yes ? .yes : first == .no && second == .no ? .no : .unknown
        case .not:
            switch truth(step.first) {
            case .no: return .yes
            case .yes: return .no
            case .unknown: return .unknown
            }
        case .like: return isLike(operand(step.first), code.runs[Int(step.second)])
        case .contains: return contains(step)
        case .between: return between(step)
        case .membership: return isMember(step, count: steps[Int(place) + 1].first)
        default: return compare(step.operation, operand(step.first), operand(step.second))
        }
    }

    @inline(__always)
    private func compare(_ operation: RowCode.Operation, _ one: SQLValue, _ two: SQLValue) -> Truth {
        switch (one, two) {
        case (.null, .null): return operation == .is ? .yes : operation == .isNot ? .no : .unknown
        case (.null, _), (_, .null): return operation == .is ? .no : operation == .isNot ? .yes : .unknown
        case (.blob(let one), .blob(let two)) where !one.isEmpty && !two.isEmpty:
            // Two encodings.
            isUnsure = true
            return .unknown
        default: break
        }
        let order = one.order(two)
        let holds =
            switch operation {
            case .equal, .is: order == 0
            case .notEqual, .isNot: order != 0
            case .less: order < 0
            case .lessOrEqual: order <= 0
            case .greater: order > 0
            default: order >= 0
            }
        return holds ? .yes : .no
    }

    private func isLike(_ text: SQLValue, _ run: TextRun) -> Truth {
        switch text {
        case .null: return .unknown
        case .text(let bytes): return run.matches(bytes) ? .yes : .no
        // Null: there is no sign that stands for nothing alone.
        case .blob(let bytes) where bytes.isEmpty: return .no
        case .integer, .real, .blob:
            // SQLite makes texts of them.
            isUnsure = true
            return .unknown
        }
    }

    private func contains(_ step: RowCode.Step) -> Truth {
        // Without a collection it is null, which is no more than false.
        guard let collection = property(operands[Int(step.first)]), collection.array != nil || collection.dictionary != nil else {
            return .no
        }
        guard let matcher = code.matchers[Int(step.second)] else { return .unknown }
        return matcher.isAny(of: collection) == true ? .yes : .no
    }

    private func between(_ step: RowCode.Step) -> Truth {
        let value = operand(step.first)
        let low = compare(.greaterOrEqual, value, operand(step.second))
        if low == .no { return .no }
        let high = compare(.lessOrEqual, value, operand(step.second + 1))
        return high == .no ? .no : low == .yes && high == .yes ? .yes : .unknown
    }

    private func isMember(_ step: RowCode.Step, count: Int32) -> Truth {
        let value = operand(step.first)
        var result = Truth.no
        for item in step.second..<step.second + count {
            switch compare(.equal, value, operand(item)) {
            case .yes: return .yes
            case .unknown: result = .unknown
            case .no: break
            }
        }
        return result
    }
}
