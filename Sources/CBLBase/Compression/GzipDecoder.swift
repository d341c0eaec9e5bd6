import CBLSystemZlib

/// Takes the wrapping off what was compressed with gzip, piece by piece.
///
///     let decoder = try GzipDecoder(mostBytes: length)
///     for piece in pieces { try decoder.decode(piece) { output.append($0) } }
///     try decoder.finish()
package final class GzipDecoder {
    package enum Failure: Error, Hashable {
        /// It is no gzip, or its checksum is wrong, or something follows it.
        case damaged
        case cutOff
        /// It comes to more than was expected.
        case tooLong
        case outOfMemory
    }

    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    private let output = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
    private let mostBytes: Int
    private var count = 0
    private var isAtEnd = false
    // The largest window, and the header and checksum of gzip.
    private static let windowBits: Int32 = 15 + 16

    /// What it comes to may have so many bytes.
    package init(mostBytes: Int) throws(Failure) {
        self.mostBytes = mostBytes
        stream.initialize(to: z_stream())
        guard inflateInit2_(stream, GzipDecoder.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .outOfMemory
        }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    package func decode(_ piece: UnsafeRawBufferPointer, _ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        var rest = piece
        while !rest.isEmpty {
            guard !isAtEnd else { throw Failure.damaged }
            let part = rest.prefix(1 << 24)
            stream.pointee.next_in = rest.baseAddress?.assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_in = UInt32(part.count)
            repeat {
                stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_out = UInt32(output.count)
                let code = inflate(stream, Z_NO_FLUSH)
                guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
                    throw code == Z_MEM_ERROR ? Failure.outOfMemory : Failure.damaged
                }
                let made = output.count - Int(stream.pointee.avail_out)
                count += made
                guard count <= mostBytes else { throw Failure.tooLong }
                if made > 0 { try receive(UnsafeRawBufferPointer(rebasing: output[..<made])) }
                isAtEnd = code == Z_STREAM_END
            } while !isAtEnd && stream.pointee.avail_out == 0
            rest = UnsafeRawBufferPointer(rebasing: rest[(part.count - Int(stream.pointee.avail_in))...])
        }
    }

    package func finish() throws(Failure) {
        if !isAtEnd { throw .cutOff }
    }
}
