import Glibc

extension UnsafeRawBufferPointer {
    /// Whether these bytes hold a text somewhere.
    package func contains(_ text: StaticString) -> Bool {
        let length = text.utf8CodeUnitCount
        guard var position = baseAddress, length > 0 else { return false }
        let end = position + count
        while end - position >= length, let found = memchr(position, Int32(text.utf8Start.pointee), end - position) {
            position = UnsafeRawPointer(found)
            if end - position >= length, memcmp(position, text.utf8Start, length) == 0 { return true }
            position += 1
        }
        return false
    }
}
