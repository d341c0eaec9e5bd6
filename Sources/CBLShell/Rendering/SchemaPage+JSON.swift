import CBLFleece
import CBLQuery

extension SchemaPage {
    /// One object for the collection. With kinds, each has its own properties.
    func writeFacts(to session: Session) throws {
        try session.writeFacts { line in
            line.add("collection", collection.description)
            line.add("documents", found.total)
            line.add("examined", found.examined)
            line.add("sampled", found.isSample)
            line.add("damaged", found.damagedCount)
            if let discriminator = found.survey.discriminator {
                line.add("by", discriminator)
                line.add("kinds", objects: found.survey.shapes) { kind, line in
                    if case .named(let name) = kind.kind { line.add("kind", name) }
                    if kind.kind == .others { line.add("others", true) }
                    line.add("documents", kind.shape.documents)
                    add(kind.shape.document, of: kind.shape.documents, ShapePath(), to: &line)
                }
            } else if let shape = found.survey.shapes.first?.shape {
                add(shape.document, of: shape.documents, ShapePath(), to: &line)
            } else {
                line.add("properties", list: [String]())
            }
        }
    }

    /// What is inside of a value.
    private func add(_ property: Shape.Property, of whole: Int, _ path: ShapePath, to line: inout JSONObjectWriter) {
        if !property.properties.isEmpty || property.name == .document, property.members.isEmpty {
            line.add("properties", objects: property.properties) { child, line in
                line.add("name", child.name.text)
                line.add("path", (path + child.name).text)
                add(facts: child, of: whole, path + child.name, to: &line)
            }
        }
        for items in property.items {
            line.add("items", object: { add(facts: items, of: items.facts.count, path + items.name, to: &$0) })
        }
        for members in property.members {
            line.add("members", object: { add(facts: members, of: members.facts.count, path + members.name, to: &$0) })
        }
        if let names = property.names {
            line.add("differentNames", names.distinct)
            line.add("differentNamesAreCounted", names.isComplete)
        }
        if property.isCut { line.add("cut", true) }
    }

    private func add(facts property: Shape.Property, of whole: Int, _ path: ShapePath, to line: inout JSONObjectWriter) {
        let facts = property.facts
        line.add("count", facts.count)
        line.key("share")
        JSONWriter.write(double: whole == 0 ? 0 : Double(facts.count) / Double(whole), to: &line.buffer)
        line.add("types", objects: PlaceText(property: property).typeCounts) { type, line in
            line.add("type", type.name)
            line.add("count", type.count)
        }
        if facts.booleans > 0 { line.add("true", facts.trues) }
        if let numbers = facts.numbers {
            line.key("minimum")
            SampledValue(numbers.least, orExactly: facts.wholeNumbers?.least).append(to: &line.buffer)
            line.key("maximum")
            SampledValue(numbers.greatest, orExactly: facts.wholeNumbers?.greatest).append(to: &line.buffer)
        }
        if let lengths = facts.textLengths {
            line.add("minimumLength", lengths.least)
            line.add("maximumLength", lengths.greatest)
        }
        if let instants = facts.instants {
            line.add("dates", facts.dates)
            line.add("firstDate", WrittenDate.text(instants.least))
            line.add("lastDate", WrittenDate.text(instants.greatest))
        }
        if let lengths = facts.arrayLengths {
            line.add("minimumItems", lengths.least)
            line.add("maximumItems", lengths.greatest)
        }
        if let sizes = facts.sizes {
            line.add("minimumSize", sizes.least)
            line.add("maximumSize", sizes.greatest)
        }
        if !facts.values.isEmpty {
            line.add("distinct", facts.values.distinct)
            line.add("distinctIsCounted", facts.values.isComplete)
            let isEnumeration = PlaceText(property: property).isEnumeration
            let entries = isEnumeration ? facts.values.entries.sorted { $0.count > $1.count } : Array(facts.values.entries.prefix(5))
            line.key(isEnumeration ? "values" : "examples")
            line.buffer.append("[")
            for (index, entry) in entries.enumerated() {
                if index > 0 { line.buffer.append(",") }
                if isEnumeration {
                    line.buffer.append("{\"value\":")
                    entry.value.append(to: &line.buffer)
                    line.buffer.append(",\"count\":")
                    line.buffer.append(decimal: Int64(entry.count))
                    line.buffer.append("}")
                } else {
                    entry.value.append(to: &line.buffer)
                }
            }
            line.buffer.append("]")
        }
        if let target = references.found[path] { line.add("refersTo", target.description) }
        add(property, of: whole, path, to: &line)
    }
}

extension SampledValue {
    /// A number that may be known better than a floating point number can say.
    init(_ number: Double, orExactly integer: Int64?) {
        if let integer, integer.magnitude >= 1 << 53, Double(integer) == number { self = .integer(integer) } else { self = .double(number) }
    }

    /// As JSON; of a long text, what was kept.
    func append(to buffer: inout ByteBuffer) {
        switch self {
        case .integer(let integer): buffer.append(decimal: integer)
        case .unsigned(let integer): buffer.append("\(integer)")
        case .double(let double):
            // JSON has no word for what is not finite.
            if double.isFinite { JSONWriter.write(double: double, to: &buffer) } else { JSONWriter.write(string: "\(double)", to: &buffer) }
        case .text(let text, _): JSONWriter.write(string: text, to: &buffer)
        }
    }
}
