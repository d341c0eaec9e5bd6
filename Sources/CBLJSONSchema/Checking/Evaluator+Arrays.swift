import CBLFleece

/// The items of a list.
extension Evaluator {
    func check(_ rules: ArrayRules, _ node: SchemaNode, _ value: Value, _ array: ArrayView, _ members: EvaluatedMembers?) -> Bool {
        var isValid = checkCount(rules, node, array.count)
        if !isValid, !isCollecting { return false }
        for (index, schema) in rules.first.enumerated() {
            guard index < array.count else { break }
            if !checkMember(schema, array[index], .index(index)) {
                guard isCollecting else { return false }
                isValid = false
            }
        }
        if let rest = rules.rest {
            var index = rules.first.count
            while index < array.count {
                if !checkItem(rest, node, rules.restKeyword, array[index], index) {
                    guard isCollecting, error == nil else { return false }
                    isValid = false
                }
                index += 1
            }
        }
        if rules.areUnique, array.count > 1, !checkUnique(node, array) {
            guard isCollecting else { return false }
            isValid = false
        }
        if let members {
            if rules.rest != nil { members.insertAll() }
            for index in 0..<min(rules.first.count, array.count) { members.insert(index) }
        }
        if let contains = rules.contains, !checkContained(contains, rules, node, array, members) {
            guard isCollecting else { return false }
            isValid = false
        }
        guard let unevaluated = rules.unevaluated, let members else { return isValid }
        for index in 0..<array.count where !members.contains(index) {
            if !checkItem(unevaluated, node, "unevaluatedItems", array[index], index) {
                guard isCollecting, error == nil else { return false }
                isValid = false
            }
        }
        members.insertAll()
        return isValid
    }

    private func checkItem(_ schema: SchemaNode, _ node: SchemaNode, _ keyword: StaticString, _ item: Value, _ index: Int) -> Bool {
        guard schema.refusesAll else { return checkMember(schema, item, .index(index)) }
        guard isCollecting else { return false }
        path.append(.index(index))
        _ = report(node, keyword, "there may be no item \(index)")
        path.removeLast()
        return false
    }

    private func checkCount(_ rules: ArrayRules, _ node: SchemaNode, _ count: Int) -> Bool {
        func words(_ limit: Int) -> String { Description.count(limit, "item", "items") }
        if let minimum = rules.minimumCount, count < minimum {
            _ = report(node, "minItems", "expected at least \(words(minimum)), found \(count)")
            return false
        }
        if let maximum = rules.maximumCount, count > maximum {
            _ = report(node, "maxItems", "expected at most \(words(maximum)), found \(count)")
            return false
        }
        return true
    }

    private func checkContained(
        _ schema: SchemaNode, _ rules: ArrayRules, _ node: SchemaNode, _ array: ArrayView, _ members: EvaluatedMembers?
    ) -> Bool {
        let minimum = rules.minimumContained ?? 1
        let wantsMembers = members != nil && rules.containsEvaluates
        var found = 0
        let wasCollecting = isCollecting
        isCollecting = false
        for index in 0..<array.count where checkMember(schema, array[index], .index(index)) {
            found += 1
            if wantsMembers { members?.insert(index) }
            if found >= minimum, rules.maximumContained == nil, !wantsMembers { break }
        }
        isCollecting = wasCollecting
        if found < minimum {
            let keyword: StaticString = rules.minimumContained == nil ? "contains" : "minContains"
            let words =
                minimum == 1
                ? "no item is what the list has to contain" : "\(found) items, not \(minimum), are what the list has to contain"
            _ = report(node, keyword, words)
            return false
        }
        if let maximum = rules.maximumContained, found > maximum {
            _ = report(node, "maxContains", "\(found) items are of the kind that the list may contain \(maximum) of")
            return false
        }
        return true
    }

    private func checkUnique(_ node: SchemaNode, _ array: ArrayView) -> Bool {
        guard let (first, second) = twins(array) else { return error == nil }
        _ = report(node, "uniqueItems", "items \(first) and \(second) are the same: \(Description.of(array[first], keys))")
        return false
    }

    /// Two equal items. Few are compared with each other; of many first only what their contents add up to, so that there are not too many pairs.
    private func twins(_ array: ArrayView) -> (Int, Int)? {
        guard array.count > 8 else {
            for second in 1..<array.count {
                for first in 0..<second where areEqual(array[first], array[second]) { return (first, second) }
            }
            return nil
        }
        var sums: [(sum: Int, index: Int)] = []
        sums.reserveCapacity(array.count)
        for (index, item) in array.enumerated() {
            var hasher = Hasher()
            guard hash(item, into: &hasher, depth: 0) else { return nil }
            sums.append((hasher.finalize(), index))
        }
        sums.sort { $0.sum != $1.sum ? $0.sum < $1.sum : $0.index < $1.index }
        var start = 0
        for end in 1..<sums.count {
            if sums[end].sum != sums[start].sum { start = end }
            for other in start..<end {
                guard takeSteps(1) else { return nil }
                if areEqual(array[sums[other].index], array[sums[end].index]) { return (sums[other].index, sums[end].index) }
            }
        }
        return nil
    }

    private func areEqual(_ first: Value, _ second: Value) -> Bool { first.isEqual(to: second, keys, keys) }

    /// Equal values add up to the same. False if there are too many.
    private func hash(_ value: Value, into hasher: inout Hasher, depth: Int) -> Bool {
        guard takeSteps(1), depth < Limits.depth else { return false }
        switch value.kind {
        case .integer, .double: hasher.combine(value.double ?? 0)
        case .string: if let bytes = value.stringBytes { hasher.combine(bytes: bytes) }
        case .boolean: hasher.combine(value.boolean)
        case .array:
            guard let items = value.array else { return true }
            hasher.combine(items.count)
            for item in items where !hash(item, into: &hasher, depth: depth + 1) { return false }
        case .dictionary:
            guard let members = value.dictionary else { return true }
            // The order of members does not count.
            var sum = 0
            for (key, member) in members {
                var own = Hasher()
                if let name = key.keyBytes(keys) { own.combine(bytes: name) }
                guard hash(member, into: &own, depth: depth + 1) else { return false }
                sum &+= own.finalize()
            }
            hasher.combine(sum)
        default: break
        }
        return true
    }
}
