extension Array<String> {
    /// Does what the language's own function does, which is compiled for every kind of collection at once: the first call of that asks the runtime
    /// what an array is, which takes longer than to read a document.
    package func joined(separator: String = "") -> String {
        guard var text = first else { return "" }
        for part in dropFirst() {
            text += separator
            text += part
        }
        return text
    }
}
