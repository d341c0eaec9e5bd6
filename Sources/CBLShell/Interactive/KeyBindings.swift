/// What keys do beyond what libedit binds by itself: the sequences that terminals of today send for them. `~/.editrc` is read later, and may say
/// otherwise.
enum KeyBindings {
    struct Binding: Equatable {
        let keys: String
        let command: String
    }

    static let ofEmacs: [Binding] =
        [
            Binding(keys: "^R", command: "em-inc-search-prev"), Binding(keys: "^W", command: "ed-delete-prev-word"),
            Binding(keys: "\\e.", command: "cblite-last-word"),
        ] + whole + ofSuggestions

    /// Also while one inserts in vi's way.
    static let ofSuggestions =
        ["^F", "\\e[C", "\\eOC"].map { Binding(keys: $0, command: "cblite-next-char") }
        + ["^E", "\\e[4~", "\\e[8~", "\\e[F", "\\eOF"].map { Binding(keys: $0, command: "cblite-end") }

    /// For vi's command mode. While one inserts, Escape is a key of its own, which goes over to that mode: what follows it is looked up there.
    static let ofVi: [Binding] = whole + sequences

    private static let whole = sequences.map { Binding(keys: "\\e" + $0.keys, command: $0.command) }

    /// Without the Escape that they begin with.
    private static let sequences = moving + deleting + doingNothing

    // Behind "1;" stands what is held down: 2 is Shift, 3 Alt, 5 Ctrl, and sums of them.
    private static let modifiers = 2...8

    private static var moving: [Binding] {
        var bindings = ["[1~", "[7~", "[H", "OH"].map { Binding(keys: $0, command: "ed-move-to-beg") }
        bindings += ["[4~", "[8~", "[F", "OF"].map { Binding(keys: $0, command: "ed-move-to-end") }
        for modifier in modifiers {
            let isShift = modifier == 2
            bindings += [
                Binding(keys: "[1;\(modifier)C", command: isShift ? "ed-next-char" : "em-next-word"),
                Binding(keys: "[1;\(modifier)D", command: isShift ? "ed-prev-char" : "ed-prev-word"),
                Binding(keys: "[1;\(modifier)H", command: "ed-move-to-beg"),
                Binding(keys: "[1;\(modifier)F", command: "ed-move-to-end"),
            ]
        }
        return bindings
    }

    private static var deleting: [Binding] {
        [Binding(keys: "[3~", command: "ed-delete-next-char")]
            + [3, 5].map { Binding(keys: "[3;\($0)~", command: "em-delete-next-word") }
            + [2, 4, 6, 7, 8].map { Binding(keys: "[3;\($0)~", command: "ed-delete-next-char") }
    }

    // Unbound, their last characters would stand in the line: Insert, the pages, Shift-Tab, and F1 to F12.
    private static var doingNothing: [Binding] {
        let functions = [2, 5, 6] + Array(11...15) + Array(17...21) + [23, 24]
        var keys = functions.map { "[\($0)~" } + ["[Z"] + ["P", "Q", "R", "S"].map { "O" + $0 }
        for modifier in modifiers {
            keys += functions.map { "[\($0);\(modifier)~" } + ["A", "B", "P", "Q", "R", "S"].map { "[1;\(modifier)\($0)" }
        }
        return keys.map { Binding(keys: $0, command: "ed-ignore") }
    }
}
