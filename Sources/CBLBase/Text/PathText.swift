/// Paths as text, taken apart where a slash is. A mark behind a slash makes another `Character` of it, but not another path.
package enum PathText {
    private static let slash: Unicode.Scalar = "/"

    /// What stands behind the last slash; of a path that ends in one, what stands before it.
    package static func name(_ path: String) -> String {
        path.unicodeScalars.split(separator: slash).last.map { String($0) } ?? path
    }

    package static func hasSlash(_ path: String) -> Bool { path.utf8.contains(UInt8(ascii: "/")) }

    /// Up to the last slash, with it, and what stands behind it.
    package static func split(_ path: String) -> (directory: String, name: String) {
        guard let end = path.unicodeScalars.lastIndex(of: slash).map(path.unicodeScalars.index(after:)) else { return ("", path) }
        return (String(path.unicodeScalars[..<end]), String(path.unicodeScalars[end...]))
    }

    /// The folders that a file of this path lies in, the outermost first, without their slashes.
    package static func folders(of path: String) -> [String] {
        let scalars = path.unicodeScalars
        return scalars.indices.filter { scalars[$0] == slash && $0 > scalars.startIndex }.map { String(scalars[..<$0]) }
    }

    package static func hasEnding(_ ending: String, _ path: String) -> Bool {
        path.utf8.suffix(ending.utf8.count).elementsEqual(ending.utf8)
    }

    /// The path without an ending, if it has that.
    package static func without(_ ending: String, _ path: String) -> String {
        hasEnding(ending, path) ? String(decoding: path.utf8.dropLast(ending.utf8.count), as: UTF8.self) : path
    }

    /// The path of a directory with a slash at its end.
    package static func closed(_ path: String) -> String { hasEnding("/", path) ? path : path + "/" }
}
