import CBLBase
import CBLFleece
import Glibc

/// The members of an object.
extension Evaluator {
    func check(
        _ rules: ObjectRules, _ node: SchemaNode, _ value: Value, _ dictionary: DictionaryView, _ members: EvaluatedMembers?
    ) -> Bool {
        guard takeSteps(rules.steps) else { return false }
        var isValid = true
        var declared = 0
        for property in rules.properties {
            guard let found = self.property(property.name, of: dictionary) else {
                if property.isRequired {
                    guard reportMissing(node, property.name) else { return false }
                    isValid = false
                }
                continue
            }
            declared &+= 1
            if let schema = property.node, !checkMember(schema, found, .key(property.name.bytes)) {
                guard isCollecting else { return false }
                isValid = false
            }
        }
        for property in rules.others where self.property(property.name, of: dictionary) == nil {
            guard reportMissing(node, property.name) else { return false }
            isValid = false
        }
        // If all members have been seen, there are no others to look at.
        if !rules.patterns.isEmpty || rules.additional != nil && declared != dictionary.count {
            if !checkOthers(rules, node, dictionary) {
                guard isCollecting else { return false }
                isValid = false
            }
        }
        if rules.minimumCount != nil || rules.maximumCount != nil, !checkCount(rules, node, dictionary.count) {
            guard isCollecting else { return false }
            isValid = false
        }
        if let names = rules.names, !checkNames(names, node, dictionary) {
            guard isCollecting else { return false }
            isValid = false
        }
        if !checkDependencies(rules, node, value, dictionary, members) {
            guard isCollecting else { return false }
            isValid = false
        }
        guard let members else { return isValid }
        if rules.additional != nil { members.insertAll() } else { note(rules, dictionary, members) }
        if let unevaluated = rules.unevaluated {
            for (index, (key, found)) in dictionary.enumerated() where !members.contains(index) {
                guard !checkOther(unevaluated, node, "unevaluatedProperties", key, found) else { continue }
                guard isCollecting else { return false }
                isValid = false
            }
            members.insertAll()
        }
        return isValid
    }

    /// Members that patterns or nothing apply to.
    private func checkOthers(_ rules: ObjectRules, _ node: SchemaNode, _ dictionary: DictionaryView) -> Bool {
        var isValid = true
        for (key, found) in dictionary {
            guard let name = key.keyBytes(keys), takeSteps(1) else { continue }
            var isKnown = false
            for (pattern, schema) in rules.patterns where matches(pattern, name) {
                isKnown = true
                if !checkMember(schema, found, .key(name)) {
                    guard isCollecting else { return false }
                    isValid = false
                }
            }
            guard !isKnown, let additional = rules.additional, !declares(rules, name) else { continue }
            if !checkOther(additional, node, "additionalProperties", key, found) {
                guard isCollecting else { return false }
                isValid = false
            }
        }
        return isValid
    }

    private func checkOther(_ schema: SchemaNode, _ node: SchemaNode, _ keyword: StaticString, _ key: Value, _ found: Value) -> Bool {
        guard schema.refusesAll else { return checkMember(schema, found, key.keyBytes(keys).map(PathStep.key) ?? .index(0)) }
        guard isCollecting else { return false }
        let name = key.keyBytes(keys)
        path.append(name.map(PathStep.key) ?? .index(0))
        _ = report(node, keyword, "the property \(name.map(Description.quoted) ?? "") is not allowed here")
        path.removeLast()
        return false
    }

    /// Whether a name is among the properties, which are in the order of their bytes.
    private func declares(_ rules: ObjectRules, _ name: UnsafeRawBufferPointer) -> Bool {
        var low = 0
        var high = rules.properties.count
        while low < high {
            let middle = (low + high) / 2
            let order = compare(rules.properties[middle].name.bytes, name)
            if order == 0 { return true }
            if order < 0 { low = middle + 1 } else { high = middle }
        }
        return false
    }

    private func compare(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
        let common = min(a.count, b.count)
        if common > 0, let first = a.baseAddress, let second = b.baseAddress {
            let order = memcmp(first, second, common)
            if order != 0 { return Int(order) }
        }
        return a.count - b.count
    }

    /// Notes the members that these rules have a schema for.
    private func note(_ rules: ObjectRules, _ dictionary: DictionaryView, _ members: EvaluatedMembers) {
        guard !rules.properties.isEmpty || !rules.patterns.isEmpty, takeSteps(dictionary.count / 8) else { return }
        for (index, (key, _)) in dictionary.enumerated() {
            guard let name = key.keyBytes(keys) else { continue }
            if declares(rules, name) || rules.patterns.contains(where: { matches($0.pattern, name) }) { members.insert(index) }
        }
    }

    private func checkCount(_ rules: ObjectRules, _ node: SchemaNode, _ count: Int) -> Bool {
        func words(_ limit: Int) -> String { Description.count(limit, "property", "properties") }
        if let minimum = rules.minimumCount, count < minimum {
            _ = report(node, "minProperties", "expected at least \(words(minimum)), found \(count)")
            return false
        }
        if let maximum = rules.maximumCount, count > maximum {
            _ = report(node, "maxProperties", "expected at most \(words(maximum)), found \(count)")
            return false
        }
        return true
    }

    private func checkNames(_ schema: SchemaNode, _ node: SchemaNode, _ dictionary: DictionaryView) -> Bool {
        var isValid = true
        let encoder = FleeceEncoder()
        for (key, _) in dictionary {
            guard let name = key.keyBytes(keys) else { continue }
            encoder.writeString(name)
            // A string is not something that an encoder refuses.
            guard let data = try? encoder.finish() else { continue }
            let isNameValid = data.withRoot { checkMember(schema, $0, .name(name)) }
            if !isNameValid {
                guard isCollecting else { return false }
                isValid = false
            }
        }
        return isValid
    }

    private func checkDependencies(
        _ rules: ObjectRules, _ node: SchemaNode, _ value: Value, _ dictionary: DictionaryView, _ members: EvaluatedMembers?
    ) -> Bool {
        var isValid = true
        for (name, required) in rules.dependentNames where property(name, of: dictionary) != nil {
            for other in required where property(other, of: dictionary) == nil {
                guard report(node, "dependentRequired", "\"\(name.text)\" is there without \"\(other.text)\"") else { return false }
                isValid = false
            }
        }
        for (name, schema, _) in rules.dependentSchemas where property(name, of: dictionary) != nil {
            if !checkSame(schema, value, members) {
                guard isCollecting else { return false }
                isValid = false
            }
        }
        return isValid
    }
}
