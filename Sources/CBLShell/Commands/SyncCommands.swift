/// `cblite push`, `cblite pull` and `cblite sync`
enum SyncCommands {
    static let push = CommandDeclaration(
        "push", group: .moving,
        summary: "Send what changed to a server or another database",
        discussion: discussion,
        flags: DatabaseSync.flags + [DatabaseSync.bidi], arguments: arguments,
        examples: [
            .init("cblite push travel.cblite2 wss://sync.example.com:4984/travel --user ada", "The password is asked for."),
            .init("cblite push -C inventory.hotel,inventory.city travel.cblite2 ws://localhost:4984/travel", "Two collections."),
        ],
        run: { try DatabaseSync($0).run($0.flag("bidi") ? .both : .push) })

    static let pull = CommandDeclaration(
        "pull", group: .moving,
        summary: "Fetch what changed on a server or in another database",
        discussion: discussion,
        flags: DatabaseSync.flags + [DatabaseSync.bidi], arguments: arguments,
        examples: [
            .init("cblite pull ws://localhost:4984/travel travel.cblite2", "Into a database that is made if it is not there."),
            .init("cblite pull travel.cblite2 ws://localhost:4984/travel --channel paris --continuous", "One channel, until Ctrl-C."),
            .init("cblite pull ws://localhost:4984/travel travel.cblite2 --filter 'stars > 3'", "Some documents."),
        ],
        run: { try DatabaseSync($0).run($0.flag("bidi") ? .both : .pull) })

    static let sync = CommandDeclaration(
        "sync", group: .moving,
        summary: "Push and pull",
        discussion: discussion,
        flags: DatabaseSync.flags, arguments: arguments,
        examples: [
            .init("cblite sync travel.cblite2 laptop.cblite2", "Two databases that both have changed."),
            .init("cblite sync travel.cblite2 wss://sync.example.com/travel --conflict merge", "What both sides changed is merged."),
            .init("cblite sync travel.cblite2 peer:kitchen --user ada", "With what \"peers\" lists as kitchen."),
        ],
        run: { try DatabaseSync($0).run(.both) })

    private static let arguments = [
        Argument("DATABASE", .database, .required, impliedByOpenDatabase: true, "The .cblite2 bundle"),
        Argument(
            "PEER", .peer, .optional,
            "ws://HOST:PORT/DATABASE, wss://… with TLS, peer:NAME, or another database. Left out: the server it knows"),
    ]

    private static let discussion = """
        Replicates a database with one on a Sync Gateway, or with another database of this machine. peer:NAME is one that is found on the local network, \
        as "peers" lists it: its only database, or the one of the same name; peer:NAME/DATABASE is another one.

        \(DatabaseSync.explanation)
        """
}
