import CBLFleece

/// A step from a value into what is in it.
enum PathStep {
    case key(UnsafeRawBufferPointer)
    case index(Int)
    /// Not into the member, but to its name.
    case name(UnsafeRawBufferPointer)
}

/// What is said to people. Nothing of it is made when only the answer counts.
extension Evaluator {
    /// Takes down that a keyword is not satisfied. False if there is nothing more to find out.
    @inline(__always)
    func report(_ node: SchemaNode, _ keyword: StaticString, _ message: @autoclosure () -> String) -> Bool {
        guard isCollecting else { return false }
        return add(node, "\(keyword)", message())
    }

    @inline(never)
    private func add(_ node: SchemaNode, _ keyword: String, _ message: String) -> Bool {
        guard failures.count < failureLimit else { return false }
        let (pointer, readable, isName) = places()
        let schemaPath = node.refusesAll && keyword == "false" ? node.place.text : node.place.inside(keyword)
        failures.append(
            JSONSchema.Failure(
                pointer: pointer, path: readable, schemaPath: schemaPath, keyword: keyword,
                message: isName ? "the name of a property: " + message : message))
        return failures.count < failureLimit
    }

    func reportType(_ node: SchemaNode, _ value: Value) -> Bool {
        report(node, "type", "expected \(Description.of(node.types)), found \(Description.of(value, keys))")
    }

    func reportMissing(_ node: SchemaNode, _ name: PropertyName) -> Bool {
        report(node, "required", "the property \(Description.quoted(name.bytes)) is missing")
    }

    func reportBound(_ node: SchemaNode, _ bound: NumberRules.Bound, _ relation: StaticString, _ value: Value) -> Bool {
        report(node, bound.keyword, "expected \(relation) \(Description.json(bound.value)), found \(Description.of(value, keys))")
    }

    private func places() -> (pointer: String, readable: String, isName: Bool) {
        var pointer = ""
        var readable = ""
        for step in path {
            switch step {
            case .key(let bytes):
                let name = String(decoding: bytes, as: UTF8.self)
                pointer += "/" + SchemaPointer.escaped(name)
                readable += isPlain(name) ? (readable.isEmpty ? "" : ".") + name : "[\(Description.quoted(bytes))]"
            case .index(let index):
                pointer += "/\(index)"
                readable += "[\(index)]"
            case .name: break
            }
        }
        if case .name? = path.last { return (pointer, readable, true) }
        return (pointer, readable, false)
    }

    private func isPlain(_ name: String) -> Bool {
        guard let first = name.utf8.first, !first.isDigit else { return false }
        return name.utf8.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: "$") || $0 >= 0x80 }
    }
}
