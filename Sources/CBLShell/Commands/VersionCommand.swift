/// `cblite version`
enum VersionCommand {
    static let declaration = CommandDeclaration(
        "version",
        summary: "Print the version of this program",
        run: { try printVersion(in: $0.session) })

    static func printVersion(in session: Session) throws -> ExitCode {
        if session.options.isJSON {
            try session.output.writeLine("{\"version\":\"\(Shell.version)\"}")
        } else {
            try session.output.writeLine("cblite \(Shell.version)")
        }
        return .success
    }
}
