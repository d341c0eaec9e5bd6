import CBLBase
import CBLFleece
import CBLLanguage
import CBLQuery
import CBLStore

/// What `stats` prints.
struct StatsPage {
    let title: String
    /// What values are of: a document, or an item.
    let counted: String
    let collection: CollectionName
    let statistics: ValueStatistics
    let top: Int
    let bins: Int

    static let percentiles = [5, 25, 50, 75, 95, 99]

    func write(to session: Session) throws {
        try session.write(title, .strong)
        try session.writeTextLine(
            " in \(collection): \(ProgressLine.grouped(statistics.count)) \(counted)\(statistics.count == 1 ? "" : "s")")
        guard statistics.count > 0 else { return }
        try writeTypes(to: session)
        if statistics.numbers.count > 0 { try writeNumbers(to: session) }
        if statistics.areDates { try writeDates(to: session) }
        if statistics.textCount > 0, !statistics.areDates { try writeTexts(to: session) }
        if statistics.booleans > 0 { try writeBooleans(to: session) }
        if statistics.arrays > 0 { try writeArrays(to: session) }
        if statistics.objects == statistics.count - statistics.missing - statistics.nulls, statistics.objects > 0 {
            session.notice("(\"schema\" shows what is in objects.)")
        }
    }

    /// What there is of each type, the most frequent first.
    private var types: [(name: String, count: Int)] {
        [
            ("missing", statistics.missing), ("null", statistics.nulls), ("boolean", statistics.booleans),
            ("number", statistics.numbers.count + statistics.notFinite), ("string", statistics.textCount), ("data", statistics.datas),
            ("array", statistics.arrays), ("object", statistics.objects), ("undefined", statistics.unreadable),
        ].filter { $0.1 > 0 }.sorted { $0.1 != $1.1 ? $0.1 > $1.1 : $0.0 < $1.0 }
    }

    private func writeTypes(to session: Session) throws {
        let words = types.map { "\($0.name) \(ProgressLine.grouped($0.count)) (\(PlaceText.share($0.count, statistics.count)))" }
        try session.writeFact("Types", list: words)
    }

    // Parts of the page

    private func writeNumbers(to session: Session) throws {
        let sorted = statistics.numbers.sorted
        try writeFacts(of: statistics.numbers, sorted, to: session)
        if statistics.notFinite > 0 { try session.writeTextLine("not finite: \(ProgressLine.grouped(statistics.notFinite))") }
        try write(Histogram(sorted, most: bins), of: statistics.numbers, to: session)
    }

    private func write(_ histogram: Histogram, of numbers: NumberStatistics, to session: Session) throws {
        let rows = histogram.bins.map { bin in
            let (from, to) = (NumberText.short(bin.from, from: numbers.origin), NumberText.short(bin.to, from: numbers.origin))
            return (bin.from == bin.to ? from : "\(from) to \(to)", bin.count)
        }
        try writeBars(rows, of: numbers.count, weight: numbers.weight, alignment: .right, heading: "Value", to: session)
    }

    private func writeFacts(of numbers: NumberStatistics, _ sorted: [Double], to session: Session) throws {
        let about = numbers.isComplete ? "" : "about "
        func text(_ percentile: Int) -> String {
            about + NumberText.short(NumberStatistics.percentile(Double(percentile) / 100, of: sorted), from: numbers.origin)
        }
        try session.output.write("\n")
        func end(_ number: Double, _ whole: Int64?) -> String {
            if let whole, numbers.distance(to: whole) == number { "\(whole)" } else { NumberText.short(number, from: numbers.origin) }
        }
        let least = end(numbers.least, statistics.wholeNumbers?.least)
        let greatest = end(numbers.greatest, statistics.wholeNumbers?.greatest)
        try session.writeFact("Range", "\(least) to \(greatest)")
        try session.writeFact(
            "Mean", "\(NumberText.short(numbers.mean, from: numbers.origin)), deviation \(NumberText.short(numbers.deviation))")
        try session.writeFact("Median", text(50))
        try session.writeFact(
            "Percentiles", list: Self.percentiles.filter { $0 != 50 }.map { "\($0)%: \(text($0))" })
    }

