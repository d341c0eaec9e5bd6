/// The files of blobs against the references that the documents' check collected, and what interrupted work left behind.
struct BlobCheck {
    private let checker: Checker
    private var blobs: BlobFolder { checker.snapshot.database.blobs }

    init(_ checker: Checker) { self.checker = checker }

    func run() throws {
        var damaged: [String: String] = [:]
        var unfinished: [String] = []
        var unused: [String] = []
        // Where the folder is no folder, the check of the bundle tells.
        for name in try blobs.readableFolder()?.names() ?? [] {
            if name.hasPrefix(BlobFolder.unfinishedPrefix) { unfinished.append(name) }
            guard let digest = blobs.digest(ofFileNamed: name), blobs.exists(digest) else { continue }
            checker.summary.blobs += 1
            try checker.advance(1)
            if !checker.options.isQuick { damaged[digest.description] = try damage(of: digest) }
            if checker.blobReferences[digest.description] == nil { unused.append(digest.description) }
        }
        for name in unfinished.sorted() {
            try checker.found(Finding(.note, .leftover, "a blob whose writing was interrupted", subject: name, repair: .automatic))
        }
        for digest in unused.sorted() {
            try checker.found(Finding(.note, .blob, "no document refers to it; compact removes it", subject: digest))
        }
        for (text, references) in checker.blobReferences.sorted(by: { $0.key < $1.key }) {
            for reference in references { try check(text, reference, damaged) }
        }
        for (digest, message) in damaged.sorted(by: { $0.key < $1.key }) where checker.blobReferences[digest] == nil {
            // As a loss of power leaves it, if what would have referred to it was not committed.
            try checker.found(Finding(.note, .blob, message, subject: digest))
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

    private func check(_ text: String, _ reference: Checker.BlobReference, _ damaged: [String: String]) throws {
        let message: String
        if let digest = BlobDigest(text) {
            if let size = blobs.size(of: digest) {
                if let damage = damaged[text] {
                    message = damage
                } else if let length = reference.length, length != Int64(size) {
                    message = "it says that its blob has \(length) bytes, but it has \(size)"
                } else {
                    return
                }
            } else if let status = blobs.status(of: digest) {
                message = "its blob is \(status.kind.rawValue), not a file"
            } else {
                message = "its blob is missing"
            }
        } else {
            message = "it refers to a blob by what is no digest"
        }
        try checker.found(
            Finding(.error, .blob, message, collection: reference.collection, document: reference.document, subject: text))
    }
}
