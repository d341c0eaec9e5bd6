import CBLFleece

/// The keywords that ask something of the value itself.
extension KeywordReader {
    /// False if the keyword is none of these.
    func readValidation(_ keyword: String, _ value: Value, _ members: DictionaryView) throws(JSONSchemaError) -> Bool {
        switch keyword {
        case "type": node.types = try types(value)
        case "enum":
            guard let choices = value.array else { throw unexpected(value, keyword, "a list of values") }
            values.choices = Array(choices)
        case "const" where draft >= .draft6: values.constant = value
        case "minimum": try readBound(value, "minimum", "exclusiveMinimum", members, \.minimum, \.exclusiveMinimum)
        case "maximum": try readBound(value, "maximum", "exclusiveMaximum", members, \.maximum, \.exclusiveMaximum)
        case "exclusiveMinimum": try readExclusive(value, "exclusiveMinimum", \.exclusiveMinimum)
        case "exclusiveMaximum": try readExclusive(value, "exclusiveMaximum", \.exclusiveMaximum)
        case "multipleOf":
            guard let factor = Factor(value) else { throw unexpected(value, keyword, "a number greater than 0") }
            numbers.factor = factor
        case "minLength": strings.minimumLength = try count(value, keyword)
        case "maxLength": strings.maximumLength = try count(value, keyword)
        case "pattern":
            guard let bytes = value.stringBytes else { throw unexpected(value, keyword, "a regular expression") }
            strings.pattern = try compiler.pattern(bytes, at: place.part(value, keyword))
        case "minItems": arrays.minimumCount = try count(value, keyword)
        case "maxItems": arrays.maximumCount = try count(value, keyword)
        case "uniqueItems":
            guard let areUnique = value.boolean else { throw unexpected(value, keyword, "true or false") }
            if areUnique { arrays.areUnique = true }
        case "minContains" where draft >= .draft2019: arrays.minimumContained = try count(value, keyword)
        case "maxContains" where draft >= .draft2019: arrays.maximumContained = try count(value, keyword)
        case "minProperties": objects.minimumCount = try count(value, keyword)
        case "maxProperties": objects.maximumCount = try count(value, keyword)
        case "required":
            objects.others += try nameList(value, keyword).map { .init(name: $0, node: nil, isRequired: true) }
        case "dependentRequired" where draft >= .draft2019: try readDependentNames(value)
        default: return false
        }
        return true
    }

    private func types(_ value: Value) throws(JSONSchemaError) -> TypeSet {
        let expected = "a type: " + TypeSet.named.map(\.0).joined(separator: ", ")
        func type(_ value: Value) throws(JSONSchemaError) -> TypeSet {
            guard let name = value.string, let known = TypeSet.named.first(where: { $0.0 == name }) else {
                throw unexpected(value, "type", expected)
            }
            return known.1
        }
        guard let list = value.array else { return try type(value) }
        var types: TypeSet = []
        for item in list { types.formUnion(try type(item)) }
        return types
    }

    private func bound(_ value: Value, _ keyword: StaticString) throws(JSONSchemaError) -> NumberRules.Bound {
        guard value.isNumber else {
            let hint = value.boolean != nil && draft > .draft4 ? " (so it was in draft 4, which $schema would have to name)" : ""
            throw .invalid(
                place: place.inside("\(keyword)"), reason: "expected a number, found \(Description.of(value))\(hint)")
        }
        return NumberRules.Bound(value: value, keyword: keyword)
    }

    private typealias BoundPath = ReferenceWritableKeyPath<NumberRules, NumberRules.Bound?>

    private func readBound(
        _ value: Value, _ keyword: StaticString, _ exclusive: String, _ members: DictionaryView, _ path: BoundPath,
        _ exclusivePath: BoundPath
    ) throws(JSONSchemaError) {
        let isExclusive = draft == .draft4 && members.value(forKey: exclusive, nil)?.boolean == true
        numbers[keyPath: isExclusive ? exclusivePath : path] = try bound(value, keyword)
    }

    private func readExclusive(_ value: Value, _ keyword: StaticString, _ path: BoundPath) throws(JSONSchemaError) {
        guard draft == .draft4 else { return numbers[keyPath: path] = try bound(value, keyword) }
        // In draft 4 it says how the bound beside it is meant.
        guard value.boolean != nil else { throw unexpected(value, "\(keyword)", "true or false") }
    }

    func count(_ value: Value, _ keyword: String) throws(JSONSchemaError) -> Int {
        if let whole = value.integer, whole >= 0 { return Int(whole) }
        if value.integerBits == nil, let double = value.double, double >= 0, double.rounded() == double {
            return double < 0x1p62 ? Int(double) : .max
        }
        if let unsigned = value.unsigned { return unsigned > UInt64(Int.max) ? .max : Int(unsigned) }
        throw unexpected(value, keyword, "a whole number from 0")
    }

    func nameList(_ value: Value, _ keyword: String) throws(JSONSchemaError) -> [PropertyName] {
        guard let list = value.array else { throw unexpected(value, keyword, "a list of names") }
        var names: [PropertyName] = []
        for item in list {
            guard let bytes = item.stringBytes else {
                throw .invalid(place: place.inside(keyword), reason: "expected names, found \(Description.of(item))")
            }
            names.append(compiler.name(bytes))
        }
        return names
    }

    private func readDependentNames(_ value: Value) throws(JSONSchemaError) {
        guard let map = value.dictionary else { throw unexpected(value, "dependentRequired", "an object with lists of names") }
        for (key, list) in map {
            guard let bytes = key.stringBytes else { continue }
            let required = try nameList(list, "dependentRequired")
            objects.dependentNames.append((compiler.name(bytes), required))
        }
    }
}
