import CBLFleece
import CBLFunctions
import CBLLanguage

/// A `RowProgram` in a few flat tables, with what parameters stand for: how `RowEvaluator` runs it.
struct RowCode {
    enum Operation: UInt8 {
        case isLive, equal, notEqual, less, lessOrEqual, greater, greaterOrEqual, `is`, isNot
        case between, membership, like, contains, and, or, not
    }

    /// `first` and `second` are places in the tables, as the operation has it.
    struct Step: BitwiseCopyable {
        var operation: Operation
        var first: Int32
        var second: Int32 = 0
    }

    enum Source: UInt8 { case property, body, key, sequence, constant }

    struct Operand: BitwiseCopyable {
        var source: Source
        /// A place in `paths` or in `constants`.
        var place: Int32 = 0
    }

    struct Column: BitwiseCopyable {
        var isCount: Bool
        /// Negative for none.
        var operand: Int32
    }

    private(set) var steps: [Step] = []
    private(set) var operands: [Operand] = []
    private(set) var paths: [KeyPath] = []
    private(set) var constants: [SQLValue] = []
    private(set) var matchers: [ScalarMatcher?] = []
    private(set) var runs: [TextRun] = []
    private(set) var columns: [Column] = []
    /// Where the condition begins; negative for none.
    private(set) var root: Int32 = -1
    /// The texts of constants.
    private let texts = Texts()

    private final class Texts {
        private var kept: [UnsafeMutableRawBufferPointer] = []

        func keep(_ text: String) -> UnsafeRawBufferPointer {
            let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(text.utf8.count, 1), alignment: 1)
            copy.copyBytes(from: text.utf8)
            kept.append(copy)
            return UnsafeRawBufferPointer(rebasing: copy[..<text.utf8.count])
        }

        deinit { for text in kept { text.deallocate() } }
    }

    /// Nil if a parameter is one that has to be bound, or a path is none.
    init?(_ program: RowProgram, _ parameters: QueryParameters) {
        for column in program.columns {
            switch column {
            case .value(let operand):
                guard let place = add(operand, parameters) else { return nil }
                columns.append(Column(isCount: false, operand: place))
            case .count(let operand?):
                guard let place = add(operand, parameters) else { return nil }
                columns.append(Column(isCount: true, operand: place))
            case .count(nil): columns.append(Column(isCount: true, operand: -1))
            }
        }
        if let condition = program.condition {
            guard let place = add(condition, parameters) else { return nil }
            root = place
        }
    }

    private mutating func add(_ operand: RowProgram.Operand, _ parameters: QueryParameters) -> Int32? {
        switch operand {
        case .property(let path):
            guard let path = try? KeyPath(path) else { return nil }
            paths.append(path)
            return add(Operand(source: .property, place: Int32(paths.count - 1)))
        case .body: return add(Operand(source: .body))
        case .key: return add(Operand(source: .key))
        case .sequence: return add(Operand(source: .sequence))
        case .constant(let constant): return add(constant)
        case .parameter(let name):
            guard let constant = parameters.constant(name) else { return nil }
            return add(constant)
        }
    }

    private mutating func add(_ operand: Operand) -> Int32 {
        operands.append(operand)
        return Int32(operands.count - 1)
    }

    private mutating func add(_ constant: RowProgram.Constant) -> Int32 {
        switch constant {
        case .missing: constants.append(.null)
        case .null: constants.append(.blob(UnsafeRawBufferPointer(start: nil, count: 0)))
        case .integer(let integer): constants.append(.integer(integer))
        case .real(let real): constants.append(.real(real))
        case .text(let text): constants.append(.text(texts.keep(text)))
        }
        return add(Operand(source: .constant, place: Int32(constants.count - 1)))
    }

    private mutating func add(_ step: Step) -> Int32 {
        steps.append(step)
        return Int32(steps.count - 1)
    }

    private mutating func add(_ condition: RowProgram.Condition, _ parameters: QueryParameters) -> Int32? {
        switch condition {
        case .isLive: return add(Step(operation: .isLive, first: 0))
        case .comparison(let comparison, let one, let two):
            guard let first = add(one, parameters), let second = add(two, parameters) else { return nil }
            return add(Step(operation: RowCode.operation(comparison), first: first, second: second))
        case .between(let value, let low, let high):
            // The bounds stand behind one another.
            guard let value = add(value, parameters), let low = add(low, parameters), add(high, parameters) == low + 1 else { return nil }
            return add(Step(operation: .between, first: value, second: low))
        case .membership(let value, let items):
            guard let value = add(value, parameters) else { return nil }
            let first = Int32(operands.count)
            for item in items { guard add(item, parameters) != nil else { return nil } }
            // How many there are stands behind the step.
            let step = add(Step(operation: .membership, first: value, second: first))
            _ = add(Step(operation: .membership, first: Int32(items.count)))
            return step
        case .like(let text, let pattern):
            guard let text = add(text, parameters) else { return nil }
            runs.append(TextRun(pattern))
            return add(Step(operation: .like, first: text, second: Int32(runs.count - 1)))
        case .contains(let path, let value):
            guard let collection = add(.property(path), parameters), let place = add(value, parameters) else { return nil }
            let constant = constants[Int(operands[Int(place)].place)]
            // Whether null is there is null.
            if case .blob = constant { return nil }
            matchers.append(RowCode.matcher(constant))
            return add(Step(operation: .contains, first: collection, second: Int32(matchers.count - 1)))
        case .and(let one, let two):
            guard let first = add(one, parameters), let second = add(two, parameters) else { return nil }
            return add(Step(operation: .and, first: first, second: second))
        case .or(let one, let two):
            guard let first = add(one, parameters), let second = add(two, parameters) else { return nil }
            return add(Step(operation: .or, first: first, second: second))
        case .not(let one):
            guard let first = add(one, parameters) else { return nil }
            return add(Step(operation: .not, first: first))
        }
    }

    private static func operation(_ comparison: RowProgram.Comparison) -> Operation {
        switch comparison {
        case .equal: .equal
        case .notEqual: .notEqual
        case .less: .less
        case .lessOrEqual: .lessOrEqual
        case .greater: .greater
        case .greaterOrEqual: .greaterOrEqual
        case .is: .is
        case .isNot: .isNot
        }
    }

    /// Nil for a value that is not there.
    private static func matcher(_ constant: SQLValue) -> ScalarMatcher? {
        switch constant {
        case .integer(let integer): ScalarMatcher(integer)
        case .real(let real): ScalarMatcher(real)
        case .text(let text): ScalarMatcher(text: text)
        case .null, .blob: nil
        }
    }
}
