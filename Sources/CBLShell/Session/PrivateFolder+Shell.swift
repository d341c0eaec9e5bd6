import CBLBase

extension PrivateFolder {
    /// One for a session.
    static func make(for purpose: String, isPrecious: Bool = false) throws(CommandError) -> PrivateFolder {
        do { return try PrivateFolder(for: purpose, isPrecious: isPrecious) } catch { throw .system(error.path, errno: error.errno) }
    }

    /// A name of somebody else's as one for a file, which is shown at the prompt.
    static func safeName(_ text: String) -> String {
        String(String.UnicodeScalarView(text.unicodeScalars.prefix(100).map { isSafe($0) ? $0 : "_" }))
    }

    private static func isSafe(_ scalar: Unicode.Scalar) -> Bool {
        scalar.isASCII && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar) || "-_.@".unicodeScalars.contains(scalar))
    }
}
