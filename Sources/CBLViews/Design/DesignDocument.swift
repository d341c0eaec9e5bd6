import CBLFleece
import CBLFunctions
import CBLStore

/// What a design document says of views.
///
///     {"language": "javascript", "views": {"byCity": {"map": "function (doc) {…}", "reduce": "_count"}}}
///
/// The members `documentType`, `collation` and, beyond 1.x, `collection` stand beside `map`, or in `options`.
package struct DesignDocument: Sendable, Equatable {
    package let name: String
    package private(set) var views: [ScriptedView] = []

    /// Reads what is stored. Members that are none are passed over.
    package init(_ name: String, json: [UInt8]) throws {
        self.name = name
        let encoder = FleeceEncoder()
        do { try json.withUnsafeBytes { try JSONParser.parse($0, into: encoder) } } catch {
            throw ViewError.badRequest("the design document \"\(name)\" is no JSON: \(error)")
        }
        try encoder.withFinished { bytes in
            guard let root = Value(root: bytes)?.dictionary, let all = root.value(forKey: "views", nil)?.dictionary else { return }
            if let language = root.value(forKey: "language", nil)?.string, language != "javascript" {
                throw ViewError.badRequest("the views of the design document \"\(name)\" are in \(language), and not in JavaScript")
            }
            for (key, value) in all {
                guard let view = key.string, let members = value.dictionary, let map = members.value(forKey: "map", nil)?.string else {
                    continue
                }
                views.append(DesignDocument.view("\(name)/\(view)", map, members))
            }
        }
        views.sort { $0.name < $1.name }
    }

    private static func view(_ name: String, _ map: String, _ members: DictionaryView) -> ScriptedView {
        var view = ScriptedView(name, map: map, reduce: members.value(forKey: "reduce", nil)?.string)
        let options = members.value(forKey: "options", nil)?.dictionary
        func text(_ key: String) -> String? { (members.value(forKey: key, nil) ?? options?.value(forKey: key, nil))?.string }
        view.documentType = text("documentType")
        view.collation = text("collation").flatMap { JSONCollation(optionName: $0) } ?? .unicode
        view.collection = text("collection").flatMap { try? CollectionName(parsing: $0) } ?? .default
        return view
    }
}

extension JSONCollation {
    fileprivate init?(optionName: String) {
        switch optionName {
        case "raw": self = .raw
        case "ascii": self = .ascii
        case "unicode": self = .unicode
        default: return nil
        }
    }

    package var optionName: String {
        switch self {
        case .raw: "raw"
        case .ascii: "ascii"
        case .unicode: "unicode"
        }
    }
}

extension Snapshot {
    /// All views of the design documents, in the order of their names. `complain` is told of design documents that cannot be read.
    package func scriptedViews(_ complain: (String) throws -> Void = { _ in }) throws -> [ScriptedView] {
        var views: [ScriptedView] = []
        for name in try designDocumentNames() {
            guard let json = try designDocument(name) else { continue }
            do { views += try DesignDocument(name, json: json).views } catch let error as ViewError { try complain("\(error)") }
        }
        return views
    }

    package func scriptedView(_ name: String) throws -> ScriptedView? {
        let (design, _) = ScriptedView.split(name)
        guard let json = try designDocument(design) else { return nil }
        return try DesignDocument(design, json: json).views.first { $0.name == ScriptedView.full(name) }
    }
}

extension Transaction {
    /// Stores a view, in the place of one of the same name.
    package func define(_ view: ScriptedView) throws {
        let (design, own) = ScriptedView.split(view.name)
        guard !design.isEmpty, !own.isEmpty else {
            throw ViewError.badRequest("a view is called VIEW or DESIGN/VIEW, not \"\(view.name)\"")
        }
        try change(view.name, to: view)
    }

    /// False if there is no such view.
    @discardableResult
    package func removeView(_ name: String) throws -> Bool {
        guard try scriptedView(name) != nil else { return false }
        try change(name, to: nil)
        return true
    }

    private func change(_ name: String, to view: ScriptedView?) throws {
        let (design, own) = ScriptedView.split(name)
        let stored = try self.design(design).flatMap { $0.isDeleted ? nil : $0.document }
        guard let json = try DesignDocumentEdit(design, stored?.body).json(own, view) else {
            if let stored { try deleteDesign(design, revision: String(decoding: stored.meta ?? [], as: UTF8.self)) }
            return
        }
        // Its revision counts changes, as those of local documents do.
        let generation = stored?.meta.flatMap { Int(String(decoding: $0.prefix { $0 != UInt8(ascii: "-") }, as: UTF8.self)) } ?? 0
        let meta = Array("\(generation.addingReportingOverflow(1).partialValue)-local".utf8)
        try insertDesign(RawDocument(key: design, meta: meta, body: json))
    }
}

extension ScriptedView {
    /// The design document of views that are called by one word.
    package static let usualDesign = "views"

    /// `a/b` is the view `b` of the design document `a`; a lone word is one of `views`.
    static func split(_ name: String) -> (design: String, view: String) {
        guard let slash = name.firstIndex(of: "/") else { return (usualDesign, name) }
        return (String(name[..<slash]), String(name[name.index(after: slash)...]))
    }

    package static func full(_ name: String) -> String {
        let (design, view) = split(name)
        return "\(design)/\(view)"
    }

    /// The name as people write it.
    package var shortName: String {
        let prefix = ScriptedView.usualDesign + "/"
        return name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    }
}
