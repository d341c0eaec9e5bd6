/// The collations of the vendor's schemas, as their SQL names tell them.
///
/// `BINARY` and `NOCASE` are SQLite's own. All others are Unicode ones: `LCUnicode_`, then `C` or `_` (ignores case), `D` or `_` (ignores
/// diacritics), `_`, and the name of a locale, which may be empty: `LCUnicode_CD_de_CH`.
package struct CollationName: Hashable, Sendable, CustomStringConvertible {
    package var ignoresCase = false
    package var ignoresDiacritics = false
    package var isUnicode = false
    package var locale = ""

    private static let prefix = "LCUnicode_"

    package init(ignoresCase: Bool = false, ignoresDiacritics: Bool = false, isUnicode: Bool = false, locale: String = "") {
        self.ignoresCase = ignoresCase
        self.ignoresDiacritics = ignoresDiacritics
        self.isUnicode = isUnicode
        self.locale = locale
    }

    /// Nil for a name that is none of these.
    package init?(_ name: String) {
        switch name {
        case "BINARY": return
        case "NOCASE": ignoresCase = true
        default:
            let rest = Array(name.utf8.dropFirst(CollationName.prefix.utf8.count))
            guard name.hasPrefix(CollationName.prefix), rest.count >= 3, rest[2] == UInt8(ascii: "_") else { return nil }
            isUnicode = true
            switch rest[0] {
            case UInt8(ascii: "C"): ignoresCase = true
            case UInt8(ascii: "_"): break
            default: return nil
            }
            switch rest[1] {
            case UInt8(ascii: "D"): ignoresDiacritics = true
            case UInt8(ascii: "_"): break
            default: return nil
            }
            guard rest.count <= 3 + 19 else { return nil }
            locale = String(decoding: rest[3...], as: UTF8.self)
        }
    }

    package var description: String {
        guard isUnicode else { return ignoresCase ? "NOCASE" : "BINARY" }
        return CollationName.prefix + (ignoresCase ? "C" : "_") + (ignoresDiacritics ? "D" : "_") + "_" + locale
    }
}
