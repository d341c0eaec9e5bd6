/// A file in memory that counts how often it is written.
final class WrittenFile {
    var bytes: [UInt8] = []
    var writes = 0
    var code: Int32 = 0

    func write(_ source: UnsafeRawPointer, _ count: Int, _ offset: Int64) -> Int32 {
        writes += 1
        guard code == 0 else { return code }
        let end = Int(offset) + count
        if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
        bytes.replaceSubrange(Int(offset)..<end, with: UnsafeRawBufferPointer(start: source, count: count))
        return 0
    }
}
