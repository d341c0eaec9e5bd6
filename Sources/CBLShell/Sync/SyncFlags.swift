import CBLStore

// The flags of the commands that replicate.
extension DatabaseSync {
    static let bidi = Flag("bidi", "Replicate in both directions")

    /// How to reach a server, and to be let in.
    static let serverFlags: [Flag] =
        [
            Flag(
                "user", value: "NAME[:PASSWORD]", .text,
                "Log in; :@FILE has the password in a file. Without one: $CBLITE_PASSWORD, ~/.netrc, the keyring, a question"),
            Flag("token", value: "TOKEN", .text, "Log in with a session of the server's; so does $CBLITE_TOKEN"),
            Flag("cert", value: "FILE", .file, "Log in with this certificate"),
            Flag("key", value: "FILE", .file, "The private key of --cert, if it is not in the same file"),
            Flag("header", value: "NAME: VALUE", .text, repeatable: true, "A header for the server"),
            Flag("cacert", aliases: ["rootcerts"], value: "FILE", .file, "Trust these certificates, and what they have signed, alone"),
            Flag("pin", value: "SHA256|FILE", .file, repeatable: true, "Trust the certificate, or key, of this fingerprint alone"),
            Flag("self-signed", "Trust any certificate that its owner has signed: anybody could have made it"),
            Flag("proxy", value: "URL", .text, "Go through http://[NAME:PASSWORD@]HOST:PORT, or https://…; none for no proxy"),
            Flag("interface", value: "NAME", .text, "Connect from this network interface or address"),
            Flag(
                "heartbeat", value: "SECONDS", .integer(1...86_400),
                "Ask a silent server after this time whether it is still there (default: 300)"),
        ] + SignInFlags.all

    /// What is pulled, and how it is told.
    static let pullFlags: [Flag] = [
        Flag("all-collections", "Replicate all collections of the database; so does --collection '*'"),
        Flag("channel", value: "NAME,…", .text, repeatable: true, "Pull these channels only"),
        Flag("doc-id", value: "ID", .document, repeatable: true, "Only this document"),
        Flag(
            "pull-filter", value: "[COLLECTION:]CONDITION", .text, repeatable: true,
            "Take only documents for which this SQL++ condition is true"),
        Transfer.validateFlag,
        Flag(
            "timeout", value: "SECONDS", .integer(0...86_400),
            "Give up when a server that owes an answer sends nothing for so long (default: 600; 0: never)"),
        Flag("verbose", short: "v", repeatable: true, "Tell of every document; twice also of revisions and connections"),
    ]

    static let flags: [Flag] =
        serverFlags + LogFlags.all + [
            Flag("continuous", "Go on with what changes from now on, until Ctrl-C"),
            Flag(
                "filter", value: "[COLLECTION:]CONDITION", .text, repeatable: true,
                "Replicate only documents for which this SQL++ condition is true"),
            Flag(
                "push-filter", value: "[COLLECTION:]CONDITION", .text, repeatable: true,
                "Send only documents for which this SQL++ condition is true"),
            Flag(
                "conflict", value: "RULE", .text,
                "Who wins where both sides changed a document: default, local, remote, merge, or an SQL++ expression over local, remote and base"
            ),
            Flag(
                "server-filter", value: "DESIGN/NAME", .text,
                "Pull only what this filter of the server lets through; a view filters, too: _view with --param view=DESIGN/NAME"),
            Flag("param", value: "NAME=VALUE", .text, repeatable: true, "What --server-filter is told"),
            Flag("create-target", "Make the database on the server if it is not there, where a server lets one (http:// and https://)"),
            Flag("reset-checkpoint", "Look at everything again, also at what was done already"),
            Flag("existing", short: "x", "Fail if the database is not there, instead of making it"),
            Flag("careful", "Stop at the first document that cannot be replicated"),
        ] + pullFlags

    /// What `help` says of them all.
    static let explanation = """
        Only what changed since the last time is sent, whichever program that was; deletions are changes, too. The current collection is \
        replicated, or those that --collection A,B names; where documents come to, they are made. What is interrupted goes on where it \
        stopped when it is called again.

        Passwords do not have to stand in the command line, where others see them: --user NAME asks, or takes the password from \
        $CBLITE_PASSWORD, ~/.netrc or the keyring of this session, where --keep-password has it kept; --user NAME:@FILE reads it. --login sends it once, for a cookie. --oidc signs in at the page of \
        the gateway's provider of OpenID Connect, which $BROWSER shows; --remember FILE keeps what came of it for the next time.

        A condition of --filter is SQL++ about the document: city = "Paris", META().id LIKE "hotel%". With the name of a collection in \
        front, and a colon, it is about that one. A deletion has no properties: it goes to where the document is, unless the condition \
        speaks of META().deleted itself. What does not pass is looked at again under another filter.

        Where both sides changed a document, a pull decides. By default a deletion wins, then the longer history. --conflict local and \
        remote prefer a side; merge takes the changes of both, property by property; and an expression gives the result, such as \
        CASE WHEN local.time > remote.time THEN local ELSE remote END, in which a side is NULL if it deleted the document, and base is \
        what both were made from, if it is kept. NULL deletes. If an expression fails, the conflict stays: see conflicts and resolve.

        A server at ws:// or wss:// is a gateway; one at http:// or https:// speaks the protocol of CouchDB: CouchDB itself, PouchDB's server, \
        a 1.x app, the REST API of a gateway, serve --rest. There the branches of a conflict stay, as that protocol has it, and go both \
        ways, unless --conflict says who wins; what a database with version vectors has changed cannot be pushed.

        With --json each line is an object with an "event": connected, status (activity, documents, and bytes completed and total), \
        document (direction, collection, id, revision, deleted, error), waiting (seconds, error), and at last ended (pushed, pulled, \
        failed, conflicts, filtered). An error has a domain, a code and a message.

        The exit code is 1 if a document was refused, 4 if conflicts are all that is left, and 130 after Ctrl-C, unless --continuous. \
        Ctrl-C ends at a checkpoint, a second one at once.
        """
}
