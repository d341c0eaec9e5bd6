import CBLSystemStemmer

/// A Snowball stemmer, by the names that tokenizer arguments use.
final class Stemmer {
    /// The library with the algorithms is not installed, or lacks one.
    struct Missing: Error {
        let message: String
    }

    private let library: cblite_stemmer_library
    private let handle: OpaquePointer
    private let older: OlderSnowball?
    private var respelled: [UInt8] = []

    private static let loaded: cblite_stemmer_library? = {
        var library = cblite_stemmer_library()
        return cblite_stemmer_load(&library) ? library : nil
    }()

    /// Nil when there is no stemmer of that name: tokens then stay as they are.
    init?(_ name: String) throws(Missing) {
        guard let language = FullTextLanguage.english(name) else { return nil }
        // Unstemmed tokens in a stemmed index would never be found again.
        guard let library = Stemmer.loaded else {
            throw Missing(message: "the stemming library \(CBLITE_STEMMER_LIBRARY) is not installed (Debian package libstemmer0d)")
        }
        guard let handle = library.open(language, "UTF_8") else { throw Missing(message: "the stemming library does not know \(language)") }
        self.library = library
        self.handle = handle
        older = OlderSnowball(language)
    }

    deinit { library.close(handle) }

    /// Replaces the word in a buffer by its stem. (If memory runs out, the word stays.)
    func stem(_ word: inout TokenBuffer) {
        guard let older, older.concerns(word.bytes) else {
            if let stem = stem(word.bytes) { word.replace(with: stem) }
            return
        }
        older.respell(word.bytes, into: &respelled)
        let original = Array(word.bytes)
        respelled.withUnsafeBytes { bytes in
            guard let stem = stem(bytes) else { return }
            word.removeAll()
            original.withUnsafeBytes { older.restore(stem, of: $0, respelled: respelled, into: &word) }
        }
    }

    private func stem(_ word: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        guard let start = word.baseAddress else { return word }
        guard let stem = library.stem(handle, start.assumingMemoryBound(to: sb_symbol.self), Int32(word.count)) else { return nil }
        let count = Int(library.length(handle))
        // A token of no bytes would be an error to FTS.
        return count > 0 ? UnsafeRawBufferPointer(start: stem, count: count) : nil
    }
}

/// The languages whose words can be stemmed.
package enum FullTextLanguage {
    /// English names by code. A code may only name the language that the vendor's library knows it for, so the table stands here and not in
    /// Snowball.
    package static let byCode = [
        "da": "danish", "nl": "dutch", "en": "english", "fi": "finnish", "fr": "french", "de": "german", "hu": "hungarian",
        "it": "italian", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian", "es": "spanish",
        "sv": "swedish", "tr": "turkish", "porter": "porter",
    ]

    /// The English name of a language that is given by code or by this name; nil if it is not known.
    package static func english(_ name: String) -> String? {
        byCode[name] ?? byCode.values.first { $0 == name }
    }
}
