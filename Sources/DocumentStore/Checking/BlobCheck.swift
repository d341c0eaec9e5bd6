import Glibc

/// The files of blobs against the references that the documents' check collected, and what interrupted work left behind.
struct BlobCheck {
    private let checker: Checker
    private var store: BlobStore { checker.snapshot.database.blobs }

    init(_ checker: Checker) { self.checker = checker }

    func run() throws {
        let names = try store.fileNames()
        var damaged: Set<String> = []
        for name in names.sorted() {
            if name.hasPrefix("incoming_") {
                try checker.found(Finding(.note, .leftover, "a blob whose writing was interrupted", subject: name, repair: .automatic))
            }
            guard let digest = BlobDigest(fileName: name) else { continue }
            checker.summary.blobs += 1
            try checker.advance(1)
            if !checker.options.isQuick, try isDamaged(digest) { damaged.insert(digest.description) }
            if checker.blobReferences[digest.description] == nil {
                try checker.found(Finding(.note, .blob, "no document refers to it; compact removes it", subject: digest.description))
            }
        }
        for (text, references) in checker.blobReferences.sorted(by: { $0.key < $1.key }) {
            for reference in references { try check(text, reference, damaged) }
        }
        for digest in damaged.sorted() where checker.blobReferences[digest] == nil {
            try checker.found(Finding(.warning, .blob, "its content has another digest", subject: digest))
        }
        let bundle = checker.snapshot.database.bundle
        for path in [bundle.path + "_TEMP", bundle.path + "/Attachments_temp"] where FileStatus(path) != nil {
            let message = "what an interrupted copy, upgrade or encryption left behind, unless it is still going on"
            try checker.found(Finding(.note, .leftover, message, subject: path, repair: .automatic))
        }
    }

    private func isDamaged(_ digest: BlobDigest) throws -> Bool {
        do {
            try store.read(digest) { _ in try checker.advance(0) }
            return false
        } catch let error as StoreError where error.code == .corrupt {
            return true
        } catch let error as StoreError where error.code == .inputOutput || error.code == .notFound {
            try checker.found(Finding(.error, .blob, error.message, subject: digest.description))
            return false
        }
    }

    private func check(_ text: String, _ reference: Checker.BlobReference, _ damaged: Set<String>) throws {
        let message: String
        if let digest = BlobDigest(text) {
            if let size = store.size(of: digest) {
                if damaged.contains(text) {
                    message = "its blob is damaged: the content has another digest"
                } else if let length = reference.length, length != Int64(size) {
                    message = "it says that its blob has \(length) bytes, but it has \(size)"
                } else {
                    return
                }
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
