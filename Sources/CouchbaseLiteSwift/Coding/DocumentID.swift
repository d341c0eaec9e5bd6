import Foundation
import Synchronization

/// Makes a class a model of documents: the property that has it is the document's ID, and remembers which revision was read or saved.
///
///     final class Hotel: Codable {
///         @DocumentID var id: String?
///         var name: String
///     }
///
///     let hotel = try collection.document(id: "hotel-1", as: Hotel.self)
///     try collection.save(from: hotel)
@propertyWrapper public final class DocumentID: Codable, @unchecked Sendable {
    // Sendable: guarded by the lock.

    private struct State {
        var id: String?
        var place: DocumentPlace?
    }

    private let state: Mutex<State>

    /// The document's ID; nil until it is saved, or given one.
    public var wrappedValue: String? {
        get { state.withLock { $0.id } }
        set {
            state.withLock { state in
                precondition(state.place?.revision == nil, "An object that stands for a saved document keeps its ID.")
                state.id = newValue
            }
        }
    }

    /// An ID for a new document, or for whichever document has it when the object is saved; nil has one made at the first save.
    public init(wrappedValue: String?) { state = Mutex(State(id: wrappedValue)) }

    init(_ document: Document) { state = Mutex(State(id: document.id, place: document.place)) }

    /// For coders of others, it is an ID and nothing else.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        self.init(wrappedValue: container.decodeNil() ? nil : try container.decode(String.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(wrappedValue)
    }

    /// Where the document stands that was read or saved last.
    var place: DocumentPlace? { state.withLock { $0.place } }

    func adopt(_ document: Document) {
        state.withLock { $0 = State(id: document.id, place: document.place) }
    }

    /// That of an object, which has it among the properties of its own class.
    static func of(_ object: AnyObject) throws -> DocumentID {
        for property in Mirror(reflecting: object).children {
            if let id = property.value as? DocumentID { return id }
        }
        throw libraryError(CBLError.invalidParameter, "\(type(of: object)) has no property with @DocumentID.")
    }
}
