import CBLLanguage

extension QueryExpression {
    /// The parameters that it names, outside of nested selects.
    var parameterNames: [String] {
        var names: [String] = []
        _ = replacing { part in
            if case .parameter(let name) = part.node { names.append(name) }
            return nil
        }
        return names
    }

    /// The first property that it names.
    var firstProperty: QueryExpression? {
        var found: QueryExpression?
        _ = replacing { part in
            switch part.node {
            case .property, .meta: found = found ?? part
            default: break
            }
            return nil
        }
        return found
    }

    /// `*`, or `alias.*`.
    var isWholeDocument: Bool {
        guard case .property(let path) = node else { return false }
        return path.endsInStar || path.components.isEmpty
    }

    /// With columns of a select in place of their titles.
    func naming(_ columns: [String: QueryExpression]) -> QueryExpression {
        replacing { part in
            guard case .property(let path) = part.node, case .name(let title) = path.components.first, let column = columns[title] else {
                return nil
            }
            if path.components.count == 1 { return column }
            return QueryExpression(.member(column, PropertyPath(Array(path.components.dropFirst()))), range: part.range)
        }
    }

    private var isNewID: Bool {
        if case .function("uuid", let arguments) = node { arguments.isEmpty } else { false }
    }

    /// With an ID in place of each `UUID()`.
    func generatingIDs() -> QueryExpression {
        replacing { $0.isNewID ? QueryExpression(.string(InsertedRows.newID()), range: $0.range) : nil }
    }

    /// With a mark in place of each `UUID()`, where each row needs IDs of its own.
    func markingIDs() -> QueryExpression {
        replacing { $0.isNewID ? QueryExpression(.string(InsertedRows.idMark), range: $0.range) : nil }
    }
}
