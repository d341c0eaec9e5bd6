import CBLFleece
import CBLStore

/// Documents from outside, one after another. The body of each goes straight into an encoder.
package protocol DocumentSource: AnyObject {
    /// For messages: the file that is being read.
    var name: String { get }
    /// For messages: where the document that was read last begins, as `people.json, line 3`.
    var place: String { get }
    /// How much of `size` has been read.
    var position: Int { get }
    var size: Int? { get }

    /// Reads the next document: its body into the encoder, its ID, if it has one, into `id`, which is empty before. False at the end.
    /// Throws `MalformedDocument` for one that cannot be read, behind which the next one can.
    func next(into encoder: FleeceEncoder, id: inout ByteBuffer) throws -> Bool
}

/// A document that cannot be read, though those behind it can.
package struct MalformedDocument: Error {
    /// What is wrong, and where: `people.json, line 3: expected ':'`.
    package let message: String
}
