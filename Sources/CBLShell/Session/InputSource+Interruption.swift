import CBLWorkbench

extension InputSource {
    /// A file to read, or standard input for `-`, until Ctrl-C.
    convenience init(_ path: String) throws(CommandError) {
        do { try self.init(path: path) { try Interruption.check() } } catch { throw .failed(error.message) }
    }
}
