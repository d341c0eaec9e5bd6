package import CBLFleece
import Foundation

/// A place in a document, a container or a row, whether there is something or not. To look further inside never fails:
/// `document["contact"]["phones"][0].string` is nil if any part of the way is missing.
public class Fragment: FragmentProtocol, ArrayFragment, DictionaryFragment {
    enum Place {
        case nowhere
        case key(any DictionaryProtocol, String)
        case index(any ArrayProtocol, Int)
    }

    let place: Place

    init(_ place: Place) { self.place = place }

    convenience init(_ parent: some DictionaryProtocol, _ key: String) { self.init(.key(parent, key)) }

    convenience init(_ parent: some ArrayProtocol, _ index: Int) {
        self.init((0..<parent.count).contains(index) ? .index(parent, index) : .nowhere)
    }

    /// What is there: a string, an `NSNumber`, `NSNull`, a blob, an array or a dictionary; nil if nothing is.
    public var value: Any? {
        switch place {
        case .nowhere: nil
        case .key(let parent, let key): parent.value(forKey: key)
        case .index(let parent, let index): parent.value(at: index)
        }
    }

    /// The string that is there; nil if there is none.
    public var string: String? {
        switch place {
        case .nowhere: nil
        case .key(let parent, let key): parent.string(forKey: key)
        case .index(let parent, let index): parent.string(at: index)
        }
    }

    /// The number or boolean that is there; nil if there is neither.
    public var number: NSNumber? {
        switch place {
        case .nowhere: nil
        case .key(let parent, let key): parent.number(forKey: key)
        case .index(let parent, let index): parent.number(at: index)
        }
    }

    /// The number that is there, its fraction cut off; 0 if there is none.
    public var int: Int {
        switch place {
        case .nowhere: 0
        case .key(let parent, let key): parent.int(forKey: key)
        case .index(let parent, let index): parent.int(at: index)
        }
    }

    /// The number that is there, its fraction cut off; 0 if there is none.
    public var int64: Int64 {
        switch place {
        case .nowhere: 0
        case .key(let parent, let key): parent.int64(forKey: key)
        case .index(let parent, let index): parent.int64(at: index)
        }
    }

    /// The number that is there; 0 if there is none.
    public var float: Float {
        switch place {
        case .nowhere: 0
        case .key(let parent, let key): parent.float(forKey: key)
        case .index(let parent, let index): parent.float(at: index)
        }
    }

    /// The number that is there; 0 if there is none.
    public var double: Double {
        switch place {
        case .nowhere: 0
        case .key(let parent, let key): parent.double(forKey: key)
        case .index(let parent, let index): parent.double(at: index)
        }
    }

    /// False for false, 0, null and what is missing; true for all else.
    public var boolean: Bool {
        switch place {
        case .nowhere: false
        case .key(let parent, let key): parent.boolean(forKey: key)
        case .index(let parent, let index): parent.boolean(at: index)
        }
    }

    /// The date that the string there says; nil if it says none.
    public var date: Date? {
        switch place {
        case .nowhere: nil
        case .key(let parent, let key): parent.date(forKey: key)
        case .index(let parent, let index): parent.date(at: index)
        }
    }

    /// The blob that is there; nil if there is none.
    public var blob: Blob? {
        switch place {
        case .nowhere: nil
        case .key(let parent, let key): parent.blob(forKey: key)
        case .index(let parent, let index): parent.blob(at: index)
        }
    }

    /// The array that is there; nil if there is none.
    public var array: ArrayObject? {
        switch place {
        case .nowhere: nil
        case .key(let parent, let key): parent.array(forKey: key)
        case .index(let parent, let index): parent.array(at: index)
        }
    }

    /// The dictionary that is there; nil if there is none.
    public var dictionary: DictionaryObject? {
        switch place {
        case .nowhere: nil
        case .key(let parent, let key): parent.dictionary(forKey: key)
        case .index(let parent, let index): parent.dictionary(at: index)
        }
    }

    /// Whether there is something, be it null.
    public var exists: Bool {
        switch place {
        case .nowhere: false
        case .key(let parent, let key): parent.contains(key: key)
        case .index: true
        }
    }

    /// The place at an index of the array that is here.
    public subscript(index: Int) -> Fragment { array.map { Fragment($0, index) } ?? Fragment(.nowhere) }

    /// The place of a key in the dictionary that is here.
    public subscript(key: String) -> Fragment { dictionary.map { Fragment($0, key) } ?? Fragment(.nowhere) }
}

extension Fragment {
    /// The place of the one value of an array that is encoded without shared keys, of nothing if there is none.
    package convenience init(wrapped data: FleeceData, database: Database?) {
        let stored = StoredValues(data, keys: nil, database: database)
        self.init(ArrayObject(ArrayStorage(stored.root, in: stored, isMutable: false)), 0)
    }
}

/// The place of a document in a collection, whether there is one or not: `collection["hotel-1"]["name"].string`.
public final class DocumentFragment: DictionaryFragment {
    /// The document as it was when the fragment was made; nil if there is none.
    public let document: Document?

    init(_ collection: Collection, _ id: String) {
        do { document = try collection.document(id: id) } catch {
            log(.database, .warning, "The document \"\(id)\" cannot be read: \(error.localizedDescription)")
            document = nil
        }
    }

    /// Whether there is such a document that is neither deleted nor expired.
    public var exists: Bool { document != nil }

    /// The place of a property.
    public subscript(key: String) -> Fragment { document.map { Fragment($0, key) } ?? Fragment(.nowhere) }
}
