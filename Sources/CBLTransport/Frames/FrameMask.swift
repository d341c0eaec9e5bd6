/// The mask of a client's frames: each byte of the payload is combined with one of the key's four, in turn.
///
/// Hot: everything that is sent or received on one side passes through here, eight bytes at a time.
enum FrameMask {
    /// Masks, or unmasks, in place. The key's bytes stand in memory as they do in the frame.
    static func apply(_ key: UInt32, to bytes: UnsafeMutableRawBufferPointer) {
        guard let base = bytes.baseAddress else { return }
        copy(UnsafeRawBufferPointer(bytes), to: base, key)
    }

    /// Writes the masked bytes to a place that has room for as many, which may be their own.
    static func copy(_ bytes: UnsafeRawBufferPointer, to output: UnsafeMutableRawPointer, _ key: UInt32) {
        guard let base = bytes.baseAddress else { return }
        let count = bytes.count
        let wide = UInt64(key) << 32 | UInt64(key)
        var index = 0
        while index &+ 8 <= count {
            let word = base.loadUnaligned(fromByteOffset: index, as: UInt64.self)
            output.storeBytes(of: word ^ wide, toByteOffset: index, as: UInt64.self)
            index &+= 8
        }
        withUnsafeBytes(of: key) { key in
            while index < count {
                let byte = base.load(fromByteOffset: index, as: UInt8.self)
                output.storeBytes(of: byte ^ key[index & 3], toByteOffset: index, as: UInt8.self)
                index &+= 1
            }
        }
    }
}
