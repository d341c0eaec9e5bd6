import CBLFleece

/// Schemas that apply to the same value.
extension Evaluator {
    func check(_ combination: Combination, _ node: SchemaNode, _ value: Value, _ members: EvaluatedMembers?) -> Bool {
        var isValid = true
        for other in combination.references where !checkSame(other, value, members) {
            guard isCollecting else { return false }
            isValid = false
        }
        for reference in combination.dynamicReferences where !checkSame(target(of: reference), value, members) {
            guard isCollecting else { return false }
            isValid = false
        }
        for other in combination.all where !checkSame(other, value, members) {
            guard isCollecting else { return false }
            isValid = false
        }
        if !combination.any.isEmpty, !checkAny(combination.any, node, value, members) {
            guard isCollecting else { return false }
            isValid = false
        }
        if !combination.one.isEmpty, !checkOne(combination.one, node, value, members) {
            guard isCollecting else { return false }
            isValid = false
        }
        if let not = combination.not, checkQuietly(not, value, nil) {
            guard report(node, "not", "\(Description.of(value, keys)) is what the schema excludes") else { return false }
            isValid = false
        }
        if let condition = combination.condition, !checkCondition(condition, combination, value, members) { isValid = false }
        return isValid
    }

    /// Of the resources that schemas led through on the way here the outermost one that has the anchor.
    private func target(of reference: (anchor: Int, otherwise: SchemaNode)) -> SchemaNode {
        let targets = program.dynamicTargets[reference.anchor]
        for resource in scope {
            if let target = targets[resource] { return target }
        }
        return reference.otherwise
    }

    private func checkAny(_ nodes: [SchemaNode], _ node: SchemaNode, _ value: Value, _ members: EvaluatedMembers?) -> Bool {
        var isValid = false
        for other in nodes where checkSeparately(other, value, members) {
            isValid = true
            // Whoever wants to know the members wants to know them from all.
            if members == nil { break }
        }
        if !isValid, isCollecting { reportNone(of: nodes, node, "anyOf", value) }
        return isValid
    }

    private func checkOne(_ nodes: [SchemaNode], _ node: SchemaNode, _ value: Value, _ members: EvaluatedMembers?) -> Bool {
        var valid: [Int] = []
        for (index, other) in nodes.enumerated() where checkSeparately(other, value, members) {
            valid.append(index + 1)
            if valid.count > 1, !isCollecting { return false }
        }
        if valid.count == 1 { return true }
        guard isCollecting else { return false }
        if valid.isEmpty {
            reportNone(of: nodes, node, "oneOf", value)
        } else {
            let numbers = valid.prefix(5).map(String.init).joined(separator: ", ")
            _ = report(node, "oneOf", "valid by \(valid.count) of \(nodes.count) alternatives (\(numbers)), and may be by one only")
        }
        return false
    }

    private func checkCondition(_ condition: SchemaNode, _ combination: Combination, _ value: Value, _ members: EvaluatedMembers?) -> Bool {
        let next = checkSeparately(condition, value, members) ? combination.consequence : combination.alternative
        guard let next else { return true }
        return checkSame(next, value, members)
    }

    /// Members that an invalid alternative looked at do not count.
    func checkSeparately(_ node: SchemaNode, _ value: Value, _ members: EvaluatedMembers?) -> Bool {
        guard let members else { return checkQuietly(node, value, nil) }
        let own = EvaluatedMembers()
        guard checkQuietly(node, value, own) else { return false }
        members.formUnion(own)
        return true
    }

    /// Without messages: being invalid is no failure there.
    func checkQuietly(_ node: SchemaNode, _ value: Value, _ members: EvaluatedMembers?) -> Bool {
        let wasCollecting = isCollecting
        isCollecting = false
        defer { isCollecting = wasCollecting }
        return checkSame(node, value, members)
    }

    private func reportNone(of nodes: [SchemaNode], _ node: SchemaNode, _ keyword: StaticString, _ value: Value) {
        if nodes.count == 1 {
            _ = checkSame(nodes[0], value, nil)
            return
        }
        let shown = 3
        var reasons: [String] = []
        for other in nodes.prefix(shown) { reasons.append(firstReason(other, value)) }
        let list = reasons.enumerated().map { "\($0.offset + 1): \($0.element)" }.joined(separator: "; ")
        _ = report(node, keyword, "valid by none of \(nodes.count) alternatives (\(list)\(nodes.count > shown ? "; …" : ""))")
    }

    /// The first thing that a schema finds wrong.
    private func firstReason(_ node: SchemaNode, _ value: Value) -> String {
        let (outerFailures, outerLimit, outerPath) = (failures, failureLimit, path)
        (failures, failureLimit, path) = ([], 1, [])
        _ = checkSame(node, value, nil)
        let reason = failures.first.map(\.description) ?? "not valid"
        (failures, failureLimit, path) = (outerFailures, outerLimit, outerPath)
        return reason
    }
}
