/// Which documents refer to which blobs, as a check has seen it. There may be a million of them: each takes forty bytes, and the documents' IDs are asked
/// for only where there is something to say.
struct BlobReferenceList {
    struct Reference {
        let blob: BlobDigest
        fileprivate let owner: Int32
        fileprivate let row: Int64
        fileprivate let saidLength: Int64

        /// How long the blob is, by what the document says.
        var length: Int64? { saidLength == .min ? nil : saidLength }
    }

    /// A table of documents: the collection, and what gives the ID of a row.
    struct Owner {
        let collection: CollectionName
        let document: (_ row: Int64) throws -> String?
    }

    private var owners: [Owner] = []
    private var references: [Reference] = []
    /// What documents call a blob, and is no digest.
    private(set) var misnamed: [(text: String, collection: CollectionName, document: String)] = []

    /// Adds a table, and gives its number.
    mutating func add(_ owner: Owner) -> Int32 {
        owners.append(owner)
        return Int32(owners.count - 1)
    }

    mutating func add(_ text: String, length: Int64?, in owner: Int32, row: Int64, document: @autoclosure () -> String) {
        if let blob = BlobDigest(text) {
            references.append(Reference(blob: blob, owner: owner, row: row, saidLength: length ?? .min))
        } else {
            misnamed.append((text, owners[Int(owner)].collection, document()))
        }
    }

    /// Has to be called before one looks for a blob.
    mutating func sort() { references.sort { ($0.blob, $0.owner, $0.row) < ($1.blob, $1.owner, $1.row) } }

    func contains(_ blob: BlobDigest) -> Bool {
        var (low, high) = (0, references.count)
        while low < high {
            let middle = (low + high) / 2
            if references[middle].blob < blob { low = middle + 1 } else { high = middle }
        }
        return low < references.count && references[low].blob == blob
    }

    func collection(of reference: Reference) -> CollectionName { owners[Int(reference.owner)].collection }

    /// Nil if it cannot be read.
    func document(of reference: Reference) -> String? { try? owners[Int(reference.owner)].document(reference.row) }
}

extension BlobReferenceList: Sequence {
    func makeIterator() -> some IteratorProtocol<Reference> { references.makeIterator() }
}
