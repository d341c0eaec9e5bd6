/// The schemas of schemas, which other schemas refer to. They say what the drafts define, and nothing of what only people read.
enum MetaSchemas {
    /// The document at a URI without fragment; nil if it is none of the drafts'.
    static func text(at uri: String) -> String? {
        switch uri {
        case Draft.draft4.uri: return OlderMetaSchemas.draft4
        case Draft.draft6.uri: return OlderMetaSchemas.draft6
        case Draft.draft7.uri: return OlderMetaSchemas.draft7
        case Draft.draft2019.uri: return MetaSchemas2019.schema
        case Draft.draft2020.uri: return MetaSchemas2020.schema
        default: break
        }
        if let name = name(uri, in: "https://json-schema.org/draft/2019-09/meta/") { return MetaSchemas2019.vocabulary(name) }
        if let name = name(uri, in: "https://json-schema.org/draft/2020-12/meta/") { return MetaSchemas2020.vocabulary(name) }
        return nil
    }

    private static func name(_ uri: String, in folder: String) -> String? {
        uri.hasPrefix(folder) ? String(uri.dropFirst(folder.count)) : nil
    }
}
