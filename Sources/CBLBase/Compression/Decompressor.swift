import CBLSystemZlib

/// Takes the wrapping off what was compressed, piece by piece.
///
///     let decompressor = try Decompressor(.gzip, mostBytes: length)
///     for piece in pieces { try decompressor.decode(piece) { output.append($0) } }
///     try decompressor.finish()
package final class Decompressor {
    package enum Failure: Error, Hashable {
        /// It is not of that format, or its checksum is wrong, or something follows it.
        case damaged
        case cutOff
        /// It comes to more than was expected.
        case tooLong
        case outOfMemory
    }

    /// A few bytes may become very many. What repeats itself a lot, and is meant, comes to a hundred times as much.
    package static let usualRatio = 250
    // So much is nobody's bomb.
    private static let harmless = 1 << 20

    // zlib keeps a pointer to it, so it must not move.
    private let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
    // Nil until the first byte says which.
    private var format: CompressedFormat?
    private var isOpen = false
    private let mostBytes: Int
    private let mostRatio: Int
    private var consumed = 0
    private var produced = 0
    private var isAtEnd = false

    /// What it comes to may have so many bytes, and so many times as many as it has itself. Without a format it is zlib's, or has no wrapping:
    /// both are called "deflate".
    package init(_ format: CompressedFormat?, mostBytes: Int, mostRatio: Int = .max) throws(Failure) {
        self.format = format
        self.mostBytes = mostBytes
        self.mostRatio = mostRatio
        stream.initialize(to: z_stream())
        if let format { try open(format) }
    }

    deinit {
        if isOpen { inflateEnd(stream) }
        stream.deallocate()
    }

    private func open(_ format: CompressedFormat) throws(Failure) {
        guard inflateInit2_(stream, format.windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
            throw .outOfMemory
        }
        isOpen = true
    }

    /// Takes what it can of the input, and puts what comes of it into the output, which must have room. If the output is full then, there may be
    /// more to come without any input.
    package func decode(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) throws(Failure) -> CompressionProgress
    {
        if format == nil, let first = input.first {
            let found = CompressedFormat.deflate(beginningWith: first)
            format = found
            try open(found)
        }
        var progress = CompressionProgress()
        var hasMoved = isOpen
        while hasMoved {
            let before = progress
            try step(
                UnsafeRawBufferPointer(rebasing: input[progress.consumed...]),
                into: UnsafeMutableRawBufferPointer(rebasing: output[progress.produced...]), &progress)
            hasMoved = progress != before && progress.consumed < input.count && progress.produced < output.count
        }
        return progress
    }

    // One call of zlib.
    private func step(
        _ input: UnsafeRawBufferPointer, into room: UnsafeMutableRawBufferPointer, _ progress: inout CompressionProgress
    ) throws(Failure) {
        if isAtEnd {
            guard let next = input.first else { return }
            // Several of them in a row are one. Of other things there is one.
            guard format == .gzip, next == 0x1F, inflateReset(stream) == Z_OK else { throw .damaged }
            isAtEnd = false
        }
        let part = UnsafeRawBufferPointer(rebasing: input.prefix(1 << 24))
        let capacity = UInt32(clamping: room.count)
        stream.pointee.next_in = part.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_in = UInt32(part.count)
        stream.pointee.next_out = room.baseAddress?.assumingMemoryBound(to: UInt8.self)
        stream.pointee.avail_out = capacity
        let code = inflate(stream, Z_NO_FLUSH)
        guard code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR else {
            throw code == Z_MEM_ERROR ? Failure.outOfMemory : Failure.damaged
        }
        isAtEnd = code == Z_STREAM_END
        let taken = part.count - Int(stream.pointee.avail_in)
        let made = Int(capacity - stream.pointee.avail_out)
        progress.consumed += taken
        progress.produced += made
        try count(taken, made)
    }

    private func count(_ taken: Int, _ made: Int) throws(Failure) {
        consumed += taken
        produced += made
        guard produced <= mostBytes else { throw .tooLong }
        if produced > Decompressor.harmless, produced / max(consumed, 1) >= mostRatio { throw .tooLong }
    }

    /// Takes all of a piece, and gives what comes of it in pieces that are not large.
    package func decode(_ piece: UnsafeRawBufferPointer, _ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { output in
            var rest = piece
            var progress: CompressionProgress
            repeat {
                progress = try decode(rest, into: output)
                rest = UnsafeRawBufferPointer(rebasing: rest[progress.consumed...])
                if progress.produced > 0 { try receive(UnsafeRawBufferPointer(rebasing: output[..<progress.produced])) }
            } while progress.produced == output.count || !rest.isEmpty
        }
    }

    /// Whether what came so far is complete.
    package var isComplete: Bool { isAtEnd }

    package func finish() throws(Failure) {
        if !isAtEnd { throw .cutOff }
    }
}
