import CBLFleece
import CBLLanguage
import CBLQuery

/// What is known of the values at a place, in words for a line of a table.
struct PlaceText {
    let property: Shape.Property
    private var facts: PlaceFacts { property.facts }

    // As many values as are listed one by one, and as many examples of more.
    static let fewValues = 10
    private static let examples = 3
    private static let longestExample = 24
    private static let longestList = 120

    /// `string`, or `integer 90%, string 10%` for mixtures. What is null is said behind the rest.
    var types: String {
        let types = typeCounts.filter { $0.name != "null" }
        let isMixed = typeCounts.count > 1
        let words = types.map { isMixed && types.count > 1 ? "\($0.name) \(PlaceText.share($0.count, facts.count))" : $0.name }
        let null = facts.nulls == 0 ? [] : [isMixed ? "null \(PlaceText.share(facts.nulls, facts.count))" : "null"]
        return (words + null).joined(separator: ", ")
    }

    /// The types, the most frequent first.
    var typeCounts: [(name: String, count: Int)] {
        let isDate = facts.dates > 0 && facts.dates == facts.strings
        let numbers =
            facts.integers > 0 && facts.doubles > 0
            ? [("number", facts.integers + facts.doubles)] : [("integer", facts.integers), ("double", facts.doubles)]
        let all: [(name: String, count: Int)] =
            numbers + [
                (isDate ? "date" : "string", facts.strings), ("boolean", facts.booleans), ("array", facts.arrays),
                (property.members.isEmpty ? "object" : "map", facts.objects), ("blob", facts.blobs), ("data", facts.datas),
                ("null", facts.nulls), ("undefined", facts.unreadable),
            ]
        return all.filter { $0.count > 0 }.sorted { $0.count != $1.count ? $0.count > $1.count : $0.name < $1.name }
    }

    /// Ranges, lengths, values.
    var values: String {
        var parts: [String] = []
        if facts.booleans > 0 { parts.append(booleans) }
        if let listed { parts.append(listed) } else { parts += scalars }
        if let lengths = facts.arrayLengths { parts.append(PlaceText.counted(lengths, "item", "items")) }
        if facts.blobs + facts.datas > 0 {
            if let sizes = facts.sizes {
                let isOne = sizes.least == sizes.greatest
                parts.append(SizeText.text(sizes.least) + (isOne ? "" : " to \(SizeText.text(sizes.greatest))"))
            }
            if facts.strings == 0, facts.numbers == nil, facts.blobs > 0 { parts += examples.isEmpty ? [] : [examples] }
        }
        if let names = property.names {
            parts.append("\(names.isComplete ? "" : "about ")\(ProgressLine.grouped(names.distinct)) different names")
        }
        if property.isCut { parts.append("more inside") }
        return parts.joined(separator: "; ")
    }

    private var booleans: String {
        if facts.falses == 0 { return "always true" }
        if facts.trues == 0 { return "always false" }
        return "true \(PlaceText.share(facts.trues, facts.booleans)), false \(PlaceText.share(facts.falses, facts.booleans))"
    }

    private var scalarCount: Int { facts.strings + facts.integers + facts.doubles }

    /// Whether the values are so few that they are a choice rather than content.
    var isEnumeration: Bool {
        let isOnlyDates = facts.dates > 0 && facts.dates == facts.strings
        return facts.blobs == 0 && facts.values.isComplete && !isOnlyDates && (1...PlaceText.fewValues).contains(facts.values.distinct)
            && scalarCount >= 2 * facts.values.distinct
    }

    /// All values, if they are few.
    private var listed: String? {
        guard isEnumeration else { return nil }
        let entries = facts.values.entries.sorted { one, other in
            if let first = one.value.number, let second = other.value.number { return first < second }
            return one.count != other.count ? one.count > other.count : one.value.text() < other.value.text()
        }
        if entries.count == 1, let only = entries.first { return "always \(only.value.text())" }
        let list = entries.map { $0.value.text() }.joined(separator: ", ")
        return list.utf8.count <= PlaceText.longestList ? list : nil
    }

    private var scalars: [String] {
        var parts: [String] = []
        if let numbers = facts.numbers {
            // What is too large for a signed number is told as it was met.
            let large = facts.values.entries.compactMap { if case .unsigned(let number) = $0.value { number } else { nil } }
            if numbers.least >= 0x1p63, facts.values.isComplete, let least = large.min(), let greatest = large.max() {
                parts.append(least == greatest ? "\(least)" : "\(least) to \(greatest)")
            } else {
                parts.append(PlaceText.range(numbers, facts.wholeNumbers))
            }
        }
        guard facts.strings > 0 else { return parts }
        if facts.dates == facts.strings, let instants = facts.instants {
            let (first, last) = (WrittenDate.text(instants.least), WrittenDate.text(instants.greatest))
            parts.append(first == last ? first : "\(first) to \(last)")
            return parts
        }
        if let lengths = facts.textLengths { parts.append(PlaceText.counted(lengths, "character", "characters")) }
        let texts = examples
        if !texts.isEmpty { parts.append(texts) }
        return parts
    }

