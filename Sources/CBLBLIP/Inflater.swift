import CBLSystemZlib

/// The decompressing half of one direction. Its output lies in memory that is kept from frame to frame, unless it became large.
final class Inflater {
    enum Failure: Error {
        case damaged
        case tooLarge
    }

    private static let windowBits: Int32 = -15
    private static let usualCapacity = 16 << 10

    private let stream: UnsafeMutablePointer<z_stream>
    private var output: UnsafeMutableRawPointer
    private var capacity = Inflater.usualCapacity
    private var produced = 0

    /// How much memory the output has.
    var footprint: Int { capacity }

    init() throws(Failure) {
        output = .allocate(byteCount: Inflater.usualCapacity, alignment: 16)
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        guard inflateInit2_(stream, Inflater.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else { throw .damaged }
    }

    deinit {
        inflateEnd(stream)
        stream.deallocate()
        output.deallocate()
    }

    /// Decompresses a frame's data. The result is valid until the next call, or until it is given back.
    func inflate(_ data: UnsafeRawBufferPointer, limit: Int) throws(Failure) -> UnsafeRawBufferPointer {
        produced = 0
        try consume(data, limit)
        var tail: (UInt8, UInt8, UInt8, UInt8) = (0x00, 0x00, 0xFF, 0xFF)
        try withUnsafeBytes(of: &tail) { tail throws(Failure) in try consume(tail, limit) }
        return UnsafeRawBufferPointer(start: output, count: produced)
    }

    /// The result of the last call was made use of. What was only needed for a large one is not kept: the next may be long in coming.
    func giveBack() {
        produced = 0
        if capacity > Inflater.usualCapacity { reallocate(Inflater.usualCapacity) }
    }

    private func consume(_ data: UnsafeRawBufferPointer, _ limit: Int) throws(Failure) {
        stream.pointee.next_in = data.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(data.count)
        repeat {
            // zlib may hold back output while it has no room: only room that is left over says that this was all.
            if produced == capacity {
                guard capacity <= limit else { throw .tooLarge }
                reallocate(min(capacity * 2, limit + 1))
            }
            stream.pointee.next_out = (output + produced).assumingMemoryBound(to: UInt8.self)
            stream.pointee.avail_out = UInt32(capacity - produced)
            let code = CBLSystemZlib.inflate(stream, Z_SYNC_FLUSH)
            produced = capacity - Int(stream.pointee.avail_out)
            guard produced <= limit else { throw .tooLarge }
            // The stream never ends, and a buffer error only says that nothing was left to do.
            guard code == Z_OK || code == Z_BUF_ERROR else { throw .damaged }
        } while stream.pointee.avail_out == 0
        guard stream.pointee.avail_in == 0 else { throw .damaged }
    }

    private func reallocate(_ newCapacity: Int) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: newCapacity, alignment: 16)
        memory.copyMemory(from: output, byteCount: min(produced, newCapacity))
        output.deallocate()
        output = memory
        capacity = newCapacity
    }
}
