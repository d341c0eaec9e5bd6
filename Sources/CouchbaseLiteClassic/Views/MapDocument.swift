internal import CBLFleece
internal import CBLViews
import CouchbaseLiteSwift

/// The document that a map function looks at, where it lies. It is for that one call: afterwards there is nothing in it.
///
///     document["address"]["city"].string
///     document.id, document.sequence
public final class MapDocument {
    let loan: MapLoan
    @exclusivity(unchecked) private var core: CBLViews.MapDocument?

    init(_ loan: MapLoan) { self.loan = loan }

    @inline(__always)
    func begin(_ document: CBLViews.MapDocument) {
        core = document
        loan.begin(keys: document.keys, names: document.names)
    }

    @inline(__always)
    func end() {
        core = nil
        loan.end()
    }

    /// A property, or the place where there is none.
    public subscript(key: String) -> MapValue { MapValue(core?[key] ?? .undefined, loan) }

    /// The document's name in its collection.
    public var id: String { core?.id ?? "" }

    /// The current revision.
    public var revisionID: String { core?.revision?.description ?? "" }

    /// The number of its last change in the order of the collection.
    public var sequence: UInt64 { core?.sequence ?? 0 }

    /// The revisions that compete with the current one, deletions left out.
    public var conflicts: [String] { core?.conflicts.map(\.description) ?? [] }

    /// The names of all properties.
    public var keys: [String] { whole.keys }

    /// A copy of all properties, as Swift's dictionaries and arrays. Numbers are `NSNumber`, null is `NSNull`, blobs stay blobs. It takes its time.
    public func toDictionary() -> [String: Any] { loan.copy(core?.body ?? .undefined).dictionary?.toDictionary() ?? [:] }

    private var whole: MapValue { MapValue(core?.body ?? .undefined, loan) }
}

/// Calls the map function of a program. Each thread has one.
final class ClosureMapper: Mapper {
    private let function: @Sendable (MapDocument, MapEmitter) throws -> Void
    private let document: MapDocument
    private let emitter = MapEmitter()

    init(_ database: WeakDatabase, _ function: @escaping @Sendable (MapDocument, MapEmitter) throws -> Void) {
        self.function = function
        document = MapDocument(MapLoan(database))
    }

    func map(_ document: CBLViews.MapDocument, _ emitter: Emitter) throws {
        self.document.begin(document)
        self.emitter.core = emitter
        defer {
            self.document.end()
            self.emitter.core = nil
        }
        try function(self.document, self.emitter)
    }
}
