/// Names that end the quotes they are put into, and go on as SQL.
package enum HostileNames {
    /// A quote that is part of a longer Character: behind what prepends itself, before what combines.
    package static let quotes = ["'", "\u{600}'", "'\u{301}", "'\u{20DD}", "\u{6DD}'", "\"", "\u{600}\"", "\"\u{301}", "\\'", "]", "`"]

    /// How the statement around the quotes may have to be ended.
    static let endings = ["", ")", "))", ") AS _each", ") AS _each; END", ") FROM kv_default; END"]

    /// What comes then: another file is emptied, or one is made. The first goes without dots, which divide the path of a property.
    static let payloads = [
        "; COMMIT; ATTACH \(withoutDots) AS v; DELETE FROM precious; --",
        "; ATTACH '\(HostileScene.victimFile)' AS v; DELETE FROM v.precious; --",
        "; COMMIT; ATTACH '\(HostileScene.victimFile)' AS v; DELETE FROM v.precious; --",
        "; COMMIT; ATTACH '../victim/made.db' AS v; CREATE TABLE v.x(y); --", "; COMMIT; VACUUM INTO '../victim/made.db'; --",
        " || fts3_tokenizer('simple', x'4141414141414141') || '",
    ]

    private static let withoutDots = "char(" + HostileScene.victimFile.utf8.map { String($0) }.joined(separator: ",") + ")"

    /// Those that have done harm.
    package static let worst = ["'", "\u{600}'", "\"", "\u{600}\""].flatMap { quote in
        endings.flatMap { ending in payloads.prefix(2).map { "x" + quote + ending + $0 } }
    }

    /// Every quote with every ending and every payload, in an order that the seed decides.
    package static func all(seed: UInt64) -> [String] {
        var random = SeededRandom(seed)
        let names = quotes.flatMap { quote in endings.flatMap { ending in payloads.map { "x" + quote + ending + $0 } } }
        return names.shuffled(using: &random)
    }

    /// Names that are hostile without quotes.
    package static let awkward = [
        "%s%n%n", "../../victim/notes/letter.txt", "/dev/stdin", "-rf", "--repair", "kv_default", "sqlite_master", "\u{202E}txt",
        "a\u{1B}[2Jb", "",
        "a\u{0}b", String(repeating: "x", count: 5000), "🇩🇪\u{E0041}", "$(touch made)", "`touch made`", "a\nb", "*",
    ]
}
