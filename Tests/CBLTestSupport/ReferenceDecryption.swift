import CBLSystemNettle
import FoundationEssentials

/// Encrypted databases as the description of the format has them, read by code that has nothing in common with the program's: block by block, with
/// the whole file in memory.
package struct ReferenceDecryption {
    package struct Refused: Error, Sendable {
        package let message: String
    }

    private var encryption = aes256_ctx()
    private var decryption = aes256_ctx()

    package init(key: [UInt8]) {
        nettle_aes256_set_encrypt_key(&encryption, key)
        nettle_aes256_set_decrypt_key(&decryption, key)
    }

    private func encrypted(_ block: [UInt8]) -> [UInt8] {
        var (context, result) = (encryption, [UInt8](repeating: 0, count: 16))
        nettle_aes256_encrypt(&context, 16, &result, block)
        return result
    }

    private func decrypted(_ block: [UInt8]) -> [UInt8] {
        var (context, result) = (decryption, [UInt8](repeating: 0, count: 16))
        nettle_aes256_decrypt(&context, 16, &result, block)
        return result
    }

    package func page(_ page: [UInt8], number: Int) -> [UInt8] {
        let end = page.count - 12
        var result = page
        var block = (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) } + page[end...]
        for place in 0..<end {
            if place % 16 == 0 { block = encrypted(block) }
            if number != 1 || !(16..<24).contains(place) { result[place] ^= block[place % 16] }
        }
        return result
    }

    /// A main file whose pages leave twelve bytes, encrypted.
    package func sealed(_ file: [UInt8]) -> [UInt8] {
        let pageSize = Int(file[16]) << 8 | Int(file[17])
        return stride(from: 0, to: file.count, by: pageSize).flatMap { start in
            // The same bytes for each page: only its number tells them apart.
            let clear = Array(file[start..<start + pageSize - 12]) + (1...12)
            return page(clear, number: start / pageSize + 1)
        }
    }

    /// The main file in clear, with what a log beside it has committed.
    package func database(_ bundle: String) throws -> [UInt8] {
        let main = try Array(Data(contentsOf: URL(filePath: bundle + "/db.sqlite3")))
        let pageSize = Int(main[16]) << 8 | Int(main[17])
        var pages: [Int: [UInt8]] = [:]
        for start in stride(from: 0, to: main.count - pageSize + 1, by: pageSize) {
            let number = start / pageSize + 1
            pages[number] = page(Array(main[start..<start + pageSize]), number: number)
        }
        var count = pages.count
        if let log = try? Array(Data(contentsOf: URL(filePath: bundle + "/db.sqlite3-wal"))), log.count > 32 {
            var pending: [Int: [UInt8]] = [:]
            for (number, size, content) in frames(of: log, pageSize) {
                pending[number] = page(content, number: number)
                guard size > 0 else { continue }
                pages.merge(pending) { $1 }
                (pending, count) = ([:], size)
            }
        }
        guard pages[1]?.starts(with: Array("SQLite format 3\0".utf8)) == true else { throw Refused(message: "the key does not fit") }
        let clear = (1...max(1, count)).flatMap { pages[$0] ?? [UInt8](repeating: 0, count: pageSize) }
        // As a file without a log.
        return clear[..<18] + [1, 1] + clear[20...]
    }

    /// How many frames of a log have sums that hold over what is encrypted.
    package func frameCount(_ path: String, pageSize: Int = 4096) throws -> Int {
        try frames(of: Array(Data(contentsOf: URL(filePath: path))), pageSize).count
    }

    private func frames(of log: [UInt8], _ pageSize: Int) -> [(number: Int, size: Int, content: [UInt8])] {
        func word(_ bytes: ArraySlice<UInt8>, _ place: Int) -> Int {
            bytes[(bytes.startIndex + place)...].prefix(4).reduce(0) { $0 << 8 | Int($1) }
        }
        let isBig = word(log[...], 0) & 1 != 0
        var (one, two) = (UInt32(word(log[...], 24)), UInt32(word(log[...], 28)))
        func add(_ bytes: ArraySlice<UInt8>) {
            for place in stride(from: bytes.startIndex, to: bytes.endIndex, by: 8) {
                func number(_ place: Int) -> UInt32 {
                    let bytes = bytes[place..<place + 4]
                    return (isBig ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
                }
                one = one &+ number(place) &+ two
                two = two &+ number(place + 4) &+ one
            }
        }
        var frames: [(Int, Int, [UInt8])] = []
        for start in stride(from: 32, to: log.count - 24 - pageSize + 1, by: 24 + pageSize) {
            let header = log[start..<start + 24]
            guard Array(header[(start + 8)..<(start + 16)]) == Array(log[16..<24]) else { break }
            add(header.prefix(8))
            add(log[(start + 24)..<(start + 24 + pageSize)])
            guard word(header, 16) == Int(one), word(header, 20) == Int(two) else { break }
            frames.append((word(header, 0), word(header, 4), Array(log[(start + 24)..<(start + 24 + pageSize)])))
        }
        return frames
    }

    package func blob(_ path: String) throws -> [UInt8] {
        let file = try Array(Data(contentsOf: URL(filePath: path)).dropLast(32))
        var result: [UInt8] = []
        for (index, start) in stride(from: 0, to: file.count, by: 4096).enumerated() {
            var chain = [UInt8](repeating: 0, count: 12) + (0..<4).reversed().map { UInt8(truncatingIfNeeded: index >> (8 * $0)) }
            for place in stride(from: start, to: min(file.count, start + 4096), by: 16) {
                let block = Array(file[place..<place + 16])
                result += zip(decrypted(block), chain).map { $0 ^ $1 }
                chain = block
            }
        }
        guard let count = result.last, (1...16).contains(count), result.suffix(Int(count)).allSatisfy({ $0 == count }) else {
            throw Refused(message: "no padding")
        }
        return result.dropLast(Int(count))
    }
}
