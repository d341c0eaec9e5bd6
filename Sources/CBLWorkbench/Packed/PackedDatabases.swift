import CBLBase
import CBLStore
import Glibc

/// The databases in a ZIP file, as people send them: one bundle, or the whole folder of an app.
package struct PackedDatabases {
    package struct Database: Sendable {
        /// The path of the bundle in the ZIP file; empty if its files are at the top.
        package let name: String
        fileprivate var files: [(path: String, entry: Int)] = []
        package fileprivate(set) var size = 0
    }

    package let databases: [Database]
    private let zip: ZipFile

    private static let mostDepth = 16

    package init(_ path: String) throws(FileError) {
        zip = try ZipFile(path: path)
        databases = PackedDatabases.find(in: zip.entries)
    }

    /// The path of a ZIP file and of what is meant in it: `backup.zip/data/travel.cblite2`. Nil if there is no such file.
    package static func parted(_ path: String) -> (file: String, inside: String)? {
        var end = path.utf8.startIndex
        while let slash = path.utf8[end...].firstIndex(of: UInt8(ascii: "/")) ?? (end < path.utf8.endIndex ? path.utf8.endIndex : nil) {
            let file = String(path[..<slash])
            var facts = stat()
            if file.lowercased().hasSuffix(".zip"), stat(file, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG {
                return (file, String(path[slash...].drop { $0 == "/" }))
            }
            guard slash < path.utf8.endIndex else { return nil }
            end = path.utf8.index(after: slash)
        }
        return nil
    }

    /// Whether a path may be meant so.
    package static func mayBe(_ path: String) -> Bool {
        // Byte by byte: every command asks, and String would have to get its generic functions ready for it.
        let small = path.utf8.map { $0 | 0x20 }
        return small.indices.contains { place in
            guard small[place...].starts(with: ".zip".utf8) else { return false }
            return place + 4 == small.count || small[place + 4] == UInt8(ascii: "/")
        }
    }

    private static func find(in entries: [ZipFile.Entry]) -> [Database] {
        var databases: [String: Database] = [:]
        for entry in entries where entry.isFile {
            guard let parts = parts(of: entry.name), parts.last == CBLStore.Database.mainFileName else { continue }
            let name = parts.dropLast().joined(separator: "/")
            databases[name] = Database(name: name)
        }
        for (number, entry) in entries.enumerated() where entry.isFile {
            guard let parts = parts(of: entry.name) else { continue }
            // The bundle is some folder above; none is in another.
            for depth in 0..<parts.count {
                let name = parts[..<depth].joined(separator: "/")
                guard var database = databases[name] else { continue }
                let path = parts[depth...].joined(separator: "/")
                // A file at the top of a ZIP file may be anything.
                guard !name.isEmpty || parts.count > 1 || path.hasPrefix(CBLStore.Database.mainFileName) else { break }
                database.files.append((path, number))
                database.size = database.size.addingClamped(entry.size)
                databases[name] = database
                break
            }
        }
        return databases.values.sorted { $0.name < $1.name }
    }

    /// The names in a path; nil if it leads out of where it should, or looks as if.
    private static func parts(of path: String) -> [String]? {
        let parts = path.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).map {
            String(decoding: $0, as: UTF8.self)
        }
        let isPlain = parts.allSatisfy { part in
            !part.isEmpty && part != "." && part != ".." && part.utf8.count <= 255 && !part.utf8.contains(0)
                && !part.utf8.contains(UInt8(ascii: "\\"))
        }
        // What a Mac puts beside the files.
        return isPlain && parts.count <= mostDepth && parts[0] != "__MACOSX" ? parts : nil
    }

    /// Makes a bundle of what is packed. The last part of `path` is not there yet. `advance` hears of each piece that is written, and may throw.
    package func unpack(_ database: Database, to path: String, _ advance: (Int) throws -> Void) throws {
        var facts = statvfs()
        if statvfs(PathText.split(path).directory, &facts) == 0 {
            let free = Int(clamping: facts.f_bavail).multipliedReportingOverflow(by: Int(clamping: facts.f_frsize))
            guard free.overflow || database.size <= free.partialValue else {
                throw FileError(
                    "\(zip.path): unpacked it comes to \(database.size) bytes, and there are \(free.partialValue) free in \(PathText.split(path).directory)"
                )
            }
        }
        guard mkdir(path, 0o700) == 0 else { throw FileError(path, errno: errno) }
        for (name, number) in database.files {
            let target = path + "/" + name
            try FolderTree.make(PathText.split(target).directory)
            let file = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard file >= 0 else {
                throw errno == EEXIST
                    ? FileError("\(zip.path): \(TerminalText.escaped(name)) is in it twice") : FileError(target, errno: errno)
            }
            defer { close(file) }
            try zip.read(zip.entries[number]) { piece in
                guard SystemCall.writeAll(piece, to: file) else { throw FileError(target, errno: errno) }
                try advance(piece.count)
            }
        }
    }
}
