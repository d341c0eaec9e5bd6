/// A stop of the tour: what to look at, and the line that shows it.
struct TourStep: Sendable {
    let title: String
    let text: String
    /// As it is typed in the interactive shell.
    let command: String

    static let all: [TourStep] = looking + asking + changing + moving

    private static let looking = [
        TourStep(
            title: "A file from a phone",
            text: """
                An app that uses Couchbase Lite keeps its documents in a bundle like this one. info says what kind it is and how much is \
                in it. Looking changes nothing: not a byte, even while an app has it open.
                """,
            command: "info"),
        TourStep(
            title: "Collections",
            text: """
                Documents live in collections: hotels and airlines of a scope called inventory, bookings, and a few notes in the default \
                collection.
                """,
            command: "lscoll"),
        TourStep(
            title: "Documents",
            text: """
                ls lists the documents of a collection, with -l a line for each. The flags say that one is in conflict (c) and one has \
                an attachment (a).
                """,
            command: "ls -l"),
        TourStep(
            title: "Another collection",
            text: """
                cd goes to a collection; the prompt shows where you are. An ID is found by a part of it: * stands for any characters. \
                Tab completes commands, collections and IDs: try "cat hotel_" and Tab.
                """,
            command: "cd inventory.hotel; ls '*_00?'"),
        TourStep(title: "One document", text: "A document is JSON.", command: "cat hotel_006"),
        TourStep(
            title: "All documents",
            text: "Nothing says what properties documents have to have. schema looks at them and tells which there are.",
            command: "schema booking"),
    ]

    private static let asking = [
        TourStep(
            title: "A question",
            text: "A line that begins with SELECT is a query in SQL++. Tab knows its words, and the properties that documents have.",
            command: "SELECT name, city, rating FROM inventory.hotel WHERE rating > 4 ORDER BY rating DESC LIMIT 5"),
        TourStep(
            title: "Counting",
            text: "Queries group and count, as in any SQL.",
            command: "SELECT status, count(*) AS bookings FROM booking GROUP BY status ORDER BY count(*) DESC"),
        TourStep(
            title: "What is not there",
            text: "Not every document has every property. What it lacks is MISSING, which is not null; \"help IS MISSING\" tells more.",
            command: "SELECT META().id, name FROM inventory.hotel WHERE rating IS MISSING"),
        TourStep(
            title: "Why is it slow?",
            text: "Without an index, a query reads all three thousand bookings. mkindex --suggest says which index would help.",
            command: "mkindex --suggest \"SELECT guest FROM booking WHERE hotel = 'hotel_006'\""),
        TourStep(title: "An index", text: "So let us make it.", command: "mkindex -C booking byHotel hotel"),
        TourStep(
            title: "Faster",
            text: "EXPLAIN in front of a query shows how it is run: now it searches instead of reading everything.",
            command: "EXPLAIN SELECT guest FROM booking WHERE hotel = 'hotel_006'"),
    ]

    private static let changing = [
        TourStep(
            title: "A change",
            text: """
                This database is a copy and open for writing; otherwise that takes --writeable. put writes a document, edit opens one in \
                your editor, and SQL++ changes many at once.
                """,
            command: "UPDATE inventory.hotel SET rating = 3 WHERE rating IS MISSING"),
        TourStep(
            title: "All or nothing",
            text: "begin opens a transaction, and the prompt has an asterisk then; commit keeps its changes, rollback forgets them.",
            command: "begin; DELETE FROM booking WHERE nights > 3; SELECT count(*) FROM booking; rollback"),
        TourStep(
            title: "A conflict",
            text: """
                Two people changed this trip, one on this phone and one elsewhere. Both versions are kept until somebody decides.
                """,
            command: "cd; conflicts --body"),
        TourStep(
            title: "Its end",
            text: "resolve decides, for one side or with properties of your own.",
            command: "resolve trip-sapporo --keep remote"),
        TourStep(
            title: "Deleted, not gone",
            text: "A deleted document leaves a tombstone, so that other devices hear of it.",
            command: "ls -l --deleted"),
        TourStep(
            title: "Back again", text: "What a server may still need is kept, and can be brought back.",
            command: "undelete weekend-in-porto"),
        TourStep(
            title: "What has changed",
            text: """
                changes lists documents in the order of their last change; note the last sequence, and ask for what came --since. diff \
                compares with another copy.
                """,
            command: "changes --since 9"),
    ]

    private static let moving = [
        TourStep(
            title: "Out of the file",
            text: "export writes JSON, CSV or a directory; here to the screen, and only the hotels that somebody liked.",
            command: "export -C inventory.hotel --where 'rating > 4.4' --jsonid id --format csv - | cut -c 1-72"),
        TourStep(
            title: "Pipes",
            text: "What a command prints can go to another program, or with > to a file.",
            command: "cat --raw '*trip*' | tr a-z A-Z"),
        TourStep(
            title: "Help",
            text: """
                "help" lists the commands, "help mkindex" explains one, "help LIKE" a word of SQL++, and there are pages about what else \
                one wants to know.
                """,
            command: "help topics"),
    ]
}
