import FoundationEssentials

/// Rollback journals as SQLite leaves them when it is killed, with what a stranger writes in them.
package enum HostileJournal {
    static let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]

    /// A journal with pages to put back, whose tail may name a super-journal: a file that SQLite deletes when it has put them back.
    package static func journal(pages: [(number: UInt32, bytes: [UInt8])] = [], of pageCount: UInt32, superJournal: String? = nil)
        -> [UInt8]
    {
        let nonce: UInt32 = 0x1234_5678
        var bytes = magic + bigEndian(UInt32(pages.count)) + bigEndian(nonce) + bigEndian(pageCount) + bigEndian(512) + bigEndian(4096)
        bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
        for page in pages {
            bytes += bigEndian(page.number) + page.bytes + bigEndian(checksum(page.bytes, nonce))
        }
        guard let superJournal else { return bytes }
        let name = Array(superJournal.utf8)
        let sum = name.reduce(UInt32(0)) { $0 &+ UInt32(bitPattern: Int32(Int8(bitPattern: $1))) }
        return bytes + bigEndian(0x4000_0000 / 4096 + 1) + name + bigEndian(UInt32(name.count)) + bigEndian(sum) + magic
    }

    private static func checksum(_ page: [UInt8], _ nonce: UInt32) -> UInt32 {
        stride(from: page.count - 200, to: 0, by: -200).reduce(nonce) { $0 &+ UInt32(page[$1]) }
    }

    private static func bigEndian(_ number: UInt32) -> [UInt8] { withUnsafeBytes(of: number.bigEndian) { Array($0) } }
}
