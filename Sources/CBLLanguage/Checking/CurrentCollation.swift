/// The collation that `COLLATE` puts into force for what it encloses.
struct CurrentCollation {
    var isUnicode = false
    var isCaseSensitive = true
    var isDiacriticSensitive = true
    var locale = ""

    /// With the changes of a `COLLATE` inside of the one that made this.
    func changed(by options: Collation) -> CurrentCollation {
        var collation = self
        if let isUnicode = options.unicode { collation.isUnicode = isUnicode }
        if let isCaseSensitive = options.caseSensitive { collation.isCaseSensitive = isCaseSensitive }
        if let isDiacriticSensitive = options.diacriticSensitive { collation.isDiacriticSensitive = isDiacriticSensitive }
        if let locale = options.locale { collation.locale = locale }
        return collation
    }

    static let binary = "BINARY"

    /// Its name in SQL. Those that know Unicode are made when SQLite asks for them by such a name.
    var sqlName: String {
        guard isUnicode else { return isCaseSensitive ? CurrentCollation.binary : "NOCASE" }
        return "LCUnicode_\(isCaseSensitive ? "_" : "C")\(isDiacriticSensitive ? "_" : "D")_\(locale)"
    }
}
