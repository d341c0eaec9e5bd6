import CBLBase
import Glibc

/// A ZIP file, to be read: its list of contents, and each of them in pieces. Nothing in it is believed: places and sizes are looked at before they
/// are used, and what is unpacked is no longer than the list says, and has the checksum that it says.
package final class ZipFile {
    package struct Entry: Sendable {
        /// The path, with slashes. Of a directory, the last character is one.
        package let name: String
        /// Unpacked.
        package let size: Int
        fileprivate let packedSize: Int
        fileprivate let checksum: UInt32
        fileprivate let method: UInt16
        fileprivate let isEncrypted: Bool
        /// Where its own header begins.
        fileprivate let start: Int
        /// A file of bytes, and neither a directory nor a link.
        package let isFile: Bool
    }

    package let path: String
    package let entries: [Entry]
    private let descriptor: Int32
    private let length: Int

    // Bigger than any list that somebody made for a purpose.
    private static let longestList = 256 << 20

    package init(path: String) throws(FileError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileError(path, errno: errno) }
        var facts = stat()
        let isFile = fstat(descriptor, &facts) == 0 && facts.st_mode & S_IFMT == S_IFREG
        do throws(FileError) {
            guard isFile else { throw FileError("\(path): is no file") }
            let bytes = Bytes(descriptor: descriptor, count: Int(facts.st_size), path: path)
            entries = try ZipFile.list(bytes)
        } catch {
            close(descriptor)
            throw error
        }
        self.path = path
        self.descriptor = descriptor
        length = Int(facts.st_size)
    }

    deinit { close(descriptor) }

    // MARK: The list

    /// Where the list is, and how much.
    private struct Directory {
        var start: Int
        var size: Int
        var count: Int
    }

    private static func list(_ bytes: Bytes) throws(FileError) -> [Entry] {
        let directory = try directory(bytes)
        guard directory.size <= longestList else { throw bytes.damaged("its list of contents is too long") }
        let list = try bytes.read(directory.start, directory.size)
        var entries: [Entry] = []
        entries.reserveCapacity(min(directory.count, directory.size / 46))
        var place = 0
        while place < list.count, entries.count < directory.count {
            guard list.count - place >= 46, list.number(place, 4) == 0x0201_4B50 else { throw bytes.damaged("its list of contents is") }
            let (nameCount, extraCount, commentCount) = (list.number(place + 28, 2), list.number(place + 30, 2), list.number(place + 32, 2))
            let end = place + 46 + nameCount + extraCount + commentCount
            guard end <= list.count else { throw bytes.damaged("its list of contents is cut off") }
            entries.append(entry(list, place, nameCount: nameCount, extraCount: extraCount))
            place = end
        }
        guard entries.count == directory.count else { throw bytes.damaged("its list of contents is cut off") }
        return entries
    }

    private static func entry(_ list: [UInt8], _ place: Int, nameCount: Int, extraCount: Int) -> Entry {
        let name = String(decoding: list[place + 46..<place + 46 + nameCount], as: UTF8.self)
        // Unpacked, packed, and where it begins. What does not fit into 32 bits stands in an extra field, in this order.
        var numbers = [24, 20, 42].map { list.number(place + $0, 4) }
        var extra = place + 46 + nameCount
        let extraEnd = extra + extraCount
        while extra + 4 <= extraEnd {
            let (kind, count) = (list.number(extra, 2), list.number(extra + 2, 2))
            var field = extra + 4
            extra = field + count
            guard kind == 1, extra <= extraEnd else { continue }
            for index in numbers.indices where numbers[index] == 0xFFFF_FFFF && field + 8 <= extra {
                numbers[index] = list.number(field, 8)
                field += 8
            }
        }
        // The upper half of the attributes is the mode, if the list was made on a Unix.
        let (madeOn, mode) = (list.number(place + 4, 2) >> 8, UInt32(truncatingIfNeeded: list.number(place + 38, 4) >> 16))
        let kind = madeOn == 3 ? mode & S_IFMT : 0
        return Entry(
            name: name, size: numbers[0], packedSize: numbers[1], checksum: UInt32(truncatingIfNeeded: list.number(place + 16, 4)),
            method: UInt16(list.number(place + 10, 2)), isEncrypted: list.number(place + 8, 2) & 1 != 0, start: numbers[2],
            isFile: !name.hasSuffix("/") && (kind == 0 || kind == S_IFREG))
    }

    private static func directory(_ bytes: Bytes) throws(FileError) -> Directory {
        // The end of the list is at the end of the file, with a comment of at most 64 KB behind it.
        let tailStart = max(0, bytes.count - 65_557)
        let tail = try bytes.read(tailStart, bytes.count - tailStart)
        guard
            let place = stride(from: tail.count - 22, through: 0, by: -1).first(where: {
                tail.number($0, 4) == 0x0605_4B50 && $0 + 22 + tail.number($0 + 20, 2) <= tail.count
            })
        else { throw bytes.damaged("it has no list of contents, or is cut off") }
        var directory = Directory(start: tail.number(place + 16, 4), size: tail.number(place + 12, 4), count: tail.number(place + 10, 2))
        let locator = tailStart + place - 20
        if locator >= 0, case let bytesBefore = try bytes.read(locator, 20), bytesBefore.number(0, 4) == 0x0706_4B50 {
            let end = try bytes.read(bytesBefore.number(8, 8), 56)
            guard end.number(0, 4) == 0x0606_4B50 else { throw bytes.damaged("its list of contents is not where it should be") }
            directory = Directory(start: end.number(48, 8), size: end.number(40, 8), count: end.number(32, 8))
        }
        return directory
    }

    // MARK: Contents

    /// Unpacks a file, and gives it in pieces.
    package func read(_ entry: Entry, _ receive: (UnsafeRawBufferPointer) throws -> Void) throws {
        let bytes = Bytes(descriptor: descriptor, count: length, path: path)
        let shown = TerminalText.escaped(entry.name)
        guard !entry.isEncrypted else {
            throw FileError("\(path): \(shown) is encrypted with a password; unpack it with another program first")
        }
        let header = try bytes.read(entry.start, 30)
        guard header.number(0, 4) == 0x0403_4B50 else { throw bytes.damaged("\(shown) is not where it should be") }
        var place = entry.start + 30 + header.number(26, 2) + header.number(28, 2)
        var rest = entry.packedSize
        guard rest >= 0, entry.size >= 0, rest <= bytes.count, place <= bytes.count - rest else {
            throw bytes.damaged("\(shown) is cut off")
        }
        var checksum = Checksum()
        var count = 0
        func take(_ piece: UnsafeRawBufferPointer) throws {
            count += piece.count
            guard count <= entry.size else { throw bytes.damaged("\(shown) is longer than its list of contents says") }
            checksum.update(piece)
            try receive(piece)
        }
        let decompressor: Decompressor?
        switch entry.method {
        case 0: decompressor = nil
        case 8: decompressor = try Decompressor(.raw, mostBytes: entry.size)
        default:
            throw FileError(
                "\(path): \(shown) is packed by method \(entry.method), which is not understood; unpack it with another program first")
        }
        do {
            while rest > 0 {
                let piece = try bytes.read(place, min(rest, 1 << 16))
                try piece.withUnsafeBytes { piece in
                    if let decompressor { try decompressor.decode(piece, take) } else { try take(piece) }
                }
                place += piece.count
                rest -= piece.count
            }
            try decompressor?.finish()
        } catch is Decompressor.Failure {
            throw bytes.damaged("\(shown) cannot be unpacked")
        }
        guard count == entry.size, checksum.value == entry.checksum else { throw bytes.damaged("\(shown) has another checksum") }
    }

    private struct Bytes {
        let descriptor: Int32
        let count: Int
        let path: String

        func read(_ start: Int, _ size: Int) throws(FileError) -> [UInt8] {
            guard start >= 0, size >= 0, size <= count, start <= count - size else { throw damaged("it is cut off") }
            var failure: Int32 = 0
            let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, filled in
                while filled < size {
                    let got = pread(descriptor, buffer.baseAddress! + filled, size - filled, off_t(start + filled))
                    if got < 0, errno == EINTR { continue }
                    if got < 0 { failure = errno }
                    guard got > 0 else { break }
                    filled += got
                }
            }
            if failure != 0 { throw FileError(path, errno: failure) }
            guard bytes.count == size else { throw damaged("it is cut off") }
            return bytes
        }

        func damaged(_ what: String) -> FileError { FileError("\(path): the ZIP file is damaged: \(what)") }
    }
}

extension [UInt8] {
    /// A number, its lowest byte first. One that is too large for any place is no place.
    fileprivate func number(_ place: Int, _ size: Int) -> Int {
        var value: UInt64 = 0
        for offset in (0..<size).reversed() { value = value << 8 | UInt64(self[place + offset]) }
        return Int(exactly: value) ?? -1
    }
}
