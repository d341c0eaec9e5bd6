import CBLSystemZlib

/// Compresses piece by piece.
///
///     let compressor = try Compressor(.gzip)
///     try compressor.encode(piece) { send($0) }
///     try compressor.encode(last, .finish) { send($0) }
package final class Compressor {
    package enum Failure: Error, Hashable {
        case outOfMemory
    }

    package enum Flush: Sendable {
        /// It comes out when there is enough of it.
        case none
        /// All that was given can be decompressed from what has come out.
        case pieces
        /// It is complete.
        case finish

        fileprivate var code: Int32 {
            switch self {
            case .none: Z_NO_FLUSH
            case .pieces: Z_SYNC_FLUSH
            case .finish: Z_FINISH
            }
        }
    }

    // zlib keeps a pointer to it, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)

    /// Levels go from 1, which is quick, to 9.
    package init(_ format: CompressedFormat, level: Int32 = Z_DEFAULT_COMPRESSION) throws(Failure) {
        stream.initialize(to: z_stream())
        let code = deflateInit2_(
            stream, level, Z_DEFLATED, format.windowBits, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw .outOfMemory }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// Takes all of a piece, and gives what has come of it so far in pieces that are not large. After `finish` nothing more may come.
    package func encode(
        _ piece: UnsafeRawBufferPointer, _ flush: Flush = .none, _ receive: (UnsafeRawBufferPointer) throws -> Void
    ) rethrows {
        try withUnsafeTemporaryAllocation(byteCount: 1 << 15, alignment: 16) { output in
            var rest = piece
            repeat {
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(1 << 24))
                rest = UnsafeRawBufferPointer(rebasing: rest[part.count...])
                stream.pointee.next_in = part.baseAddress?.assumingMemoryBound(to: UInt8.self)
                stream.pointee.avail_in = UInt32(part.count)
                repeat {
                    stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
                    stream.pointee.avail_out = UInt32(output.count)
                    // It cannot fail: it was opened, and it has room.
                    _ = deflate(stream, rest.isEmpty ? flush.code : Z_NO_FLUSH)
                    let made = output.count - Int(stream.pointee.avail_out)
                    if made > 0 { try receive(UnsafeRawBufferPointer(rebasing: output[..<made])) }
                } while stream.pointee.avail_out == 0
            } while !rest.isEmpty
        }
    }
}
