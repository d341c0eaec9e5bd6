/// What is in a database, and how one asks for it.
extension HelpTopic {
    static let data: [HelpTopic] = [
        HelpTopic(
            name: "queries", aliases: ["query", "sql", "sqlpp", "sql++"],
            summary: "Asking questions in SQL++",
            text: """
                A line that begins with SELECT is a query. FROM names a collection: _ is the default one, others are name or scope.name. \
                META().id is a document's ID. A property that a document lacks is MISSING, which is not null.

                "help WHERE", "help LIKE", "help GROUP BY" and so on explain the words of the language; "help functions" lists its functions. \
                $name stands for a value that --param name=JSON gives. \\G at the end shows each row as lines.
                """,
            examples: [
                .init("SELECT name, city FROM inventory.hotel WHERE rating > 4 ORDER BY rating DESC", "A table."),
                .init("SELECT status, count(*) AS n FROM booking GROUP BY status", "How often each value occurs."),
                .init("SELECT META().id FROM inventory.hotel WHERE rating IS MISSING", "Documents that lack a property."),
                .init("query -p most=60 SELECT name FROM inventory.hotel WHERE price < $most", "With a parameter."),
            ]),
        HelpTopic(
            name: "statements", aliases: ["insert", "upsert", "update", "delete", "create", "drop"],
            summary: "Changing many documents at once, in SQL++",
            text: """
                INSERT, UPSERT, UPDATE and DELETE change documents, CREATE and DROP collections and indexes, if the database was opened with \
                --writeable. Each statement is done wholly or not at all; "query --dry-run" undoes it again and tells what it would change.

                  INSERT INTO collection (KEY, VALUE) VALUES ('id', {'name': 'x'})
                  UPDATE collection SET property = expression UNSET property WHERE condition
                  DELETE FROM collection WHERE condition
                  CREATE INDEX name ON collection (expression) WHERE condition
                """,
            examples: [
                .init("query --dry-run UPDATE inventory.hotel SET rating = 5 WHERE city = 'Bergen'", "What would be changed."),
                .init("UPDATE inventory.hotel SET rating = 3 WHERE rating IS MISSING", "The same, done."),
                .init("DELETE FROM booking WHERE status = 'cancelled'", "Many documents less."),
            ]),
        HelpTopic(
            name: "transactions", aliases: ["transaction", "atomic"],
            summary: "Several changes, all or none",
            text: """
                begin opens a transaction, and the prompt has an asterisk then: what follows belongs together. commit keeps it, rollback \
                forgets it, and so does leaving. Others who have the database open see nothing of it before, and wait with their own changes.
                """,
            examples: [
                .init("begin; rm flash-sale; rm packing-list; commit", "Both, or neither."),
                .init("begin; DELETE FROM booking WHERE nights > 3; rollback", "To see what would happen."),
            ]),
        HelpTopic(
            name: "documents", aliases: ["document"],
            summary: "What a document is, and how to see and change one",
            text: """
                A document is a JSON object with an ID, a revision, and a sequence, which grows with every change in its collection. put \
                writes one, edit opens it in an editor, rm deletes it and leaves a tombstone, so that the deletion can be replicated; \
                purge leaves nothing. undelete brings a deleted document back. A document may expire at a time; blobs lie beside it in files.

                The JSON that is typed may be JSON5: names without quotes, comments, commas at the end.
                """,
            examples: [
                .init("ls -l", "IDs, revisions, flags, sequences, sizes."), .init("cat welcome", "One document."),
                .init("put greeting {text: 'Hello', stars: 5}", "A new one, or a new revision."),
                .init("rm greeting", "A tombstone remains."), .init("undelete weekend-in-porto", "It is there again."),
            ]),
        HelpTopic(
            name: "blobs", aliases: ["attachments", "pictures", "files"],
            summary: "Pictures and other files of documents",
            text: """
                A blob is a file in the database's folder Attachments, named after its content; a property of a document refers to it by that \
                digest. blob ls lists them, blob put adds one, blob get gives its content. check finds those that are missing, and compact \
                removes those that no document refers to.

                cp, dump and an export into a directory take blobs along; JSON and CSV hold only the references.
                """,
            examples: [
                .init("blob ls", "Which there are, and whose."), .init("blob get welcome boarding_pass > pass.txt", "The content of one."),
                .init("export -C '*' everything/", "All documents and blobs, as files."),
            ]),
        HelpTopic(
            name: "collections", aliases: ["collection", "scopes"],
            summary: "Where documents live",
            text: """
                Every document is in a collection, and every collection in a scope: inventory.hotel is the collection hotel of the scope \
                inventory. What names no scope is in the default one, and _default is the default collection.

                lscoll lists them; cd chooses the one that commands work on, and --collection, or -C, names another for one command. After \
                cd inventory.hotel, _ in a query is that collection, and airline is inventory.airline.
                """,
            examples: [
                .init("lscoll", "All collections."), .init("cd inventory.hotel; ls", "The hotels."),
                .init("ls -C inventory.airline", "The airlines."), .init("mkcoll inventory.train", "A new one."),
            ]),
        HelpTopic(
            name: "conflicts", aliases: ["conflict", "merging"],
            summary: "When a document was changed here and elsewhere",
            text: """
                If two sides change the same revision of a document, both results are kept until somebody decides. One of them counts \
                meanwhile, the same one on every device. ls -l marks such documents with c; conflicts lists what competes.

                resolve decides: --keep local or --keep remote, a revision, or --merge with properties that replace both.
                """,
            examples: [
                .init("ls -l --conf", "The documents that are in conflict."), .init("conflicts --body", "And what each side says."),
                .init("resolve trip-sapporo --keep remote", "The other side is right."),
            ]),
        HelpTopic(
            name: "revisions", aliases: ["revision", "versions", "vectors", "history of documents"],
            summary: "How a database tells old from new",
            text: """
                Each change makes a revision. Up to 3.x, revisions form a tree: 3-6f66826c is the third generation, and its digest depends on \
                what it says and on its parent. Databases of 4.x may use version vectors instead: 18c2f4a7e0d0000@* is a time and who \
                changed the document, * being this database.

                Bodies of old revisions are kept only as long as a server may need them; their IDs are kept longer. The beginning of an ID is \
                enough if no other begins so.
                """,
            examples: [
                .init("revs trip-sapporo", "The tree of a document."), .init("cat --rev packing-list", "With the revision's ID."),
                .init("cat --revision 2-9d1e trip-sapporo", "Another revision, if its body is kept."),
            ]),
        HelpTopic(
            name: "indexes", aliases: ["index", "slow", "performance"],
            summary: "Making queries quick",
            text: """
                Without an index a query reads every document of its collection. --explain in front of a query says whether it does, \
                mkindex --suggest which index would help, and mkindex makes it. Every write keeps indexes right.
                """,
            examples: [
                .init("EXPLAIN SELECT guest FROM booking WHERE hotel = 'hotel_006'", "How it would be run."),
                .init("mkindex --suggest \"SELECT guest FROM booking WHERE hotel = 'hotel_006'\"", "What would help."),
                .init("mkindex -C booking byHotel hotel", "The index."), .init("info indexes", "Which indexes there are."),
            ]),
        HelpTopic(
            name: "full-text", aliases: ["fulltext", "fts", "search", "full-text search"],
            summary: "Finding words",
            text: """
                A full-text index, made by mkindex --fts, finds words and their other forms: "steps" finds "step". fts searches it and shows \
                where the words stand; MATCH(index, 'words') does so in a query. Words have to occur all; "a phrase", begin*, OR and NOT \
                do what they say.
                """,
            examples: [
                .init("mkindex -C inventory.hotel --fts names name", "An index of words."),
                .init("fts -C inventory.hotel names 'house OR inn'", "What is found."),
                .init("SELECT name FROM inventory.hotel WHERE MATCH(names, 'light*')", "In a query."),
            ]),
        HelpTopic(
            name: "models", aliases: ["model", "predictions", "predictive", "ml"],
            summary: "Asking programs in queries",
            text: """
                PREDICTION(NAME, {'text': name}) asks a model about an object. With --model NAME=PROGRAM a program is one: for each line of JSON \
                that it gets, the object, it writes one, an object, or null if it has nothing to say; {"error": "…"} fails the query. A blob \
                arrives with its content in Base64, as "data". The program is started by sh when it is first asked, and ended with the \
                command; only a person can name one, and no script. A predictive index, made by mkindex --predict, keeps the answers.
                """,
            examples: [
                .init(
                    "cblite query --model echo=cat travel.cblite2 \"SELECT PREDICTION(echo, {'text': name}).text FROM inventory.hotel\"",
                    "The simplest model says what it is told."),
                .init(
                    "cblite mkindex travel.cblite2 names -C inventory.hotel --predict echo --outputs text --model echo=cat \"{'text': name}\"",
                    "What it says is kept."),
                .init(
                    "cblite query travel.cblite2 \"SELECT name FROM inventory.hotel WHERE PREDICTION(echo, {'text': name}).text > 'R'\"",
                    "It is not asked any more."),
            ]),
        HelpTopic(
            name: "nearest", aliases: ["vector search", "vector indexes", "vector", "embeddings", "similarity"],
            summary: "Finding what is near to a vector",
            text: """
                A vector index, made by mkindex --vector, finds the documents whose vectors are nearest to another: ORDER BY \
                APPROX_VECTOR_DISTANCE(vector, $target) LIMIT 10. The vector is an array of numbers, or Base64 of 32-bit floats. A lazy index \
                (--lazy) is of what a vector is to be made of, such as a text; embed asks a program or a service for it, once for each \
                document that is new or was changed.
                """,
            examples: [
                .init("cblite mkindex travel.cblite2 meaning -C inventory.hotel --vector --dimensions 2 --lazy name", "A lazy index."),
                .init(
                    "cblite embed travel.cblite2 meaning --command \"while read line; do echo '[1,2]'; done\"",
                    "A program that says the same of everything."),
                .init(
                    "cblite query travel.cblite2 \"SELECT name FROM inventory.hotel ORDER BY APPROX_VECTOR_DISTANCE(name, [1,1]) LIMIT 3\"",
                    "The nearest."),
            ]),
        HelpTopic(
            name: "patterns", aliases: ["wildcards", "pattern", "glob"],
            summary: "Naming several documents at once",
            text: """
                Where a command takes document IDs, * stands for any characters and ? for one: ls '*part*' finds an ID by a part of it. In the \
                system's shell patterns need quotes. For properties there are LIKE and regexp_like() in queries.
                """,
            examples: [
                .init("ls -C inventory.hotel '*_00?'", "By the shape of the ID."), .init("cat --key title '*-sapporo'", "By its end."),
                .init("SELECT name FROM inventory.hotel WHERE name LIKE '%House%'", "By what a property holds."),
            ]),
    ]
}
