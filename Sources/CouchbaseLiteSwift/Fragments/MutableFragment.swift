import Foundation

/// A place in a document or container that can be written to: `document["name"].string = "Seaview"`.
///
/// What is written where there is no parent, or beyond the end of an array, goes nowhere.
public final class MutableFragment: Fragment, MutableDictionaryFragment, MutableArrayFragment {
    private func set(_ item: Item) {
        switch place {
        case .nowhere: break
        case .key(let parent as MutableDocument, let key): parent.storage.set(key, item)
        case .key(let parent as MutableDictionaryObject, let key): parent.storage.set(key, item)
        case .index(let parent as MutableArrayObject, let index): parent.storage.set(index, item)
        case .key, .index: break
        }
    }

    override public var value: Any? {
        get { super.value }
        set { set(Item(newValue)) }
    }

    override public var string: String? {
        get { super.string }
        set { set(Item(newValue)) }
    }

    override public var number: NSNumber? {
        get { super.number }
        set { set(Item(newValue)) }
    }

    override public var int: Int {
        get { super.int }
        set { set(.integer(Int64(newValue))) }
    }

    override public var int64: Int64 {
        get { super.int64 }
        set { set(.integer(newValue)) }
    }

    override public var float: Float {
        get { super.float }
        set { set(.float(newValue)) }
    }

    override public var double: Double {
        get { super.double }
        set { set(.double(newValue)) }
    }

    override public var boolean: Bool {
        get { super.boolean }
        set { set(.boolean(newValue)) }
    }

    override public var date: Date? {
        get { super.date }
        set { set(Item(newValue)) }
    }

    override public var blob: Blob? {
        get { super.blob }
        set { set(Item(newValue)) }
    }

    override public var array: MutableArrayObject? {
        get { super.array as? MutableArrayObject }
        set { set(Item(newValue)) }
    }

    override public var dictionary: MutableDictionaryObject? {
        get { super.dictionary as? MutableDictionaryObject }
        set { set(Item(newValue)) }
    }

    override public subscript(index: Int) -> MutableFragment { array.map { MutableFragment($0, index) } ?? MutableFragment(.nowhere) }

    override public subscript(key: String) -> MutableFragment { dictionary.map { MutableFragment($0, key) } ?? MutableFragment(.nowhere) }
}
