/// The words of the command line as the system gave them.
enum ArgumentText {
    /// Refuses words that are not UTF-8. Swift has mended them already, and a mended word names something else than was meant.
    static func check() throws(CommandError) {
        let words = CommandLine.unsafeArgv
        for index in 0..<Int(CommandLine.argc) where index > 0 {
            guard let word = words[index], String(validatingCString: word) == nil else { continue }
            throw .usage("argument \(index), \"\(String(cString: word))\", is not valid UTF-8")
        }
    }
}
