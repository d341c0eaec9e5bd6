// What the documentation leaves out: public symbols without a comment, and types that are not on the first page.
// Arguments: the symbol graph of a module, the first page of its catalogue, and how many symbols there are at least.
import Foundation

struct Graph: Decodable {
    struct Symbol: Decodable {
        struct Comment: Decodable {}
        struct Location: Decodable {
            struct Position: Decodable { let line: Int }
            let uri: String
            let position: Position
        }
        /// Where it is inside of other symbols: `["Database", "close()"]`.
        let pathComponents: [String]
        /// Its own, or that of the requirement which it fulfils.
        let docComment: Comment?
        let location: Location?

        var place: String { location.map { "\($0.uri.replacingOccurrences(of: "file://", with: "")):\($0.position.line + 1)" } ?? "?" }
    }

    let symbols: [Symbol]
}

let graph = try JSONDecoder().decode(Graph.self, from: Data(contentsOf: URL(fileURLWithPath: CommandLine.arguments[1])))
let firstPage = try String(contentsOfFile: CommandLine.arguments[2], encoding: .utf8)

var problems: [String] = []
for symbol in graph.symbols {
    let name = symbol.pathComponents.joined(separator: ".")
    if symbol.docComment == nil { problems.append("\(symbol.place): \(name) has no comment") }
    if symbol.pathComponents.count == 1, !firstPage.contains("``\(name)``") {
        problems.append("\(symbol.place): \(name) is not on the first page, \(CommandLine.arguments[2])")
    }
}
// The graph of a module that could not be read has next to nothing in it.
let least = Int(CommandLine.arguments[3]) ?? 1000
if graph.symbols.count < least {
    problems.append("the symbol graph has only \(graph.symbols.count) symbols")
}

for problem in problems.sorted() { FileHandle.standardError.write(Data((problem + "\n").utf8)) }
exit(problems.isEmpty ? 0 : 1)
