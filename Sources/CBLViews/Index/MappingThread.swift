import CBLBase
import CBLFleece
import CBLStore
import Synchronization

/// What maps the documents of a collection for several views at once, on one thread.
///
/// Hot: this is most of building an index.
final class MappingThread {
    /// One view's part.
    private final class Target {
        let definition: ViewDefinition
        let mapper: any Mapper
        let rows = MappedRows()
        let emitter: Emitter
        let type: [UInt8]?
        /// Documents up to here are indexed already.
        let sequence: UInt64

        init(_ definition: ViewDefinition, after sequence: UInt64) throws {
            self.definition = definition
            self.sequence = sequence
            mapper = try definition.makeMapper()
            emitter = Emitter(definition.collation, rows)
            type = definition.documentType.map { Array($0.utf8) }
        }
    }

    private let targets: [Target]
    private let orders: [ValueOrder]
    private let options: IndexingOptions
    private var sampleSequence: UInt64 = 0
    private(set) var documentCount = 0
    private let isOpen: () -> Bool

    init(_ views: [(definition: ViewDefinition, sequence: UInt64)], _ options: IndexingOptions, _ database: Database) throws {
        targets = try views.map { try Target($0.definition, after: $0.sequence) }
        orders = targets.map { ValueOrder($0.definition.collation) }
        self.options = options
        isOpen = { [unowned database] in database.isOpen }
    }

    /// What was mapped for a view.
    func rows(_ view: Int) -> MappedRows { targets[view].rows }

    var byteCount: Int { targets.reduce(0) { $0 + $1.rows.byteCount } }

    func sortRows() { for (target, order) in zip(targets, orders) { target.rows.sort(order) } }
    func removeRows() { for target in targets { target.rows.removeAll() } }

    /// Maps the documents that a cursor gives, until memory runs short; false then. Deleted ones are only told to `visit`, as all are.
    func map(
        _ cursor: DocumentCursor, on snapshot: Snapshot, limit: Int = .max, visit: ((DocumentCursor) throws -> Void)? = nil
    ) throws -> Bool {
        let document = MapDocument(snapshot, cursor.collection)
        while try cursor.next() {
            documentCount &+= 1
            if documentCount & 255 == 0 {
                try check()
                if documentCount & 4095 == 0 { options.onProgress?(4096) }
            }
            note(cursor)
            try visit?(cursor)
            if !cursor.isDeleted { try map(cursor, document) }
            if documentCount & 15 == 0, byteCount > limit { return false }
        }
        return true
    }

    func check() throws {
        if options.cancellation?.isCancelled == true { throw ViewError.cancelled }
        if !isOpen() { throw ViewError.closed }
    }

    @inline(__always)
    private func note(_ cursor: DocumentCursor) {
        let sequence = cursor.sequence
        guard sequence > sampleSequence else { return }
        sampleSequence = sequence
        sampleID.truncate(to: 0)
        sampleID.append(cursor.idBytes)
        sampleID.append(cursor.versionBytes)
        sampleIDCount = cursor.idBytes.count
    }

    private var sampleID = ByteBuffer()
    private var sampleIDCount = 0

    /// The document with the greatest sequence of all that were looked at.
    var latest: ViewState.Sample? {
        guard sampleSequence > 0 else { return nil }
        let bytes = sampleID.bytes
        return ViewState.Sample(
            id: String(decoding: bytes[..<sampleIDCount], as: UTF8.self), sequence: sampleSequence, revision: Array(bytes[sampleIDCount...])
        )
    }

    private static let designPrefix = Array("_design/".utf8)

    @inline(__always)
    private func map(_ cursor: DocumentCursor, _ document: MapDocument) throws {
        guard document.read(cursor) else { return }
        if document.idBytes.first == UInt8(ascii: "_"), document.idBytes.starts(with: MappingThread.designPrefix) { return }
        for target in targets where document.sequence > target.sequence { try map(document, target) }
    }

    private func map(_ document: MapDocument, _ target: Target) throws {
        if let type = target.type, !document.hasType(type) { return }
        target.rows.begin(id: document.idBytes, sequence: document.sequence)
        target.emitter.begin(document)
        var failure: (any Error)?
        do { try target.mapper.map(document, target.emitter) } catch let error as ViewError {
            // It is no matter of this document.
            throw error
        } catch {
            failure = error
        }
        failure = failure ?? target.emitter.failure
        target.rows.end(keeping: failure == nil)
        if let failure {
            options.onFailure?(MapFailure(view: target.definition.name, documentID: document.id, error: failure))
            // It may have taken long.
            try check()
        }
    }
}