    private func writeDates(to session: Session) throws {
        let instants = statistics.instants
        try session.output.write("\n")
        try session.writeFact("Dates", "\(WrittenDate.text(Int64(instants.least))) to \(WrittenDate.text(Int64(instants.greatest)))")
        if instants.count < statistics.textCount { try session.writeFact("Other texts", "\(statistics.textCount - instants.count)") }
        let histogram = DateHistogram(instants.sorted, most: bins)
        try writeBars(histogram.bins, of: instants.count, weight: instants.weight, alignment: .left, heading: "Date", to: session)
    }

    private func writeTexts(to session: Session) throws {
        let lengths = statistics.textLengths
        try session.output.write("\n")
        try session.writeFact("Length", "\(Int(lengths.least)) to \(Int(lengths.greatest)), mean \(NumberText.short(lengths.mean))")
        try session.writeFact("Different", (statistics.texts.isComplete ? "" : "about ") + ProgressLine.grouped(statistics.texts.distinct))
        try writeTop(statistics.texts, heading: "Value", to: session)
    }

    private func writeBooleans(to session: Session) throws {
        let rows = [("true", statistics.trues), ("false", statistics.falses)].filter { $0.1 > 0 }.sorted { $0.1 > $1.1 }
        try writeBars(rows, of: statistics.booleans, alignment: .left, heading: "Value", to: session)
    }

    private func writeArrays(to session: Session) throws {
        let lengths = statistics.arrayLengths
        let sorted = lengths.sorted
        try session.output.write("\n")
        try session.writeFact(
            "Items",
            "\(Int(lengths.least)) to \(Int(lengths.greatest)), mean \(NumberText.short(lengths.mean)), "
                + "median \(NumberText.short(NumberStatistics.percentile(0.5, of: sorted)))")
        if lengths.least < lengths.greatest {
            let rows = Histogram(sorted, most: bins).bins.map {
                ($0.from == $0.to ? NumberText.short($0.from) : "\(NumberText.short($0.from)) to \(NumberText.short($0.to))", $0.count)
            }
            try writeBars(rows, of: lengths.count, weight: lengths.weight, alignment: .right, heading: "Items", to: session)
        }
        guard statistics.items.total > 0 else { return }
        try session.output.write("\n")
        try session.writeFact(
            "Different",
            (statistics.items.isComplete ? "" : "about ") + ProgressLine.grouped(statistics.items.distinct) + " items"
                + (statistics.otherItems > 0 ? ", besides \(ProgressLine.grouped(statistics.otherItems)) that are no texts or numbers" : "")
        )
        try writeTop(statistics.items, heading: "Item", counted: "Times", to: session)
    }

    private func writeTop(_ counts: ValueCounts, heading: String, counted title: String? = nil, to session: Session) throws {
        let rows = counts.top(top)
        let longest = session.terminal.outputIsTerminal ? max(12, session.terminal.width / 2) : 60
        try writeBars(
            rows.map { ($0.value.text(longest), $0.count) }, of: counts.total, isLowerBound: !counts.isComplete, alignment: .left,
            heading: heading, counted: title, to: session)
        let shown = rows.reduce(0) { $0 + $1.count }
        if shown < counts.total, counts.isComplete {
            try session.writeTextLine("\(ProgressLine.grouped(counts.total - shown)) others")
        }
    }

    /// A table of counts with bars, as wide as the screen allows. The longest bar is the largest count.
    private func writeBars(
        _ rows: [(name: String, count: Int)], of total: Int, weight: Int = 1, isLowerBound: Bool = false, alignment: Table.Alignment,
        heading: String, counted title: String? = nil, to session: Session
    ) throws {
        let counts = rows.map { $0.count * weight }
        let mark = isLowerBound || weight > 1 ? "~" : ""
        let cells = zip(rows, counts).map { row, count in
            [row.name, mark + ProgressLine.grouped(count), PlaceText.share(count, total)]
        }
        let used = (0..<3).reduce(0) { sum, column in sum + 2 + cells.reduce(column == 2 ? 5 : 9) { max($0, DisplayWidth.of($1[column])) } }
        let bar = Bar(width: session.terminal.outputIsTerminal ? min(60, max(4, session.terminal.width - used)) : 40)
        let largest = Double(counts.max() ?? 0)
        var table = Table([
            alignment == .left ? .left(heading) : .right(heading), .right(title ?? (counted == "item" ? "Items" : "Documents")),
            .right("Share"), .left(""),
        ])
        for (row, count) in zip(cells, counts) { table.add(row + [bar.text(Double(count), of: largest)]) }
        try session.output.write("\n")
        try table.write(to: session)
    }
}

