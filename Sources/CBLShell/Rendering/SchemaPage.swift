import CBLBase
import CBLFleece
import CBLLanguage
import CBLQuery
import CBLStore

/// What `schema` prints of a collection.
struct SchemaPage {
    let collection: CollectionName
    let found: ShapeScan.Result
    let references: ReferenceFinder

    private static let indent = "  "

    /// Sections, one for each kind.
    func write(to session: Session) throws {
        try writeTitle(to: session)
        let shapes = found.survey.shapes
        for (kind, shape) in shapes {
            if let discriminator = found.survey.discriminator {
                try session.output.write("\n")
                try session.write(title(of: kind, discriminator), .strong)
                try session.writeTextLine(": \(documents(shape.documents))")
            }
            try write(shape, to: session)
        }
    }

    private func writeTitle(to session: Session) throws {
        try session.write("\(collection)", .strong)
        let kinds = found.survey.discriminator.map { ", by \"\($0)\"" } ?? ""
        let all = found.isTotalEstimated ? "about \(ProgressLine.groupedEstimate(found.total)) documents" : documents(found.total)
        let part = found.isSample ? ", of which \(ProgressLine.grouped(found.examined)) were looked at (--all looks at all)" : ""
        try session.writeTextLine(": \(all)\(part)\(kinds)")
    }

    private func title(of kind: ShapeSurvey.Kind, _ discriminator: String) -> String {
        switch kind {
        case .named(let name): "\(discriminator) = \(JSONWriter.quoted(name))"
        case .none: "without a text \"\(discriminator)\""
        case .others: "other kinds"
        }
    }

    private func documents(_ count: Int) -> String { "\(ProgressLine.grouped(count)) document\(count == 1 ? "" : "s")" }

    private func write(_ shape: Shape, to session: Session) throws {
        var rows: [[String]] = []
        addRows(inside: shape.document, of: shape.documents, depth: 0, path: ShapePath(), to: &rows)
        guard !rows.isEmpty else {
            if shape.documents > 0 { try session.writeTextLine("(No properties)") }
            return
        }
        var table = Table([.left("Property"), .right("In"), .left("Type"), .left("Values")])
        let room = SchemaPage.room(for: rows, session)
        for row in rows { table.add(zip(row, room).map { DisplayWidth.cut(TerminalText.escaped($0), to: $1) }) }
        try table.write(to: session)
        if let names = shape.document.names {
            let count = "\(names.isComplete ? "" : "about ")\(ProgressLine.grouped(names.distinct))"
            try session.writeTextLine("(The documents have \(count) different names of properties: * stands for all of them.)")
        } else if shape.document.isCut {
            try session.writeTextLine("(There are more properties than can be shown.)")
        }
    }

    /// How wide columns may be so that lines fit on the screen: the last gives way first, then the others if they are very wide.
    private static func room(for rows: [[String]], _ session: Session) -> [Int] {
        guard session.terminal.outputIsTerminal else { return [Int.max, Int.max, Int.max, Int.max] }
        func width(_ column: Int) -> Int { rows.reduce(0) { max($0, DisplayWidth.of($1[column])) } }
        let total = max(40, session.terminal.width)
        let names = max(8, min(width(0), total * 2 / 5))
        let types = max(4, min(width(2), total / 4))
        return [names, 4, types, max(6, total - names - types - 4 - 3 * Table.gap)]
    }

    /// `whole` is what shares are of: the documents, or the items or members that the properties are in.
    private func addRows(inside property: Shape.Property, of whole: Int, depth: Int, path: ShapePath, to rows: inout [[String]]) {
        for child in property.items + property.members {
            addRow(child, share: "", of: child.facts.count, depth: depth, path + child.name, to: &rows)
        }
        for child in property.properties {
            addRow(child, share: PlaceText.share(child.facts.count, whole), of: whole, depth: depth, path + child.name, to: &rows)
        }
    }

    private func addRow(_ property: Shape.Property, share: String, of whole: Int, depth: Int, _ path: ShapePath, to rows: inout [[String]])
    {
        let text = PlaceText(property: property)
        let reference = references.found[path].map { (text.values.isEmpty ? "" : "; ") + "IDs of documents in \($0)" } ?? ""
        rows.append([String(repeating: SchemaPage.indent, count: depth) + property.name.text, share, text.types, text.values + reference])
        addRows(inside: property, of: whole, depth: depth + 1, path: path, to: &rows)
    }
}
