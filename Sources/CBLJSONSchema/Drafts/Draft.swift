/// The editions of JSON Schema that are understood, oldest first.
package enum Draft: Int, Comparable, CaseIterable, Sendable {
    case draft4, draft6, draft7, draft2019, draft2020

    package static func < (first: Draft, second: Draft) -> Bool { first.rawValue < second.rawValue }

    /// The URI of the schema of its schemas, as `$schema` has it.
    package var uri: String {
        switch self {
        case .draft4: "http://json-schema.org/draft-04/schema"
        case .draft6: "http://json-schema.org/draft-06/schema"
        case .draft7: "http://json-schema.org/draft-07/schema"
        case .draft2019: "https://json-schema.org/draft/2019-09/schema"
        case .draft2020: "https://json-schema.org/draft/2020-12/schema"
        }
    }

    package var name: String {
        switch self {
        case .draft4: "draft 4"
        case .draft6: "draft 6"
        case .draft7: "draft 7"
        case .draft2019: "draft 2019-09"
        case .draft2020: "draft 2020-12"
        }
    }

    /// The draft that `$schema` names; an empty fragment at its end means nothing.
    init?(uri: String) {
        let plain = uri.hasSuffix("#") ? String(uri.dropLast()) : uri
        guard let draft = Draft.allCases.first(where: { $0.uri == plain }) else { return nil }
        self = draft
    }

    var idKeyword: String { self == .draft4 ? "id" : "$id" }
    /// Until 2019 a reference hid all that stands beside it.
    var referencesHideSiblings: Bool { self < .draft2019 }
}

/// Groups of keywords, which dialects of 2019-09 and later choose from.
struct Vocabularies: OptionSet {
    let rawValue: UInt8

    static let applicator = Vocabularies(rawValue: 1)
    static let unevaluated = Vocabularies(rawValue: 2)
    static let validation = Vocabularies(rawValue: 4)
    static let formatAssertion = Vocabularies(rawValue: 8)

    static let standard: Vocabularies = [.applicator, .unevaluated, .validation]

    /// Nil for one that is not known. `isRequired` is what the dialect says of it.
    static func named(_ uri: String, isRequired: Bool) -> Vocabularies? {
        for draft in ["https://json-schema.org/draft/2019-09/vocab/", "https://json-schema.org/draft/2020-12/vocab/"]
        where uri.hasPrefix(draft) {
            switch uri.dropFirst(draft.count) {
            // The applicators of 2019-09 have the unevaluated members among them.
            case "applicator": return draft.contains("2019") ? [.applicator, .unevaluated] : .applicator
            case "unevaluated": return .unevaluated
            case "validation": return .validation
            case "format-assertion": return .formatAssertion
            case "format": return isRequired ? .formatAssertion : []
            case "core", "meta-data", "format-annotation", "content": return []
            default: return nil
            }
        }
        return nil
    }
}

/// How schemas of a resource are to be read.
struct Dialect {
    var draft: Draft
    var vocabularies: Vocabularies

    init(_ draft: Draft, _ vocabularies: Vocabularies = .standard) {
        self.draft = draft
        self.vocabularies = vocabularies
    }
}
