import CBLBase
import CBLTransport

/// An answer that goes to its client in gzip, because that is worth while and the client has said that it takes it.
final class PackedAnswer {
    /// Of what is shorter, little is saved.
    private static let shortest = 1024
    /// The quickest: who answers many has more of the network than of time.
    private static let level: Int32 = 1

    private let compressor: Compressor

    /// Nil for an answer that stays as it is. Says in the headers what is done.
    init?(_ call: RESTCall, of length: Int, _ headers: inout HTTPHeaders) throws(Compressor.Failure) {
        guard length >= PackedAnswer.shortest, !call.isHead else { return nil }
        headers.add("Vary", "Accept-Encoding")
        guard ContentCoding.preferred(call.request.headers, of: [.gzip]) == .gzip else { return nil }
        compressor = try Compressor(.gzip, level: PackedAnswer.level)
        headers.add("Content-Encoding", "gzip")
    }

    /// Packs a piece, and sends what has come of it so far.
    func add(_ piece: UnsafeRawBufferPointer, to call: RESTCall) throws(HTTPInterruption) {
        do { try compressor.encode(piece) { try call.write($0) } } catch { throw error as? HTTPInterruption ?? .gone }
    }

    func end(_ call: RESTCall) throws(HTTPInterruption) {
        let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
        do { try compressor.encode(nothing, .finish) { try call.write($0) } } catch { throw error as? HTTPInterruption ?? .gone }
    }

    /// Packs all there is.
    func finish(_ whole: UnsafeRawBufferPointer, _ receive: (UnsafeRawBufferPointer) -> Void) {
        compressor.encode(whole, .finish, receive)
    }
}
