import CBLBase
import CBLFleece

/// What is wrong with a configuration, and where: `databases.travel.path`.
package struct ConfigurationError: Error, Hashable, CustomStringConvertible {
    package let place: String
    package let message: String

    init(_ place: String, _ message: String) {
        self.place = place
        self.message = message
    }

    package var description: String { place.isEmpty ? message : "\(place): \(message)" }
}

/// An object of a configuration. A member that is null counts as absent; one that nobody knows is a mistake.
///
///     let object = try ConfigurationObject(value, at: "https", knows: ["tls_cert_path", "tls_key_path"])
///     let path = try object.text("tls_cert_path")
///
/// It lies in the text that was read, and must not outlive that.
struct ConfigurationObject {
    /// Where it stands, without a point at the end.
    let place: String
    private let members: DictionaryView

    /// `knows` are the names that members may have; nil if these are up to whoever wrote it.
    init(_ value: Value, at place: String, knows names: [String]?) throws(ConfigurationError) {
        guard let members = value.dictionary else { throw ConfigurationError(place, "it has to be an object") }
        self.place = place
        self.members = members
        guard let names else { return }
        for (key, _) in members {
            let name = key.string ?? ""
            guard !names.contains(name) else { continue }
            let suggestion = Suggestion.sentence(for: name, in: names, quoted: true)
            throw ConfigurationError(path(of: name), "there is no such setting.\(suggestion)")
        }
    }

    /// A text in JSON5, for `withRoot`; a text that is none is a mistake.
    static func parse(json5 text: String) throws -> FleeceData {
        let encoder = FleeceEncoder()
        do { try JSONParser.parse(text, .json5, into: encoder) } catch { throw ConfigurationError("", "\(error)") }
        return try encoder.finish()
    }

    func path(of name: String) -> String { place.isEmpty ? name : "\(place).\(name)" }

    private func wrong(_ name: String, _ kind: String) -> ConfigurationError { ConfigurationError(path(of: name), "it has to be \(kind)") }

    /// Its members, in the order of their names.
    var all: [(name: String, value: Value)] {
        members.compactMap { key, value in key.string.map { (name: $0, value: value) } }.sorted { $0.name < $1.name }
    }

    subscript(name: String) -> Value? { members.value(forKey: name, nil).flatMap { $0.isNull ? nil : $0 } }

    func text(_ name: String) throws(ConfigurationError) -> String? {
        guard let value = self[name] else { return nil }
        guard let text = value.string, !text.isEmpty else { throw wrong(name, "a text") }
        return text
    }

    func neededText(_ name: String) throws(ConfigurationError) -> String {
        guard let text = try text(name) else { throw ConfigurationError(path(of: name), "it is missing") }
        return text
    }

    func flag(_ name: String) throws(ConfigurationError) -> Bool? {
        guard let value = self[name] else { return nil }
        guard let flag = value.boolean else { throw wrong(name, "true or false") }
        return flag
    }

    func number(_ name: String, in range: ClosedRange<Int64>) throws(ConfigurationError) -> Int64? {
        guard let value = self[name] else { return nil }
        guard let number = value.integer, range.contains(number) else {
            throw wrong(name, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func strings(_ name: String) throws(ConfigurationError) -> [String]? {
        guard let value = self[name] else { return nil }
        guard let array = value.array else { throw wrong(name, "a list of texts") }
        var strings: [String] = []
        for item in array {
            guard let text = item.string else { throw wrong(name, "a list of texts") }
            strings.append(text)
        }
        return strings
    }

    /// An object within; `knows` as above.
    func object(_ name: String, knows names: [String]?) throws(ConfigurationError) -> ConfigurationObject? {
        guard let value = self[name] else { return nil }
        return try ConfigurationObject(value, at: path(of: name), knows: names)
    }
}
