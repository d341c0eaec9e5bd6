import CBLBase

/// Who made a version: the public UUID of a database, sixteen bytes. All zero, written `*`, is the database itself.
package struct SourceID: Hashable, Comparable, Sendable, CustomStringConvertible {
    package static let byteCount = UniqueID.byteCount
    static let textLength = 22

    private let id: UniqueID

    package init(_ id: UniqueID) { self.id = id }

    /// This database.
    package static let local = SourceID(UniqueID(high: 0, low: 0))

    /// Stands for all tree revisions that are treated as versions: `Revision+Tree+Encoding`.
    package static let revisionTree = SourceID(UniqueID(high: 0x45eb_e2b2_2a27_f93a, low: 0xde7b_e127_7287_629e))

    package var isLocal: Bool { self == .local }

    /// Sixteen raw bytes, such as `publicUUID`; nil for any other number.
    package init?(_ bytes: UnsafeRawBufferPointer) {
        guard let id = UniqueID(bytes) else { return nil }
        self.id = id
    }

    package init?(_ bytes: [UInt8]) {
        guard let source = bytes.withUnsafeBytes({ SourceID($0) }) else { return nil }
        self = source
    }

    /// `*`, or 22 characters of Base64.
    init(text: UnsafeRawBufferPointer) throws(RevisionError) {
        if text.count == 1, text[0] == UInt8(ascii: "*") {
            self = .local
            return
        }
        guard text.count == SourceID.textLength else {
            throw .badID(String(decoding: text, as: UTF8.self), reason: "the source must be * or 22 characters")
        }
        guard let bytes = Base64.bytes(of: text), let source = SourceID(bytes) else {
            throw .badID(String(decoding: text, as: UTF8.self), reason: "the source is not Base64 of 16 bytes")
        }
        self = source
    }

    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try id.withBytes(body)
    }

    /// Writes the text and gives its length, at most 24.
    func writeText(to output: UnsafeMutableRawPointer) -> Int {
        if isLocal {
            output.storeBytes(of: UInt8(ascii: "*"), as: UInt8.self)
            return 1
        }
        return withBytes { Base64.write($0, isPadded: false, to: output) }
    }

    package var description: String {
        isLocal ? "*" : withBytes { Base64.text(of: $0, isPadded: false) }
    }

    package static func < (a: SourceID, b: SourceID) -> Bool { a.id < b.id }
}
