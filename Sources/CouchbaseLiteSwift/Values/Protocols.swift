import Foundation

/// What has places by index.
public protocol ArrayFragment {
    subscript(index: Int) -> Fragment { get }
}

/// What has places by key.
public protocol DictionaryFragment {
    subscript(key: String) -> Fragment { get }
}

/// Reading values by key: documents, dictionaries and rows.
public protocol DictionaryProtocol: DictionaryFragment {
    var count: Int { get }
    var keys: [String] { get }
    func value(forKey key: String) -> Any?
    func string(forKey key: String) -> String?
    func number(forKey key: String) -> NSNumber?
    func int(forKey key: String) -> Int
    func int64(forKey key: String) -> Int64
    func float(forKey key: String) -> Float
    func double(forKey key: String) -> Double
    func boolean(forKey key: String) -> Bool
    func date(forKey key: String) -> Date?
    func blob(forKey key: String) -> Blob?
    func array(forKey key: String) -> ArrayObject?
    func dictionary(forKey key: String) -> DictionaryObject?
    func contains(key: String) -> Bool
    func toDictionary() -> [String: Any]
}

/// Reading values by index: arrays and rows.
public protocol ArrayProtocol: ArrayFragment {
    var count: Int { get }
    func value(at index: Int) -> Any?
    func string(at index: Int) -> String?
    func int(at index: Int) -> Int
    func int64(at index: Int) -> Int64
    func float(at index: Int) -> Float
    func double(at index: Int) -> Double
    func number(at index: Int) -> NSNumber?
    func boolean(at index: Int) -> Bool
    func blob(at index: Int) -> Blob?
    func date(at index: Int) -> Date?
    func array(at index: Int) -> ArrayObject?
    func dictionary(at index: Int) -> DictionaryObject?
    func toArray() -> [Any]
    func toJSON() -> String
}

/// What has places by index, to be written to.
public protocol MutableArrayFragment {
    subscript(index: Int) -> MutableFragment { get }
}

/// What has places by key, to be written to.
public protocol MutableDictionaryFragment {
    subscript(key: String) -> MutableFragment { get }
}

/// Writing values by key: documents and dictionaries.
public protocol MutableDictionaryProtocol: DictionaryProtocol, MutableDictionaryFragment {
    @discardableResult func setValue(_ value: Any?, forKey key: String) -> Self
    @discardableResult func setString(_ value: String?, forKey key: String) -> Self
    @discardableResult func setNumber(_ value: NSNumber?, forKey key: String) -> Self
    @discardableResult func setInt(_ value: Int, forKey key: String) -> Self
    @discardableResult func setInt64(_ value: Int64, forKey key: String) -> Self
    @discardableResult func setFloat(_ value: Float, forKey key: String) -> Self
    @discardableResult func setDouble(_ value: Double, forKey key: String) -> Self
    @discardableResult func setBoolean(_ value: Bool, forKey key: String) -> Self
    @discardableResult func setDate(_ value: Date?, forKey key: String) -> Self
    @discardableResult func setBlob(_ value: Blob?, forKey key: String) -> Self
    @discardableResult func setArray(_ value: ArrayObject?, forKey key: String) -> Self
    @discardableResult func setDictionary(_ value: DictionaryObject?, forKey key: String) -> Self
    @discardableResult func setData(_ data: [String: Any]) -> Self
    @discardableResult func setJSON(_ json: String) throws -> Self
    @discardableResult func removeValue(forKey key: String) -> Self
    func array(forKey key: String) -> MutableArrayObject?
    func dictionary(forKey key: String) -> MutableDictionaryObject?
}

/// Writing values by index: arrays.
public protocol MutableArrayProtocol: ArrayProtocol, MutableArrayFragment {
    @discardableResult func setValue(_ value: Any?, at index: Int) -> Self
    @discardableResult func setString(_ value: String?, at index: Int) -> Self
    @discardableResult func setNumber(_ value: NSNumber?, at index: Int) -> Self
    @discardableResult func setInt(_ value: Int, at index: Int) -> Self
    @discardableResult func setInt64(_ value: Int64, at index: Int) -> Self
    @discardableResult func setFloat(_ value: Float, at index: Int) -> Self
    @discardableResult func setDouble(_ value: Double, at index: Int) -> Self
    @discardableResult func setBoolean(_ value: Bool, at index: Int) -> Self
    @discardableResult func setDate(_ value: Date?, at index: Int) -> Self
    @discardableResult func setBlob(_ value: Blob?, at index: Int) -> Self
    @discardableResult func setArray(_ value: ArrayObject?, at index: Int) -> Self
    @discardableResult func setDictionary(_ value: DictionaryObject?, at index: Int) -> Self
    @discardableResult func addValue(_ value: Any?) -> Self
    @discardableResult func addString(_ value: String?) -> Self
    @discardableResult func addNumber(_ value: NSNumber?) -> Self
    @discardableResult func addInt(_ value: Int) -> Self
    @discardableResult func addInt64(_ value: Int64) -> Self
    @discardableResult func addFloat(_ value: Float) -> Self
    @discardableResult func addDouble(_ value: Double) -> Self
    @discardableResult func addBlob(_ value: Blob?) -> Self
    @discardableResult func addBoolean(_ value: Bool) -> Self
    @discardableResult func addDate(_ value: Date?) -> Self
    @discardableResult func addArray(_ value: ArrayObject?) -> Self
    @discardableResult func addDictionary(_ value: DictionaryObject?) -> Self
    @discardableResult func insertValue(_ value: Any?, at index: Int) -> Self
    @discardableResult func insertString(_ value: String?, at index: Int) -> Self
    @discardableResult func insertNumber(_ value: NSNumber?, at index: Int) -> Self
    @discardableResult func insertInt(_ value: Int, at index: Int) -> Self
    @discardableResult func insertInt64(_ value: Int64, at index: Int) -> Self
    @discardableResult func insertFloat(_ value: Float, at index: Int) -> Self
    @discardableResult func insertDouble(_ value: Double, at index: Int) -> Self
    @discardableResult func insertBoolean(_ value: Bool, at index: Int) -> Self
    @discardableResult func insertDate(_ value: Date?, at index: Int) -> Self
    @discardableResult func insertBlob(_ value: Blob?, at index: Int) -> Self
    @discardableResult func insertArray(_ value: ArrayObject?, at index: Int) -> Self
    @discardableResult func insertDictionary(_ value: DictionaryObject?, at index: Int) -> Self
    @discardableResult func setData(_ data: [Any]) -> Self
    @discardableResult func setJSON(_ json: String) throws -> Self
    @discardableResult func removeValue(at index: Int) -> Self
    func array(at index: Int) -> MutableArrayObject?
    func dictionary(at index: Int) -> MutableDictionaryObject?
}
