import CBLBase
import CBLSQLite
import Synchronization

/// Pages as Couchbase Lite 2.0 and later encrypt them: with a stream that begins with the number of the page and twelve random bytes, which are new
/// each time the page is written and stand in clear at its end. Nothing proves that a page is what was written.
///
/// Of the first page eight bytes stay as they are: SQLite's description of the file. `docs/file-format.md` has it all.
final class CouchbaseCipher: WritablePageCipher {
    static let usualPageSize = 4096
    static let reservedSize = 12
    /// Page size, versions, reserved bytes, fractions.
    static let clear = 16..<24

    let pageSize: Int
    var reservedSize: Int { CouchbaseCipher.reservedSize }
    let strength: EncryptionKey.Cipher
    private let aes: AES
    private let random = Mutex(RandomBytes())
    private let recent: RecentPages

    init?(_ key: EncryptionKey, pageSize: Int = CouchbaseCipher.usualPageSize) {
        guard pageSize >= 512, let aes = key.withBytes({ AES(key: $0) }) else { return nil }
        self.aes = aes
        self.pageSize = pageSize
        recent = RecentPages(pageSize: pageSize)
        strength = key.cipher
    }

    static func name(_ strength: EncryptionKey.Cipher) -> String { strength == .aes256 ? "AES-256" : "AES-128" }

    func decrypt(_ page: UnsafeMutableRawBufferPointer, number: UInt32) -> Bool {
        guard page.count == pageSize, let start = page.baseAddress else { return false }
        if !recent.decrypt(start, number: number) {
            recent.keeping(start, number: number) {
                withUnsafePointer(to: number) { apply(start, stride: pageSize, UnsafeBufferPointer(start: $0, count: 1)) }
            }
        }
        return number != 1 || page.starts(with: DatabaseHeader.magic)
    }

    func decryptHead(_ page: UnsafeMutableRawBufferPointer, number: UInt32) -> Bool {
        guard page.count == pageSize, number != 1, let start = page.baseAddress else { return false }
        let first = firstBlock(number, start + (pageSize - CouchbaseCipher.reservedSize))
        aes.applyChainedStream(UnsafeMutableRawBufferPointer(start: start, count: AES.blockSize), from: first)
        return true
    }

    func decrypt(_ pages: UnsafeMutableRawBufferPointer, numbers: UnsafeBufferPointer<UInt32>) -> Bool {
        guard pages.count == numbers.count * pageSize else { return false }
        guard let start = pages.baseAddress else { return true }
        if numbers.count == 1 { return pages[...].allZero || decrypt(pages, number: numbers[0]) }
        // What was never written is a hole in the file.
        let holes = numbers.indices.filter { pages[$0 * pageSize..<($0 + 1) * pageSize].allZero }
        apply(start, stride: pageSize, numbers)
        for hole in holes { (start + hole * pageSize).initializeMemory(as: UInt8.self, repeating: 0, count: pageSize) }
        return numbers.indices.allSatisfy { place in
            numbers[place] != 1 || holes.contains(place) || pages[(place * pageSize)...].starts(with: DatabaseHeader.magic)
        }
    }

    func encrypt(_ start: UnsafeMutableRawPointer, stride: Int, numbers: UnsafeBufferPointer<UInt32>) {
        let nonceStart = pageSize - CouchbaseCipher.reservedSize
        random.withLock { random in
            for index in numbers.indices {
                random.fill(UnsafeMutableRawBufferPointer(start: start + index * stride + nonceStart, count: CouchbaseCipher.reservedSize))
            }
        }
        recent.keeping(start, stride: stride, numbers: numbers) { apply(start, stride: stride, numbers) }
    }

    private func firstBlock(_ number: UInt32, _ nonce: UnsafeMutableRawPointer) -> AES.Block {
        let words = SIMD4<UInt32>(
            number.littleEndian, nonce.loadUnaligned(as: UInt32.self), nonce.loadUnaligned(fromByteOffset: 4, as: UInt32.self),
            nonce.loadUnaligned(fromByteOffset: 8, as: UInt32.self))
        return unsafeBitCast(words, to: AES.Block.self)
    }

