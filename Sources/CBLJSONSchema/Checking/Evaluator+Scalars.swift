import CBLBase
import CBLFleece
import CBLFunctions

extension Evaluator {
    func check(_ rules: ValueRules, _ node: SchemaNode, _ value: Value) -> Bool {
        guard takeSteps(rules.steps) else { return false }
        var isValid = true
        if let choices = rules.choices, !isAmong(choices, value) {
            guard report(node, "enum", "expected one of \(Description.choices(choices)), found \(Description.of(value, keys))") else {
                return false
            }
            isValid = false
        }
        if let constant = rules.constant, !isEqual(constant, value) {
            _ = report(node, "const", "expected \(Description.json(constant)), found \(Description.of(value, keys))")
            isValid = false
        }
        return isValid
    }

    private func isAmong(_ choices: [Value], _ value: Value) -> Bool {
        guard let bytes = value.stringBytes else { return choices.contains { isEqual($0, value) } }
        for choice in choices {
            guard let other = choice.stringBytes, other.count == bytes.count else { continue }
            if bytes.elementsEqual(other) { return true }
        }
        return false
    }

    /// `choice` is a value of the schema.
    func isEqual(_ choice: Value, _ value: Value) -> Bool {
        // Comparing goes through the smaller of the two, and schemas are small.
        value.isEqual(to: choice, keys, nil)
    }

    func check(_ rules: NumberRules, _ node: SchemaNode, _ value: Value) -> Bool {
        var isValid = true
        if let bound = rules.minimum, !isOrdered(bound, value, { $0 >= 0 }) {
            guard reportBound(node, bound, "at least", value) else { return false }
            isValid = false
        }
        if let bound = rules.maximum, !isOrdered(bound, value, { $0 <= 0 }) {
            guard reportBound(node, bound, "at most", value) else { return false }
            isValid = false
        }
        if let bound = rules.exclusiveMinimum, !isOrdered(bound, value, { $0 > 0 }) {
            guard reportBound(node, bound, "more than", value) else { return false }
            isValid = false
        }
        if let bound = rules.exclusiveMaximum, !isOrdered(bound, value, { $0 < 0 }) {
            guard reportBound(node, bound, "less than", value) else { return false }
            isValid = false
        }
        if let factor = rules.factor, !factor.divides(value) {
            _ = report(node, "multipleOf", "expected a multiple of \(factor.text), found \(Description.of(value, keys))")
            isValid = false
        }
        return isValid
    }

    @inline(__always)
    private func isOrdered(_ bound: NumberRules.Bound, _ value: Value, _ isRight: (Int) -> Bool) -> Bool {
        // A number that no rules can be broken with, such as a damaged one, is no reason to complain.
        guard let order = compareNumbers(value, bound.value) else { return true }
        return isRight(order)
    }

    func check(_ rules: StringRules, _ node: SchemaNode, _ value: Value) -> Bool {
        guard let bytes = value.stringBytes else { return true }
        guard takeSteps(bytes.count / 64) else { return false }
        var isValid = true
        if rules.minimumLength != nil || rules.maximumLength != nil, !checkLength(rules, node, bytes) {
            guard isCollecting else { return false }
            isValid = false
        }
        if let pattern = rules.pattern, !matches(pattern, bytes) {
            guard report(node, "pattern", "\(Description.quoted(bytes)) does not match \(program.patterns[pattern].text)") else {
                return false
            }
            isValid = false
        }
        // What is itself a regular expression is compiled, which takes its time.
        if rules.format == .regex, !hasTimeForPatterns(node.place) { return false }
        if let format = rules.format, !format.accepts(bytes) {
            _ = report(node, "format", "expected \(format.article), found \(Description.quoted(bytes))")
            isValid = false
        }
        return isValid
    }

    private func checkLength(_ rules: StringRules, _ node: SchemaNode, _ bytes: UnsafeRawBufferPointer) -> Bool {
        // A character has one byte that does not continue another.
        var length = 0
        for byte in bytes { length &+= byte & 0xC0 != 0x80 ? 1 : 0 }
        func words(_ limit: Int) -> String { Description.count(limit, "character", "characters") }
        if let minimum = rules.minimumLength, length < minimum {
            _ = report(node, "minLength", "expected at least \(words(minimum)), found \(length): \(Description.quoted(bytes))")
            return false
        }
        if let maximum = rules.maximumLength, length > maximum {
            _ = report(node, "maxLength", "expected at most \(words(maximum)), found \(length): \(Description.quoted(bytes))")
            return false
        }
        return true
    }

    func matches(_ number: Int, _ text: UnsafeRawBufferPointer) -> Bool {
        let pattern = program.patterns[number]
        guard takeSteps(1 + text.count / 64) else { return false }
        if let simple = pattern.simple { return simple.matches(text) }
        guard hasTimeForPatterns(pattern.place) else { return false }
        do throws(RegularExpression.Failure) {
            if let known = expressions[number] { return try known.find(in: text) }
            let made = try RegularExpression(pattern.bytes, over: .characters)
            expressions[number] = made
            return try made.find(in: text)
        } catch {
            return stop(.pattern(place: pattern.place.text, reason: error.message))
        }
    }

    /// Each expression has a limit of its own, but there may be many.
    private func hasTimeForPatterns(_ place: SchemaPlace) -> Bool {
        let now = Instant.now
        let end = patternDeadline ?? now + patternPatience
        patternDeadline = end
        return now < end || stop(.pattern(place: place.text, reason: "the regular expressions take too long"))
    }
}
