import CBLFunctions
import CBLStore

/// A map/reduce view over one collection.
///
///     let byCity = ViewDefinition("byCity", version: "1") { document, emitter in
///         emitter.emit(document["city"], document["population"])
///     }
///
/// The index is made anew when the version changes, or anything else here that it depends on.
package struct ViewDefinition: Sendable {
    package var name: String
    package var version: String
    package var collection: CollectionName
    /// Only documents whose member `type` is this are mapped.
    package var documentType: String?
    package var collation: JSONCollation
    /// Makes the map function. Building an index has one for each thread.
    package var makeMapper: @Sendable () throws -> any Mapper
    package var reduction: Reduction?
    /// Whether its functions are in JavaScript.
    package var isScripted = false

    package init(
        _ name: String, version: String, collection: CollectionName = .default, documentType: String? = nil,
        collation: JSONCollation = .unicode, reduction: Reduction? = nil, makeMapper: @escaping @Sendable () throws -> any Mapper
    ) {
        self.name = name
        self.version = version
        self.collection = collection
        self.documentType = documentType
        self.collation = collation
        self.reduction = reduction
        self.makeMapper = makeMapper
    }

    /// With a function that keeps nothing from call to call, and may run on two threads at once.
    package init(
        _ name: String, version: String, collection: CollectionName = .default, documentType: String? = nil,
        collation: JSONCollation = .unicode, reduction: Reduction? = nil,
        map: @escaping @Sendable (MapDocument, Emitter) throws -> Void
    ) {
        self.init(
            name, version: version, collection: collection, documentType: documentType, collation: collation, reduction: reduction,
            makeMapper: { FunctionMapper(function: map) })
    }
}

/// Takes in documents one after another and emits rows for each. What it throws drops the document's rows, and the document is passed over, except
/// for a ``ViewError``, which ends the update.
package protocol Mapper: AnyObject {
    func map(_ document: MapDocument, _ emitter: Emitter) throws
}

private final class FunctionMapper: Mapper {
    let function: @Sendable (MapDocument, Emitter) throws -> Void

    init(function: @escaping @Sendable (MapDocument, Emitter) throws -> Void) { self.function = function }

    func map(_ document: MapDocument, _ emitter: Emitter) throws { try function(document, emitter) }
}

/// A document that a map function could do nothing with.
package struct MapFailure: Sendable {
    package let view: String
    package let documentID: String
    package let error: any Error
}
