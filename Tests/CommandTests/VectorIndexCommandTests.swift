import CBLTestSupport
import Testing

/// What `mkindex --vector` says of the documents.
@Suite struct VectorIndexCommandTests {
    private let flags = ["--vector", "--dimensions", "2", "--centroids", "1"]

    @Test func whatIsNoVectorIsCounted() throws {
        let scratch = try Scratch([
            "a": #"{"v":[1,2]}"#, "b": #"{"v":[1]}"#, "c": #"{"v":null}"#, "d": "{}", "e": #"{"v":"AACAPwAAAEA="}"#, "f": #"{"v":[1,"x"]}"#,
            "g": #"{"v":[]}"#,
        ])
        try scratch.expect(["put", "gone", #"{"v":[7]}"#])
        try scratch.expect(["rm", "gone"])
        let made = try scratch.expect(["mkindex", "near", "v"], "Created index \"near\"\n", flags: flags)
        #expect(
            made.errors
                == "1 document has no vector.\n4 documents have something that is none (vector has wrong number of dimensions: 2; "
                + "array contains a non-numeric value: 1; value is wrong type to be a vector: 1).\n")
        let again = try scratch.expect(["mkindex", "near", "v"], "", flags: flags)
        #expect(again.errors == "Index \"near\" exists already.\n")
        let replaced = try Program.run(["--json", "mkindex"] + flags + ["--metric", "cosine", scratch.path, "near", "v"])
        #expect(
            replaced.output
                == #"{"action":"replaced","collection":"_default","index":"near","vectors":2,"withoutVector":1,"noVector":4}"# + "\n")
        #expect(replaced.errors.isEmpty)
        // Where all is well, there is nothing to say.
        for id in ["b", "c", "d", "f", "g"] { try scratch.expect(["rm", id]) }
        #expect(try scratch.expect(["mkindex", "near", "v"], flags: flags).errors.isEmpty)
    }

    @Test func valuesOfExpressionsAreCountedLikewise() throws {
        let scratch = try Scratch(["a": #"{"v":"AACAPwAAAEA="}"#, "b": #"{"v":"AACAPw=="}"#, "c": "{}", "d": "{}"])
        let made = try scratch.expect(["mkindex", "near", "TRIM(v)"], "Created index \"near\"\n", flags: flags)
        #expect(
            made.errors
                == "2 documents have no vector.\n1 document has something that is none (data is wrong length to be a vector: 1).\n")
    }

    @Test func whatElseIsWorthKnowingIsSaid() throws {
        let scratch = try Scratch(["a": #"{"v":[1,2]}"#])
        let lazy = try scratch.expect(["mkindex", "lazy", "v"], flags: flags + ["--lazy"])
        #expect(lazy.errors == "'embed' or an app gives the documents their vectors.\n")
        let few = try scratch.expect(["mkindex", "few", "v"], flags: flags + ["--minTraining", "5"])
        #expect(few.errors.contains("minTrainingSize of 5 is too small; raising it to 25, based on 1 centroids."))
    }
}
