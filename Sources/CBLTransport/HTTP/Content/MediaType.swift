/// What kind of bytes something consists of: `text/html; charset="utf-8"`.
package struct MediaType: Hashable, Sendable, CustomStringConvertible {
    /// Both in lower case; `*` in what somebody would accept.
    package let type: String
    package let subtype: String
    package var parameters: HeaderParameters

    package static let json = MediaType("application", "json")
    package static let bytes = MediaType("application", "octet-stream")
    package static let text = MediaType("text", "plain")

    package init(_ type: String, _ subtype: String, _ parameters: HeaderParameters = HeaderParameters()) {
        self.type = lowerCased(type)
        self.subtype = lowerCased(subtype)
        self.parameters = parameters
    }

    /// Nil if it is none, or its parameters cannot be read.
    package init?(_ text: some StringProtocol) {
        let halves = split(text, at: UInt8(ascii: ";"), most: 2)
        let names = split(trimmed(halves[0]), at: UInt8(ascii: "/"))
        guard names.count == 2, names.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy(HTTPSyntax.isToken) }),
            let parameters = HeaderParameters(halves.count > 1 ? halves[1] : "")
        else { return nil }
        self.init(String(names[0]), String(names[1]), parameters)
    }

    /// Without its parameters.
    package var essence: String { "\(type)/\(subtype)" }
    package var description: String { essence + parameters.description }

    package var isMultipart: Bool { type == "multipart" }

    /// `application/json`, and what is written in it: `application/problem+json`.
    package var isJSON: Bool { type == "application" && (subtype == "json" || subtype.hasSuffix("+json")) }

    /// How much of the other type this one names, if it names it at all: `text/*` names less of `text/html` than `text/html` does.
    func precision(for other: MediaType) -> Int? {
        if type == "*" { return subtype == "*" ? 0 : nil }
        guard type == other.type else { return nil }
        if subtype == "*" { return 1 }
        guard subtype == other.subtype else { return nil }
        let matches = parameters.items.allSatisfy { item in other.parameters[item.name].map { isSameASCII($0, item.value) } ?? false }
        return matches ? 2 + parameters.items.count : nil
    }
}
