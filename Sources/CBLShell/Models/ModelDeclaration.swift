/// `--model NAME=PROGRAM`: a predictive model that another program is. Who wants one has to say so in a command line: a program that a file
/// names would be one that somebody else has chosen.
struct ModelDeclaration: Hashable, Sendable {
    static let flag = Flag(
        "model", value: "NAME=PROGRAM", .text, repeatable: true,
        "PREDICTION(NAME, …) asks this program, which answers each line of JSON with one")

    let name: String
    /// As `sh -c` gets it.
    let command: String

    init(_ text: String) throws(CommandError) {
        guard let sign = text.unicodeScalars.firstIndex(of: "=") else {
            throw .usage("--model needs a name and a program, such as sizes=./sizes.py, not \"\(text)\"")
        }
        name = String(text.unicodeScalars[..<sign])
        command = String(text.unicodeScalars[text.unicodeScalars.index(after: sign)...])
        guard !name.isEmpty, command.contains(where: { !$0.isWhitespace }) else {
            throw .usage("--model needs a name and a program, such as sizes=./sizes.py, not \"\(text)\"")
        }
    }
}
