import CBLFleece
import CBLReplication
import CBLTransport

/// The parameters of a request by their names, from the URL or from a body in JSON. Of those with one name the last counts.
struct RESTParameters {
    private var values: [String: String] = [:]

    init(_ query: HTTPQuery) {
        for item in query.items { values[item.name] = item.value }
    }

    /// What is JSON in a URL, strings too.
    private static let jsonNames: Set = ["key", "keys", "startkey", "start_key", "endkey", "end_key"]

    /// Puts the members of an object over those that are there. What is no string counts as its JSON text.
    mutating func merge(_ object: DictionaryView) {
        for (key, value) in object {
            guard let name = key.string else { continue }
            let text = RESTParameters.jsonNames.contains(name) ? nil : value.string
            values[name] = text ?? value.json()
        }
    }

    var all: [(name: String, value: String)] { values.sorted { $0.key < $1.key }.map { (name: $0.key, value: $0.value) } }

    subscript(name: String) -> String? { values[name] }

    /// The first of several names that is there: CouchDB has two for some parameters.
    subscript(names: [String]) -> String? { names.lazy.compactMap { values[$0] }.first }

    /// Whether it is there and neither `false` nor `0`.
    func flag(_ name: String, default missing: Bool = false) -> Bool { values[name].map { $0 != "false" && $0 != "0" } ?? missing }

    /// The digits at the start; what has none is 0, as 1.x reads it.
    func integer(_ name: String) -> Int? {
        guard let text = values[name] else { return nil }
        var number = 0
        for byte in text.utf8 {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { break }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, overflows) = tens.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            guard !isTooLarge, !overflows else { return Int.max }
            number = sum
        }
        return number
    }

    /// A time in milliseconds, which has to be one if it is there.
    func milliseconds(_ name: String) throws(RESTError) -> Duration? {
        guard let text = values[name] else { return nil }
        guard let number = Int64(text), number >= 0, !text.hasPrefix("-"), !text.hasPrefix("+") else {
            throw .badParameter("\(name) is a number of milliseconds")
        }
        return .milliseconds(min(number, 1 << 40))
    }

    /// A value in JSON.
    func json(_ names: String...) throws(RESTError) -> FleeceData? {
        guard let text = self[names] else { return nil }
        let encoder = FleeceEncoder()
        do {
            try JSONParser.parse(text, into: encoder)
            return try encoder.finish()
        } catch {
            throw .badParameter("\(names[0]) is not JSON: \(error)")
        }
    }

    /// A string in JSON; what is no JSON counts as it is, as CouchDB takes it.
    func text(_ names: String...) -> String? {
        guard let text = self[names] else { return nil }
        let encoder = FleeceEncoder()
        guard (try? JSONParser.parse(text, into: encoder)) != nil, let value = try? encoder.finish() else { return text }
        return value.withRoot { $0.string } ?? text
    }

    /// An array of strings in JSON.
    func strings(_ name: String) throws(RESTError) -> [String]? {
        guard let data = try json(name) else { return nil }
        return try data.withRoot { (root) throws(RESTError) in
            guard let array = root.array else { throw .badParameter("\(name) is an array") }
            return try array.strings(name)
        }
    }
}
