internal import CBLQuery
import Foundation
import Synchronization

/// Values whose vectors a lazy vector index waits for. For each, the program sets a vector or skips it; then it calls `finish()`.
public class IndexUpdater: ArrayProtocol, Sequence, @unchecked Sendable {
    public typealias Element = Any
    public typealias Iterator = AnyIterator<Any>

    private let values: ArrayObject
    private let collection: Collection
    // Sendable: what changes is guarded by the lock.
    private let lock = Mutex(())
    private let update: VectorUpdate

    init(_ update: VectorUpdate, of collection: Collection) {
        self.update = update
        self.collection = collection
        let stored = StoredValues(update.values, keys: nil, database: collection.database)
        values = ArrayObject(ArrayStorage(stored.root, in: stored, isMutable: false))
    }

    /// How many values there are.
    public var count: Int { values.count }

    /// What is at the index: a string, an `NSNumber`, `NSNull`, a blob, an array or a dictionary.
    public func value(at index: Int) -> Any? { values.value(at: index) }
    /// The string at the index; nil if there is none.
    public func string(at index: Int) -> String? { values.string(at: index) }
    /// The number at the index, its fraction cut off; 0 if there is none.
    public func int(at index: Int) -> Int { values.int(at: index) }
    /// The number at the index, its fraction cut off; 0 if there is none.
    public func int64(at index: Int) -> Int64 { values.int64(at: index) }
    /// The number at the index; 0 if there is none.
    public func float(at index: Int) -> Float { values.float(at: index) }
    /// The number at the index; 0 if there is none.
    public func double(at index: Int) -> Double { values.double(at: index) }
    /// The number or boolean at the index; nil if there is neither.
    public func number(at index: Int) -> NSNumber? { values.number(at: index) }
    /// False for false, 0, null and what is missing; true for all else.
    public func boolean(at index: Int) -> Bool { values.boolean(at: index) }
    /// The blob at the index; nil if there is none.
    public func blob(at index: Int) -> Blob? { values.blob(at: index) }
    /// The date that the string at the index says; nil if it says none.
    public func date(at index: Int) -> Date? { values.date(at: index) }
    /// The array at the index; nil if there is none.
    public func array(at index: Int) -> ArrayObject? { values.array(at: index) }
    /// The dictionary at the index; nil if there is none.
    public func dictionary(at index: Int) -> DictionaryObject? { values.dictionary(at: index) }
    /// The values as a plain array.
    public func toArray() -> [Any] { values.toArray() }
    /// The values as a JSON array.
    public func toJSON() -> String { values.toJSON() }
    /// Goes through the values.
    public func makeIterator() -> AnyIterator<Any> { values.makeIterator() }
    /// The place of a value.
    public subscript(index: Int) -> Fragment { values[index] }

    /// Sets the vector of a value; nil if it has none, and is to be left out of the index.
    public func setVector(_ vector: [Float]?, at index: Int) throws {
        check(index)
        try change("setVector") { try update.set(vector, index) }
    }

    /// Leaves a value for the next update.
    public func skipVector(at index: Int) {
        check(index)
        try? change("skipVector") { try update.skip(index) }
    }

    /// Puts the vectors into the index. Every value must have one, or have been skipped.
    public func finish() throws {
        let core = try collection.openCore()
        try change("finish") { _ = try update.finish(in: core) }
    }

    private func check(_ index: Int) {
        programmerErrorUnless((0..<count).contains(index), .range, "The index \(index) is outside of the update.")
    }

    private func change(_ name: String, _ body: () throws -> Void) throws {
        try lock.withLock { _ in
            programmerErrorUnless(!update.isFinished, .internalInconsistency, "\(name) was called on a finished updater.")
            try translatingErrors(body)
        }
    }
}

extension VectorUpdate.Failure: CoreErrorTranslation {
    var libraryError: NSError {
        let code =
            switch self {
            case .notFound: CBLError.missingIndex
            case .notLazy: CBLError.unsupported
            case .wrongDimensions: CBLError.invalidParameter
            case .unfinished: CBLError.unsupported
            case .finished: CBLError.notOpen
            }
        return CouchbaseLiteSwift.libraryError(code, description)
    }
}
