import CBLSystemZlib

/// The compressing half of one direction: a raw deflate stream that lives as long as the connection, flushed at the end of each frame.
final class Deflater {
    /// With which every flush ends. A sender leaves these bytes away, and a receiver puts them back.
    static let flushTail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
    /// The window of the vendor's peers, without a header; and their memory, so that we compress as well as they do: 384 KiB.
    private static let windowBits: Int32 = -15
    private static let memoryLevel: Int32 = 9
    /// For who has many connections: 96 KiB, and hardly more bytes, as what repeats itself in documents is near.
    private static let smallWindowBits: Int32 = -13
    private static let smallMemoryLevel: Int32 = 7

    // zlib keeps a pointer to it, so it must not move.
    private let stream: UnsafeMutablePointer<z_stream>

    init(level: Int32, isSmall: Bool = false) throws(BLIPError) {
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        let code = deflateInit2_(
            stream, level, Z_DEFLATED, isSmall ? Deflater.smallWindowBits : Deflater.windowBits,
            isSmall ? Deflater.smallMemoryLevel : Deflater.memoryLevel, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size))
        guard code == Z_OK else { throw .compressorFailed(code: code) }
    }

    deinit {
        deflateEnd(stream)
        stream.deallocate()
    }

    /// How many bytes are sure to fit into so much room, whatever they are: a literal takes at most nine bits, and blocks have headers.
    static func inputLimit(room: Int) -> Int { (room - 64) / 8 * 7 }

    /// Compresses a frame's payload, and gives the length of the result without the flush's tail. The tail is written as well: room for it is needed.
    func deflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws(BLIPError) -> Int {
        stream.pointee.next_in = input.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(input.count)
        stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = UInt32(output.count)
        let code = CBLSystemZlib.deflate(stream, Z_SYNC_FLUSH)
        // Without room to spare, the flush may not be finished.
        guard code == Z_OK, stream.pointee.avail_in == 0, stream.pointee.avail_out > 0 else { throw .compressorFailed(code: code) }
        return output.count - Int(stream.pointee.avail_out) - Deflater.flushTail.count
    }
}