extension StatsPage {
    /// One object.
    func writeFacts(to session: Session) throws {
        try session.writeFacts { line in
            line.add("collection", collection.description)
            line.add("expression", title)
            line.add("count", statistics.count)
            line.add(
                "types",
                object: { line in
                    line.add("missing", statistics.missing)
                    line.add("null", statistics.nulls)
                    line.add("boolean", statistics.booleans)
                    line.add("number", statistics.numbers.count + statistics.notFinite)
                    line.add("string", statistics.textCount)
                    line.add("data", statistics.datas)
                    line.add("array", statistics.arrays)
                    line.add("object", statistics.objects)
                    line.add("undefined", statistics.unreadable)
                })
            if statistics.numbers.count > 0 {
                line.add("numbers", object: { add(statistics.numbers, whole: statistics.wholeNumbers, to: &$0) })
            }
            if statistics.booleans > 0 { line.add("true", statistics.trues) }
            if statistics.textCount > 0 {
                line.add(
                    "strings",
                    object: { line in
                        line.add("minimumLength", Int(statistics.textLengths.least))
                        line.add("maximumLength", Int(statistics.textLengths.greatest))
                        add(statistics.texts, to: &line)
                    })
            }
            if statistics.areDates {
                line.add(
                    "dates",
                    object: { line in
                        line.add("count", statistics.instants.count)
                        line.add("first", WrittenDate.text(Int64(statistics.instants.least)))
                        line.add("last", WrittenDate.text(Int64(statistics.instants.greatest)))
                        line.add("bins", objects: DateHistogram(statistics.instants.sorted, most: bins).bins) { bin, line in
                            line.add("date", bin.name)
                            line.add("count", bin.count * statistics.instants.weight)
                        }
                    })
            }
            guard statistics.arrays > 0 else { return }
            line.add(
                "arrays",
                object: { line in
                    line.add("lengths", object: { add(statistics.arrayLengths, to: &$0) })
                    line.add("items", object: { add(statistics.items, to: &$0) })
                })
        }
    }

    private func add(_ numbers: NumberStatistics, whole: Extent<Int64>? = nil, to line: inout JSONObjectWriter) {
        let sorted = numbers.sorted
        func add(
            _ name: StaticString, _ number: Double, orExactly whole: Int64? = nil, from origin: Int64 = numbers.origin,
            _ line: inout JSONObjectWriter
        ) {
            line.key(name)
            if let whole, origin != 0, numbers.distance(to: whole) == number {
                line.buffer.append(decimal: whole)
            } else if origin == 0 {
                SampledValue(number, orExactly: whole).append(to: &line.buffer)
            } else {
                line.buffer.append(NumberText.short(number, from: origin))
            }
        }
        line.add("count", numbers.count)
        add("minimum", numbers.least, orExactly: whole?.least, &line)
        add("maximum", numbers.greatest, orExactly: whole?.greatest, &line)
        add("mean", numbers.mean, &line)
        add("deviation", numbers.deviation, from: 0, &line)
        line.add("exact", numbers.isComplete)
        line.add("percentiles", objects: Self.percentiles) { percentile, line in
            line.add("percent", percentile)
            add("value", NumberStatistics.percentile(Double(percentile) / 100, of: sorted), &line)
        }
        line.add("bins", objects: Histogram(sorted, most: bins).bins) { bin, line in
            add("from", bin.from, &line)
            add("to", bin.to, &line)
            line.add("count", bin.count * numbers.weight)
        }
    }

    private func add(_ counts: ValueCounts, to line: inout JSONObjectWriter) {
        line.add("count", counts.total)
        line.add("distinct", counts.distinct)
        line.add("exact", counts.isComplete)
        line.add("top", objects: counts.top(top)) { entry, line in
            line.key("value")
            entry.value.append(to: &line.buffer)
            line.add("count", entry.count)
        }
    }
}
