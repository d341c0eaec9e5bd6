import CBLFleece
import CBLLanguage

extension CommandError {
    /// Says what is wrong with JSON text, and shows where:
    ///
    ///     cblite: JSON error at line 1, column 9: expected a value, found '}'
    ///         {"name":}
    ///                 ^
    static func invalidJSON(_ error: JSONError, in text: UnsafeRawBufferPointer, source: String? = nil) -> CommandError {
        let excerpt = SourceExcerpt(text, error.offset..<error.offset)
        let prefix = source.map { "\($0): " } ?? ""
        return CommandError(
            .failure, lines: ["\(prefix)JSON error at \(excerpt.place): \(error.message)"], hints: excerpt.lines)
    }
}