    /// Some texts, rather short ones.
    private var examples: String {
        let texts = facts.values.entries.compactMap { entry -> (text: String, isWhole: Bool)? in
            if case .text(let text, let isWhole) = entry.value, !text.isEmpty { (text, isWhole) } else { nil }
        }
        let short = texts.filter { $0.isWhole && $0.text.utf8.count <= PlaceText.longestExample }
        let chosen = (short.count >= PlaceText.examples ? short : texts).prefix(PlaceText.examples)
        let more = !facts.values.isComplete || texts.count > chosen.count ? ", …" : ""
        return chosen.map { SampledValue.text($0.text, isWhole: $0.isWhole).text(PlaceText.longestExample) }.joined(separator: ", ")
            + (chosen.isEmpty ? "" : more)
    }

    static func range(_ numbers: Extent<Double>, _ whole: Extent<Int64>?) -> String {
        let least = NumberText.short(numbers.least, orExactly: whole?.least)
        let greatest = NumberText.short(numbers.greatest, orExactly: whole?.greatest)
        return least == greatest ? least : "\(least) to \(greatest)"
    }

    private static func counted(_ lengths: Extent<Int>, _ one: String, _ many: String) -> String {
        if lengths.least == lengths.greatest { return "\(lengths.least) \(lengths.least == 1 ? one : many)" }
        return "\(lengths.least) to \(lengths.greatest) \(many)"
    }

    /// `100%`, `50%`, `0.2%`; never 100% if something is missing, nor 0% if something is there.
    static func share(_ part: Int, _ whole: Int) -> String {
        guard whole > 0, part > 0 else { return "0%" }
        if part >= whole { return "100%" }
        let percent = Double(part) / Double(whole) * 100
        if percent > 99 { return "99%" }
        if percent >= 1 { return "\(Int(percent.rounded()))%" }
        return percent < 0.1 ? "<0.1%" : "0.\(Int(percent * 10))%"
    }
}

extension SampledValue {
    /// As JSON; a long text is cut to so many characters.
    func text(_ longest: Int = 40) -> String {
        switch self {
        case .integer(let integer): "\(integer)"
        case .unsigned(let integer): "\(integer)"
        case .double(let double): NumberText.short(double)
        case .text(let text, let isWhole):
            isWhole && text.count <= longest ? JSONWriter.quoted(text) : JSONWriter.quoted(String(text.prefix(longest - 1)) + "…")
        }
    }
}

/// Numbers for people.
enum NumberText {
    /// As JSON writes it, but whole numbers without a fraction, and others with at most six digits that say something.
    static func short(_ number: Double) -> String {
        if let integer = Int64(exactly: number) { return "\(integer)" }
        guard number.isFinite else { return "\(number)" }
        return exact(number.magnitude < 1e15 && number.magnitude >= 1e-4 ? rounded(number) : number)
    }

    /// The same of a number that is told from a whole one. What is between two whole numbers has two digits.
    static func short(_ number: Double, from origin: Int64) -> String {
        guard origin != 0, let whole = Int64(exactly: number.rounded(.down)) else { return short(number + Double(origin)) }
        let (sum, isFar) = origin.addingReportingOverflow(whole)
        guard !isFar else { return short(number + Double(origin)) }
        let hundredths = Int64(((number - number.rounded(.down)) * 100).rounded())
        // Below zero the digits count the other way.
        let (units, digits) = sum < 0 && hundredths > 0 ? (sum + 1, 100 - hundredths) : (sum, hundredths)
        guard digits > 0, digits < 100 else { return "\(hundredths == 100 ? sum + 1 : sum)" }
        return "\(units)." + (digits.isMultiple(of: 10) ? "\(digits / 10)" : digits < 10 ? "0\(digits)" : "\(digits)")
    }

    /// The same for a number that may be known better than a floating point number can say.
    static func short(_ number: Double, orExactly integer: Int64?) -> String {
        if let integer, Double(integer) == number { "\(integer)" } else { short(number) }
    }

    static func exact(_ number: Double) -> String {
        if let integer = Int64(exactly: number) { return "\(integer)" }
        var buffer = ByteBuffer()
        JSONWriter.write(double: number, to: &buffer)
        return buffer.string
    }

    private static func rounded(_ number: Double) -> Double {
        var scale = 1.0
        while number.magnitude * scale < 100_000 { scale *= 10 }
        return (number * scale).rounded() / scale
    }
}
