/// `cblite serve DATABASE…`
enum ServeCommand {
    static let declaration = CommandDeclaration(
        "serve", group: .moving,
        summary: "Let others replicate with a database, or use it over HTTP",
        discussion: """
            Listens for replicators: those of Couchbase Lite apps, and "cblite push", "pull" and "sync" elsewhere. The URLs to give to them are \
            printed. A database is called as its bundle is without ".cblite2"; NAME=PATH gives it another name. All of its collections are \
            served, or those that --collection names, which --create makes if they are not there. Of a directory all databases are served, \
            those that come later too.

            With --rest the same port answers the REST API of Couchbase Lite 1.x, which clients of CouchDB and PouchDB understand: documents, \
            attachments, views, queries and changes over HTTP, and a page for people at /_browse. It is the same for all that follows: who is \
            let in, and what they may. With --manage those with all rights make and delete databases and collections. --dir does what \
            LiteServ did.

            With --config a file says all of that, in the form of Couchbase Edge Server's: databases with their collections, queries with names, \
            users with roles and rules, replications, logs. The port answers that server's API. --add-user puts somebody into the file with \
            the users.

            Without --user, --users or --client-ca everybody is let in who can connect, and without TLS passwords and documents can be read and \
            changed on the way: so only programs of this machine can connect, unless --address says otherwise. With TLS and one of these flags it \
            listens on all of the machine's addresses. --tls makes a certificate; its fingerprint is printed, to be compared or pinned at the other side. \
            --identity keeps it, so that it is the same the next time.

            --user lets somebody in to push and pull, --reader to pull alone. In the file of --users, a line [read-only], [push-only] or \
            [read-write] says what those below it may do, and [read-only travel,hotels] with which of the databases: the others are not there \
            for them.

            Web pages are not let in: those of other servers by what browsers say of them (the header Origin), and those that pass for this one \
            by the name they came by (Host). --allow-origin lets the pages of an app in; --allow-host is for names that this machine does not \
            know itself by, of a proxy in front of it for example.

            --advertise lets others on the local network find it, by way of the Avahi daemon: "peers" lists it, and "sync DATABASE peer:NAME" replicates \
            with it. Names of databases are then no secret there. --mesh does that, and looks for peers itself: with each that has a database of the \
            same name it replicates continuously, in both directions, as soon as it is there. They let each other in as the first --user, who has the \
            same password everywhere, and have the same --identity; or by certificates of their own that are in the file of --client-ca, or signed by \
            one that is. A peer that shows no such certificate, or speaks no TLS, is not connected to.

            Nobody can push a conflict: who has one pulls first. Ctrl-C, or SIGTERM, ends it in order. With --json each event is a line.
            """,
        flags: ServeFlags.all,
        arguments: [
            Argument(
                "DATABASE", .database, .optionalRepeating, impliedByOpenDatabase: true,
                "The .cblite2 bundle, NAME=PATH, or a directory with bundles in it")
        ],
        examples: [
            .init("cblite serve travel.cblite2", "For programs of this machine: ws://localhost:4984/travel"),
            .init("cblite serve travel.cblite2 --tls --user ada:@password.txt", "For ada, from everywhere."),
            .init("cblite serve travel.cblite2 --user ada --reader bob", "ada may push and pull, bob may pull: from this machine."),
            .init("cblite serve --read-only --address 0.0.0.0 travel.cblite2", "For everybody, to pull from."),
            .init("cblite serve --rest travel.cblite2", "curl http://localhost:4984/travel/_all_docs"),
            .init("cblite serve --dir ~/databases --auth --cors", "As LiteServ: all databases there, for \"cbl\", and for web pages."),
            .init("cblite serve --config edge.json", "What a file for Couchbase Edge Server says, with its API."),
            .init("cblite serve travel.cblite2 --tls --user ada --advertise=kitchen", "For ada, who finds it as peer:kitchen."),
            .init("cblite serve --mesh --identity group.pem --user ada:@password.txt travel.cblite2", "With all who have that file, too."),
            .init("cblite serve --create -C inventory.hotel in=incoming.cblite2", "A new database to push to, as \"in\"."),
        ],
        run: { try DatabaseServer($0).run() })
}
