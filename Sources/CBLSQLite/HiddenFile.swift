import CBLBase
import CBLSystemSQLite
import Synchronization

/// A temporary file that nobody can read: what SQLite sorts, copies and may undo of an encrypted database. Its key is the process's, and is gone
/// with it.
struct HiddenFile {
    typealias Read = EncryptedPages.Read
    typealias Write = EncryptedPages.Write

    private static let piece = 1 << 16
    private static let count = Atomic<UInt64>(0)

    /// Whether the process has opened something that is encrypted.
    private static let isNeededFlag = Atomic<Bool>(false)
    static var isNeeded: Bool { isNeededFlag.load(ordering: .relaxed) }
    static func need() { isNeededFlag.store(true, ordering: .relaxed) }

    private static let cipher: AES? = {
        let key = SecretBytes(count: 32) { RandomBytes.ask($0) }
        return key.withBytes { AES(key: $0) }
    }()

    private let name = HiddenFile.count.wrappingAdd(1, ordering: .relaxed).newValue

    func write(_ bytes: UnsafeRawPointer, _ amount: Int, _ offset: Int64, _ write: Write) -> Int32 {
        guard let cipher = HiddenFile.cipher else { return EncryptedPages.badWrite }
        return withUnsafeTemporaryAllocation(byteCount: min(amount, HiddenFile.piece), alignment: 16) { copy in
            guard let start = copy.baseAddress else { return SQLITE_NOMEM }
            for done in stride(from: 0, to: amount, by: HiddenFile.piece) {
                let part = UnsafeMutableRawBufferPointer(start: start, count: min(HiddenFile.piece, amount - done))
                part.copyMemory(from: UnsafeRawBufferPointer(start: bytes + done, count: part.count))
                cipher.applyCountedStream(part, at: Int(offset) + done, of: name)
                let code = write(start, part.count, offset + Int64(done))
                guard code == SQLITE_OK else { return code }
            }
            return SQLITE_OK
        }
    }

    /// `size` tells how much there is: behind it are zeros.
    func read(_ target: UnsafeMutableRawPointer, _ amount: Int, _ offset: Int64, _ read: Read, size: () -> Int64?) -> Int32 {
        guard let cipher = HiddenFile.cipher else { return SQLITE_IOERR }
        let code = read(target, amount, offset)
        guard code == SQLITE_OK || code == EncryptedPages.shortRead else { return code }
        let count = code == SQLITE_OK ? amount : Int(min(Int64(amount), max(0, (size() ?? 0) - offset)))
        cipher.applyCountedStream(UnsafeMutableRawBufferPointer(start: target, count: count), at: Int(offset), of: name)
        return code
    }
}
