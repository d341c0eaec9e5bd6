/// One flag of a command: its names, the value it takes, and its line in the help.
///
///     Flag("desc", "Go backwards, from the last to the first")
///     Flag("limit", value: "N", .count, "Stop after N documents")
///     Flag("upgrade", optionalValue: "vv", .choice(["vv"]), "Allow …")      // --upgrade or --upgrade=vv
struct Flag: Sendable {
    enum Parameter: Sendable {
        case none
        case required(name: String, kind: ValueKind)
        /// A value that only `=` can give: `--upgrade=vv`.
        case optional(name: String, kind: ValueKind)
    }

    let name: String
    let short: Character?
    /// Other spellings that are understood, but not advertised.
    let aliases: [String]
    let parameter: Parameter
    /// May stand more than once: all its values count, or how often it was given.
    let isRepeatable: Bool
    let help: String

    /// A flag without a value.
    init(_ name: String, short: Character? = nil, aliases: [String] = [], repeatable: Bool = false, _ help: String) {
        self.init(name, short, aliases, .none, repeatable, help)
    }

    /// A flag that needs a value.
    init(
        _ name: String, short: Character? = nil, aliases: [String] = [], value: String, _ kind: ValueKind = .text,
        repeatable: Bool = false, _ help: String
    ) {
        self.init(name, short, aliases, .required(name: value, kind: kind), repeatable, help)
    }

    /// A flag that may carry a value after `=`.
    init(
        _ name: String, short: Character? = nil, aliases: [String] = [], optionalValue: String, _ kind: ValueKind = .text,
        _ help: String
    ) {
        self.init(name, short, aliases, .optional(name: optionalValue, kind: kind), false, help)
    }

    private init(
        _ name: String, _ short: Character?, _ aliases: [String], _ parameter: Parameter, _ isRepeatable: Bool, _ help: String
    ) {
        self.name = name
        self.short = short
        self.aliases = aliases
        self.parameter = parameter
        self.isRepeatable = isRepeatable
        self.help = help
    }

    /// The kind of the value, if the flag may have one.
    var valueKind: ValueKind? {
        switch parameter {
        case .none: nil
        case .required(_, let kind), .optional(_, let kind): kind
        }
    }

    var needsValue: Bool {
        if case .required = parameter { true } else { false }
    }

    /// The long spelling with its value: `--limit N`, `--upgrade[=vv]`.
    var synopsis: String {
        switch parameter {
        case .none: "--\(name)"
        case .required(let value, _): "--\(name) \(value)"
        case .optional(let value, _): "--\(name)[=\(value)]"
        }
    }
}