    /// Adds the stream of each page, for the random bytes at its end.
    private func apply(_ start: UnsafeMutableRawPointer, stride: Int, _ numbers: UnsafeBufferPointer<UInt32>) {
        let nonceStart = pageSize - CouchbaseCipher.reservedSize
        withUnsafeTemporaryAllocation(of: AES.Block.self, capacity: AES.mostStreams) { blocks in
            var done = 0
            while done < numbers.count {
                let count = min(AES.mostStreams, numbers.count - done)
                let group = start + done * stride
                for index in 0..<count {
                    blocks.initializeElement(at: index, to: firstBlock(numbers[done + index], group + index * stride + nonceStart))
                }
                var clear: [(place: Int, bytes: UInt64)] = []
                for index in 0..<count where numbers[done + index] == 1 {
                    let place = index * stride + CouchbaseCipher.clear.lowerBound
                    clear.append((place, group.loadUnaligned(fromByteOffset: place, as: UInt64.self)))
                }
                aes.applyChainedStreams(
                    group, stride: stride, count: nonceStart, from: UnsafeMutableBufferPointer(rebasing: blocks[..<count]))
                for (place, bytes) in clear { group.storeBytes(of: bytes, toByteOffset: place, as: UInt64.self) }
                done += count
            }
        }
    }
}

/// Which of some keys a file has.
extension CouchbaseCipher {
    typealias ReadBytes = (_ count: Int, _ offset: Int) -> [UInt8]?

    private static let pagesToLookAt = 2...9
    private static let plausiblePagesNeeded = 2

    /// The cipher of a file, of which `read` gives bytes as they are, and the key of those that are possible. Nil if none of them is the key.
    static func fitting(
        _ key: EncryptionKey, pageSize: Int = usualPageSize, _ read: ReadBytes
    ) -> (cipher: CouchbaseCipher, key: EncryptionKey)? {
        for key in key.candidatesOfAllLengths {
            guard let cipher = CouchbaseCipher(key, pageSize: pageSize) else { continue }
            if cipher.fits(read) { return (cipher, key) }
        }
        return nil
    }

    /// The first page tells, unless it is damaged: then other pages that look like ones of a database do.
    private func fits(_ read: ReadBytes) -> Bool {
        guard var first = read(pageSize, 0) else { return false }
        if first.withUnsafeMutableBytes({ decrypt($0, number: 1) }) || first[DatabaseHeader.alwaysZero].allSatisfy({ $0 == 0 }) {
            return true
        }
        var plausible = 0
        for number in CouchbaseCipher.pagesToLookAt {
            guard var page = read(pageSize, (number - 1) * pageSize) else { break }
            if page.withUnsafeMutableBytes({ decrypt($0, number: UInt32(number)) }), isPlausible(page) { plausible += 1 }
            if plausible == CouchbaseCipher.plausiblePagesNeeded { return true }
        }
        return false
    }

    /// Whether bytes look like a page of the database that was encrypted, and is here as a whole: what is encrypted has no zeros one after another, and
    /// a part of a page is made sense of only with its end.
    func isPage(_ page: [UInt8], number: UInt32) -> Bool {
        let piece = 256
        guard stride(from: 0, to: page.count, by: piece).allSatisfy({ page[$0..<min($0 + piece, page.count)].contains { $0 != 0 } }) else {
            return false
        }
        var page = page
        let fits = page.withUnsafeMutableBytes { decrypt($0, number: number) }
        return number == 1 ? fits : isPlausible(page)
    }

    /// Whether it begins as a page of a tree does: one of four kinds, and cells that have room.
    private func isPlausible(_ page: [UInt8]) -> Bool {
        guard [2, 5, 10, 13].contains(page[0]) else { return false }
        let cells = Int(page[3]) << 8 | Int(page[4])
        let start = Int(page[5]) << 8 | Int(page[6])
        let headerSize = page[0] < 10 ? 12 : 8
        return page[7] <= 60 && headerSize + 2 * cells <= start && start <= pageSize - reservedSize
    }
}

extension Slice<UnsafeMutableRawBufferPointer> {
    fileprivate var allZero: Bool { UnsafeRawBufferPointer(rebasing: self).allSatisfy { $0 == 0 } }
}
