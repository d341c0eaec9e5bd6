import Foundation

// Blobs are values of documents and rows. Other coders have no place for their content.
extension Blob: Codable {
    public convenience init(from decoder: any Decoder) throws {
        throw libraryError(CBLError.decodingError, "A blob is decoded from documents and rows of results alone.")
    }

    public func encode(to encoder: any Encoder) throws {
        throw libraryError(CBLError.encodingError, "A blob is encoded into documents alone.")
    }
}
