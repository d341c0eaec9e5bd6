import CBLFleece

/// What the functions of one connection must know about its database. The store that opens the connection makes it, keeps it up to
/// date, and may set its hooks at any time.
package final class FunctionContext {
    /// The table that the dictionaries of document bodies use. It may grow, and be replaced.
    @exclusivity(unchecked) package var sharedKeys: SharedKeys? {
        didSet { unretainedKeys = sharedKeys.map(Unmanaged.passUnretained) }
    }
    /// The same table for what is done once per value, where counting references would take as long as finding the value.
    @exclusivity(unchecked) private(set) var unretainedKeys: Unmanaged<SharedKeys>?

    /// The current revision's body within a `body` column of a 2.x file, which holds a whole revision tree. Given any `body`; gives it back
    /// if it is none. Set it only for databases that may hold such bodies: it is called for every value that is read.
    @exclusivity(unchecked) package var currentBody: ((UnsafeRawBufferPointer) -> UnsafeRawBufferPointer)?

    /// The text form of a binary revision ID; nil for bytes that are none.
    package var revisionText: ((UnsafeRawBufferPointer) -> String?)?

    /// The content of the blob that a dictionary of a document refers to; nil if it is not there.
    package var blobContent: ((DictionaryView, SharedKeys?) -> [UInt8]?)?

    /// Hears of each value that is no vector where an index wants one, and of which property it is; nil where nobody wants to know.
    package var hearsOfVectorProblem: ((VectorProblem, _ property: String?) -> Void)?

    /// Which database it is, for models that are given blobs.
    package var databasePath = ""

    /// The paths that statements have asked for last: SQLite forgets what belongs to a statement whenever it has run.
    @exclusivity(unchecked) private var paths: [(text: [UInt8], path: KeyPath)] = []
    private static let mostPaths = 32

    /// Encodes results; lent to one call at a time.
    let encoder: FleeceEncoder
    var text = TextOutput()

    package init(sharedKeys: SharedKeys? = nil) {
        self.sharedKeys = sharedKeys
        unretainedKeys = sharedKeys.map(Unmanaged.passUnretained)
        encoder = FleeceEncoder()
        encoder.copiesLikeReference = true
    }

    /// The compiled form of a path.
    func path(_ text: UnsafeRawBufferPointer) throws(KeyPathError) -> KeyPath {
        if let known = paths.first(where: { $0.text.count == text.count && $0.text.elementsEqual(text) }) { return known.path }
        let path = try KeyPath(text)
        if paths.count >= FunctionContext.mostPaths { paths.removeFirst(FunctionContext.mostPaths / 2) }
        paths.append((Array(text), path))
        return path
    }
}

/// Text that functions build, in memory that is kept. A class's stored property cannot be lent out otherwise.
final class TextOutput {
    var buffer = ByteBuffer()
}
