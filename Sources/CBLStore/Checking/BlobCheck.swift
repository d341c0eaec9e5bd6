/// The files of blobs against the references that the documents' check collected, and what interrupted work left behind.
struct BlobCheck {
    private let checker: Checker
    private var blobs: BlobFolder { checker.snapshot.database.blobs }

    init(_ checker: Checker) { self.checker = checker }

    func run() throws {
        checker.blobReferences.sort()
        let references = checker.blobReferences
        var damaged: [BlobDigest: String] = [:]
        var unfinished: [String] = []
        var unused: [BlobDigest] = []
        for blob in try blobs.named(others: { if $0.hasPrefix(BlobFolder.unfinishedPrefix) { unfinished.append($0) } }) {
            guard blobs.exists(blob) else { continue }
            checker.summary.blobs += 1
            try checker.advance(1)
            if !checker.options.isQuick, let damage = try damage(of: blob) { damaged[blob] = damage }
            if !references.contains(blob) { unused.append(blob) }
        }
        for name in unfinished.sorted() {
            try checker.found(Finding(.note, .leftover, "a blob whose writing was interrupted", subject: name, repair: .automatic))
        }
        for blob in unused.sorted() {
            try checker.found(Finding(.note, .blob, "no document refers to it; compact removes it", subject: blob.description))
        }
        for (text, collection, document) in references.misnamed {
            let message = "it refers to a blob by what is no digest"
            try checker.found(Finding(.error, .blob, message, collection: collection, document: document, subject: text))
        }
        for reference in references {
            guard let message = problem(with: reference, damaged) else { continue }
            try checker.found(
                Finding(
                    .error, .blob, message, collection: references.collection(of: reference), document: references.document(of: reference),
                    subject: reference.blob.description))
        }
        for (blob, message) in damaged.sorted(by: { $0.key < $1.key }) where !references.contains(blob) {
            // As a loss of power leaves it, if what would have referred to it was not committed.
            try checker.found(Finding(.note, .blob, message, subject: blob.description))
        }
        for leftover in Leftover.all(of: blobs.bundle) {
            let message = "what an interrupted copy, upgrade or encryption left behind, unless it is still going on"
            try checker.found(Finding(.note, .leftover, message, subject: leftover.path, repair: .automatic))
        }
    }

    private func damage(of digest: BlobDigest) throws -> String? {
        do {
            try blobs.check(digest) { try checker.advance(0) }
            return nil
        } catch let error as StoreError where error.code == .corrupt {
            return error.message
        } catch let error as StoreError where error.code == .inputOutput || error.code == .notFound {
            try checker.found(Finding(.error, .blob, error.message, subject: digest.description))
            return nil
        }
    }

    private func problem(with reference: BlobReferenceList.Reference, _ damaged: [BlobDigest: String]) -> String? {
        guard let size = blobs.size(of: reference.blob) else {
            guard let status = blobs.status(of: reference.blob) else { return "its blob is missing" }
            return "its blob is \(status.kind.rawValue), not a file"
        }
        if let damage = damaged[reference.blob] { return damage }
        guard let length = reference.length, length != Int64(size) else { return nil }
        return "it says that its blob has \(length) bytes, but it has \(size)"
    }
}
