import CBLLanguage

/// A query with `GROUP BY` or aggregates over whole properties: which columns of the scan are grouped by, which are added up, and what of
/// that is shown.
struct GroupShape: Sendable {
    private enum Item: Sendable, Hashable {
        case key(Int), aggregate(Int)
    }

    private var keyCount: Int
    private var aggregates: [GroupedRows.Aggregate] = []
    private var columns: [Item] = []
    private var order: [(item: Item, isDescending: Bool)] = []
    private let limits: Limits

    /// With the query that gives the columns, row by row.
    static func make(_ select: Select, _ aliases: Set<String>) -> (GroupShape, Select)? {
        guard let limits = Limits(select) else { return nil }
        var shape = GroupShape(keyCount: select.groupBy.count, limits: limits)
        var scanned = select.groupBy
        guard shape.keyCount > 0 || select.orderBy.isEmpty && limits.limit == nil && limits.offset == 0 else { return nil }
        // A name that is given to a result means that, and not the property, wherever it can.
        let names = NameFinder(aliases)
        guard scanned.allSatisfy({ $0.isProperty }), !select.groupBy.contains(where: names.isIn), select.condition.map(names.isIn) != true
        else { return nil }
        for result in select.results {
            guard let item = shape.item(result.expression, names, &scanned) else { return nil }
            shape.columns.append(item)
        }
        for order in select.orderBy {
            if case .property(let path) = order.expression.node, path.components.count == 1, let name = path.firstName,
                let index = select.results.firstIndex(where: { $0.alias == name })
            {
                // The name means the finished column: only a number is the same before and after.
                guard case .aggregate(let aggregate) = shape.columns[index], shape.aggregates[aggregate].function.isNumber else {
                    return nil
                }
                shape.order.append((shape.columns[index], order.isDescending))
            } else {
                guard let item = shape.item(order.expression, names, &scanned) else { return nil }
                shape.order.append((item, order.isDescending))
            }
        }
        var partial = Select()
        partial.results = scanned.map { Select.Result($0) }
        // Something has to be selected where rows are but counted.
        if partial.results.isEmpty { partial.results = [Select.Result(QueryExpression(.integer(1)))] }
        partial.sources = select.sources
        partial.condition = select.condition
        return (shape, partial)
    }

    private init(keyCount: Int, limits: Limits) {
        self.keyCount = keyCount
        self.limits = limits
    }

    private mutating func item(_ expression: QueryExpression, _ names: NameFinder, _ scanned: inout [QueryExpression]) -> Item? {
        guard !names.isIn(expression) else { return nil }
        if let key = scanned.prefix(keyCount).firstIndex(where: { $0.node == expression.node }) { return .key(key) }
        guard let (function, argument) = GroupShape.aggregate(expression) else { return nil }
        var column: Int?
        if let argument {
            guard argument.isProperty else { return nil }
            column = scanned.firstIndex { $0.node == argument.node } ?? scanned.count
            if column == scanned.count { scanned.append(argument) }
        }
        let aggregate = GroupedRows.Aggregate(function: function, column: column)
        if let known = aggregates.firstIndex(of: aggregate) { return .aggregate(known) }
        aggregates.append(aggregate)
        return .aggregate(aggregates.count - 1)
    }

    /// The function and what it is of, nothing for `count(*)`; nil for all else.
    static func aggregate(_ expression: QueryExpression) -> (function: GroupedRows.Aggregate.Function, argument: QueryExpression?)? {
        guard case .function(let name, let arguments) = expression.node, arguments.count <= 1,
            let function = GroupedRows.Aggregate.Function(rawValue: name)
        else { return nil }
        guard let argument = arguments.first, !(function == .count && argument.node == .property(.whole)) else {
            return function == .count ? (.count, nil) : nil
        }
        return (function, argument)
    }

    func sink(mayAddFloats: Bool) -> GroupedRows {
        GroupedRows(keyCount: keyCount, aggregates: aggregates, mayAddFloats: mayAddFloats)
    }

    /// The groups in the order in which SQLite gives them.
    func rows(_ groups: GroupedRows) -> any ComputedRows {
        // SQLite sorts the rows to find the groups, and takes directions from ORDER BY if that has as many terms: it shows where terms are equal.
        let isDescending = order.count == keyCount ? order.map(\.isDescending) : [Bool](repeating: false, count: keyCount)
        var sorted = keyCount == 0 ? [0] : groups.sortedGroups(isDescending: isDescending)
        if keyCount == 0 { groups.makeSureOfGroup() }
        if !order.isEmpty {
            let places = sorted.indices.sorted { one, two in
                for (item, isDescending) in order {
                    let order = value(item, groups, sorted[one]).beforeResult.order(value(item, groups, sorted[two]).beforeResult)
                    if order != 0 { return isDescending ? order > 0 : order < 0 }
                }
                return one < two
            }
            sorted = places.map { sorted[$0] }
        }
        var shown = sorted.dropFirst(limits.offset)
        if let limit = limits.limit { shown = shown.prefix(limit) }
        return Rows(shape: self, groups: groups, order: shown)
    }

    private func value(_ item: Item, _ groups: GroupedRows, _ group: Int) -> SQLValue {
        switch item {
        case .key(let index): groups.key(index, of: group)
        case .aggregate(let index): groups.result(index, of: group)
        }
    }

    private final class Rows: ComputedRows {
        private let shape: GroupShape
        private let groups: GroupedRows
        private var order: ArraySlice<Int>
        private var current: Int?

        init(shape: GroupShape, groups: GroupedRows, order: ArraySlice<Int>) {
            self.shape = shape
            self.groups = groups
            self.order = order
        }

        func next() -> Bool? {
            current = order.popFirst()
            return current != nil
        }

        subscript(column: Int) -> SQLValue { current.map { shape.value(shape.columns[column], groups, $0) } ?? .null }
    }
}

extension GroupedRows.Aggregate.Function {
    var isNumber: Bool { self == .count || self == .sum || self == .avg }
}

extension QueryExpression {
    /// A property with a path, which is a column `fl_result(fl_value(…))`.
    fileprivate var isProperty: Bool {
        guard case .property(let path) = node else { return false }
        return !path.components.isEmpty
    }
}
