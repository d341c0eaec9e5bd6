import CBLFleece
import CBLReplication
import CBLStore

/// The design documents among the changes of the default collection, in the order in which the others are read.
struct DesignChanges {
    private var rest: ArraySlice<(design: StoredDesign, sequence: UInt64)> = []
    private let isDescending: Bool

    init(_ keyspace: Keyspace, _ snapshot: Snapshot, _ options: ScanOptions) throws {
        isDescending = options.isDescending
        guard keyspace.hasDesignDocuments else { return }
        var found: [(design: StoredDesign, sequence: UInt64)] = []
        for design in try snapshot.designChanges(after: options.since ?? 0) {
            if let sequence = design.sequence, sequence <= options.upTo ?? .max { found.append((design, sequence)) }
        }
        rest = isDescending ? found.reversed()[...] : found[...]
    }

    /// The next one, if it comes before what has that sequence.
    mutating func next(upTo sequence: UInt64?) -> (design: StoredDesign, sequence: UInt64)? {
        guard let next = rest.first, sequence.map({ isDescending ? next.sequence > $0 : next.sequence < $0 }) ?? true else { return nil }
        return rest.removeFirst()
    }

    static func write(_ design: StoredDesign, _ sequence: UInt64, _ query: ChangesQuery, to text: inout ByteBuffer) throws {
        text.append("{\"seq\":")
        text.append(decimal: sequence)
        text.append(",\"id\":")
        JSONWriter.write(string: design.id, to: &text)
        text.append(",\"changes\":[{\"rev\":")
        JSONWriter.write(string: design.revision, to: &text)
        text.append("}]")
        if design.isDeleted { text.append(",\"deleted\":true") }
        if query.includesDocuments {
            text.append(",\"doc\":")
            let start = text.count
            do { try BesideDocuments.write(design.document, as: design.id, query.options, to: &text) } catch {
                text.truncate(to: start)
                text.append("null")
            }
        }
        text.append("}")
    }
}
