internal import CBLFunctions
internal import CBLViews
import CouchbaseLiteSwift

import class CouchbaseLiteSwift.Collection

/// How the texts in keys are compared.
public enum ViewCollation: Sendable {
    /// By the rules of no language, first without case.
    case unicode
    /// By their bytes.
    case ascii
    /// By their bytes, and kinds of values in the order in which 1.x calls it raw: numbers before all else.
    case raw

    var core: JSONCollation {
        switch self {
        case .unicode: .unicode
        case .ascii: .ascii
        case .raw: .raw
        }
    }
}

extension View {
    /// Defines the view by a map function, which is called with each document and puts rows into the index by `emit`. It must depend on nothing but the
    /// document, and is called by several threads. What it throws leaves the document out, and is logged.
    ///
    /// Another version has the index made anew: change it whenever the function does other things. With a document type, only documents are looked at
    /// whose property `type` is that.
    public func setMap(
        version: String, documentType: String? = nil, collation: ViewCollation = .unicode, reduce: ViewReduction? = nil,
        map: @escaping @Sendable (MapDocument, MapEmitter) throws -> Void
    ) {
        let weakly = WeakDatabase(collection.database)
        store[key] = ViewDefinition(
            name, version: version, collection: collection.coreName, documentType: documentType, collation: collation.core,
            reduction: reduce?.core(weakly), makeMapper: { ClosureMapper(weakly, map) })
    }

    /// Defines the view by functions in JavaScript: `function (doc, meta) { emit(doc.city, 1); }`. For reduce, the name of a built-in function will do,
    /// such as `_sum`. Without a version, the text is its own. Throws `invalidQuery` for what is no function.
    public func setMap(
        javaScript map: String, reduce: String? = nil, version: String? = nil, documentType: String? = nil,
        collation: ViewCollation = .unicode
    ) throws {
        var script = ScriptedView(name, map: map, reduce: reduce)
        script.collection = collection.coreName
        script.documentType = documentType
        script.collation = collation.core
        try define(script, version: version)
    }

    func define(_ script: ScriptedView, version: String? = nil) throws {
        var definition = try translatingViewErrors { try script.definition(onLog: ViewStore.logScript) }
        if let version { definition.version = version }
        store[key] = definition
    }
}
