import CBLFleece
import CBLStore
import CBLTransport

@testable import CBLReplication

/// What was done when a conversation with a server of CouchDB's kind was recorded, and is done again when it is played.
struct RecordedCouchScenario: Sendable {
    enum Step: Sendable {
        case local(@Sendable (Database) throws -> Void)
        /// By other hands. Only while recording: the recording knows what came of it.
        case server([Change])
        case session(push: Bool, cut: Int? = nil)
    }

    enum Change: Sendable {
        case put(String, String)
        case delete(String)
        case attach(String, name: String, type: String, [UInt8])
        case bulk(String)
    }

    var name: String
    var steps: [Step]

    private static let pull = Step.session(push: false)
    private static let push = Step.session(push: true)

    private static func content(_ count: Int) -> [UInt8] { (0..<count).map { UInt8(truncatingIfNeeded: ($0 &* $0 >> 4) ^ $0) } }

    static let all = [pulling, pushing, conflicts, resuming]

    private static let pulling = RecordedCouchScenario(
        name: "pull",
        steps: [
            .server([
                .put("_design/words", #"{"views":{}}"#),
                .put("a b/ü+☃?#%", #"{"text":"☃\u0000😀","number":1.5,"list":[null,true,{}]}"#),
                .put("twice", #"{"n":1}"#), .put("twice", #"{"n":2}"#),
                .put("gone", "{}"), .delete("gone"),
                .put("photo", #"{"n":1}"#),
                .attach("photo", name: "small.txt", type: "text/plain", Array("hi".utf8)),
                .attach("photo", name: "large/one.bin", type: "application/x-test", content(5000)),
                .bulk(
                    #"""
                    {"new_edits":false,"docs":[{"_id":"branches","_rev":"1-aa","n":"a"},{"_id":"branches","_rev":"1-bb","n":"b"},\#
                    {"_id":"branches","_rev":"2-cc","n":"c","_revisions":{"start":2,"ids":["cc","bb"]}}]}
                    """#),
            ]),
            pull, pull,
            // What is here of it is not fetched again; who had it deletes it.
            .server([.put("photo", #"{"n":2}"#), .delete("twice")]),
            pull,
        ])

    private static let pushing = RecordedCouchScenario(
        name: "push",
        steps: [
            .local { database in
                let small = try database.blob(Array("hi".utf8), type: "text/plain")
                let large = try database.blob(content(5000), type: "image/png")
                try database.put("photo", #"{"n":1,"large":\#(large),"small":\#(small)}"#)
                try database.put("a b/ü+☃?#%", #"{"text":"☃😀"}"#)
                try database.put("gone", "{}")
                try database.write { try $0.delete("gone") }
            },
            push, push,
            .local { database in
                let large = try database.blob(content(5000), type: "image/png")
                try database.put("photo", #"{"n":2,"large":\#(large)}"#)
                try database.write { try $0.delete("a b/ü+☃?#%") }
            },
            push,
        ])

    private static let conflicts = RecordedCouchScenario(
        name: "conflicts",
        steps: [
            .server([.put("a", #"{"n":1}"#), .put("b", #"{"n":1}"#)]),
            pull,
            .server([.put("a", #"{"n":"theirs"}"#), .delete("b")]),
            .local { database in
                try database.put("a", #"{"n":"ours"}"#)
                try database.put("b", #"{"n":"ours"}"#)
            },
            push, pull, push,
        ])

    /// The connection breaks before the checkpoint is saved, and what had come or gone does not do so again.
    private static let resuming = RecordedCouchScenario(
        name: "resume",
        steps: [
            .server([.bulk(#"{"docs":[\#((0..<12).map { #"{"_id":"d\#(String($0 + 1000).dropFirst())"}"# }.joined(separator: ","))]}"#)]),
            .session(push: false, cut: 3), pull,
            .local { database in for number in 0..<3 { try database.put("e\(number)", "{}") } },
            .session(push: true, cut: 4), push,
        ])
}
