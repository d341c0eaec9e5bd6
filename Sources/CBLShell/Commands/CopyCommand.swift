/// `cblite cp SOURCE DESTINATION`
enum CopyCommand {
    static let declaration = CommandDeclaration(
        "cp", group: .moving,
        summary: "Copy a database, or documents from or to JSON and CSV",
        discussion: """
            Copies SOURCE to DESTINATION. One side must be a database. Between two databases the whole file is copied, with its blobs and \
            indexes, and the copy gets an identity of its own; with --collection A,B only these collections are, also into a database that is \
            there, whose own documents stay. With --replicate, or if one side is a server (ws://HOST:PORT/DATABASE, wss://…), only what \
            changed is replicated: see push and pull. Otherwise documents are imported or exported: see import and export.

            \(Transfer.forms)
            """,
        flags: Transfer.flags + KeyFlags.ofCopy + Transfer.replicationFlags,
        arguments: [
            Argument("SOURCE", .file, .required, impliedByOpenDatabase: true, "What to copy"),
            Argument("DESTINATION", .file, .required, "Where to"),
        ],
        examples: [
            .init("cblite cp travel.cblite2 backup.cblite2", "A copy of the whole database."),
            .init("cblite cp -C inventory.hotel travel.cblite2 hotels.csv", "The hotels as a table."),
            .init("cblite cp --jsonid iata airlines.json travel.cblite2", "Import, with the property iata as the document ID."),
        ],
        run: { invocation in
            let transfer = Transfer(invocation: invocation)
            let target = try transfer.endpoint(invocation.argument("DESTINATION"))
            guard let path = invocation.argumentIfGiven("SOURCE") else {
                if case .database = target, let open = invocation.session.openDatabase {
                    return try transfer.run(from: .database(open.path), to: target)
                }
                if case .remote = target {
                    let database = try invocation.database()
                    if database.isReadOnly { throw invocation.session.readOnlyError(database) }
                    return try transfer.replicate(database, with: target, .push)
                }
                return try transfer.export(invocation.database(), to: target)
            }
            return try transfer.run(from: transfer.endpoint(invocation.session.unpacked(path)), to: target)
        })
}
