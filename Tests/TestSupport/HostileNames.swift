/// Names that end the quotes they are put into, and go on as SQL.
public enum HostileNames {
    /// A quote that is part of a longer Character: behind what prepends itself, before what combines.
    public static let quotes = ["'", "\u{600}'", "'\u{301}", "'\u{20DD}", "\u{6DD}'", "\"", "\u{600}\"", "\"\u{301}", "\\'", "]", "`"]

    /// How the statement around the quotes may have to be ended.
    static let endings = ["", ")", "))", ") AS _each; END", ") FROM kv_default; END"]

    /// What comes then: another file is emptied, or one is made.
    static let payloads = [
        "; COMMIT; ATTACH '\(HostileScene.victimFile)' AS v; DELETE FROM v.precious; --",
        "; ATTACH '\(HostileScene.victimFile)' AS v; DELETE FROM v.precious; --",
        "; COMMIT; ATTACH '../victim/made.db' AS v; CREATE TABLE v.x(y); --", "; COMMIT; VACUUM INTO '../victim/made.db'; --",
        " || fts3_tokenizer('simple', x'4141414141414141') || '",
    ]

    /// Every quote with every ending and every payload, in an order that the seed decides. Without what file names and commands cannot hold.
    public static func all(seed: UInt64) -> [String] {
        var random = SeededRandom(seed)
        var names: [String] = []
        for quote in quotes { for ending in endings { for payload in payloads { names.append("x" + quote + ending + payload) } } }
        return names.shuffled(using: &random)
    }

    /// Names that are hostile without quotes.
    public static let awkward = [
        "%s%n%n", "../../victim/notes/letter.txt", "/dev/stdin", "-rf", "--repair", "kv_default", "sqlite_master", "\u{202E}txt",
        "a\u{1B}[2Jb", "",
        "a\u{0}b", String(repeating: "x", count: 5000), "🇩🇪\u{E0041}", "$(touch made)", "`touch made`", "a\nb", "*",
    ]
}
