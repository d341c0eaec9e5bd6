import CBLFleece
import CBLStore
import CBLTransport

/// A document and the contents of its attachments on their way to a server, in one body of several parts.
struct AttachmentUpload {
    private enum Piece {
        case bytes([UInt8])
        case blob(BlobReader, length: Int)

        var length: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .blob(_, let length): length
            }
        }
    }

    let contentType: String
    private let pieces: [Piece]

    /// Blobs that are missing or damaged are an error, before anything is sent.
    init(_ document: [UInt8], _ attachments: [FollowingAttachments.Part], _ blobs: BlobFolder) throws {
        let writer = MultipartWriter("related")
        contentType = writer.contentType
        let head: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": "\(document.count)"]
        var pieces: [Piece] = [.bytes(writer.opening(head) + document)]
        for part in attachments {
            pieces.append(.bytes(writer.opening(part.headers)))
            pieces.append(.blob(try UncheckedBlob(blobs, part.digest).check(), length: part.length))
        }
        self.pieces = pieces + [.bytes(writer.ending)]
    }

    /// What gives the body piece by piece.
    var product: HTTPProduct {
        var index = 0
        var position = 0
        return HTTPProduct(length: pieces.reduce(0) { $0 + $1.length }, restart: { (index, position) = (0, 0) }) { space in
            while index < pieces.count, position == pieces[index].length { (index, position) = (index + 1, 0) }
            guard index < pieces.count else { return 0 }
            let count: Int
            switch pieces[index] {
            case .bytes(let bytes):
                count = min(space.count, bytes.count - position)
                bytes.withUnsafeBytes { space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[position..<position + count])) }
            case .blob(let reader, let length):
                let part = UnsafeMutableRawBufferPointer(rebasing: space.prefix(length - position))
                count = try reader.read(at: position, into: part)
                guard count > 0 else { throw StoreError(.corrupt, "a blob became shorter while it was sent") }
            }
            position += count
            return count
        }
    }
}
