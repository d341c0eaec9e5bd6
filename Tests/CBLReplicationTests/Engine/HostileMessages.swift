import CBLBLIP
import CBLTestSupport

/// Messages that follow the protocol, do not quite, or not at all.
struct HostileMessages {
    var random: SeededRandom
    let usesVectors: Bool
    let usesCollections: Bool

    /// What the blobs of honest revisions hold: the digest is right.
    static let blob = (content: Array("hello".utf8), digest: "sha1-qvTGHdzF6KLavt4PO0gs2a6pQ00=")

    private static let documents = ["a", "b", "c", "d"]
    private static let trees = ["1-aa", "1-bb", "2-aa", "2-bb", "3-cc", "4-dd", "9-99"]
    private static let versions = [
        "18e9d1d110b00000@AliceAliceAliceAliceAA", "18e9d1d110b00001@AliceAliceAliceAliceAA", "18e9d1d110b00000@ZegpoldZegpoldZegpoldA",
        "1aa00000000@Revision+Tree+Encoding", "18e9d1d110c00000@DaveDaveDaveDaveDaveDA",
    ]
    private static let garbage = [
        "", " ", "0", "-1", "1", "true", "null", "[]", "{}", "\"\"", "x", "-", "@", "1-", "-aa", "0-aa", "1-a", "1-AA", "4294967295-aa",
        "99999999999-aa", "1@", "@*", "18e9d1d110b00000@*", "ffffffffffffffff@AliceAliceAliceAliceAA", "1e400", "18446744073709551616",
        "9223372036854775808", "\"5:6:7:8\"", "\"::\"", "_id", "\u{1}", "../../x", "sha1-", "sha1-AAAA",
        "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "é\u{301}", "1-aa,1-aa", "2-bb;1-aa", ",", ";", "1-aa, 2-bb", "5-ee,1-aa", String(repeating: "x", count: 300),
        (1...60).reversed().map { "\($0)-aa" }.joined(separator: ","),
    ]
    private static let bodies = [
        "", "null", "[]", "{}", "1", "\"x\"", "{\"a\\u0000\":1}", "[[1,\"a\\u0000\",\"1-aa\"]]", "[[]]", "[null]", "[[1]]", "[[1,2,3]]",
        "[[\"a\",\"1-aa\",1,2,3,4]]", "[{}]", "{\"a\":", "{\"a\":1e999}",
        "[-9223372036854775809, 18446744073709551616]", "{\"docIDs\":1}", "{\"docIDs\":[1]}", "{\"_id\":\"a\"}",
        "{\"a\":{\"@type\":\"blob\"}}",
        "{\"_removed\":true}", "{\"_attachments\":[]}", "{\"_attachments\":{\"blob_/a/b\":{}}}",
        "{\"_attachments\":{\"x\":{\"digest\":7}}}",
        "{\"a\":{\"@type\":\"blob\",\"digest\":\"sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=\",\"length\":-1}}", "{\"a\":[1,2,3]}",
        "{\"text\":[\"1=1-\",0,2]}",
        "{\"text\":[\"99999999999999999999=\",0,2]}", "{\"list\":{\"99-\":[]}}", "{\"list\":{\"-1-\":[1]}}", "{\"a\":{\"b\":{\"c\":[]}}}",
        "[1]",
        String(repeating: "[", count: 20_000), String(repeating: "{\"a\":", count: 5000) + "1" + String(repeating: "}", count: 5000),
    ]

    private mutating func chance(_ one: Int) -> Bool { random.below(one) == 0 }
    private mutating func pick(_ list: [String]) -> String { random.element(of: list) }

    private mutating func document() -> String { pick(HostileMessages.documents) }
    private mutating func revision() -> String {
        chance(12) ? pick(HostileMessages.garbage) : pick(usesVectors != chance(20) ? HostileMessages.versions : HostileMessages.trees)
    }

    private mutating func history() -> String {
        if chance(3) { return "" }
        if chance(4) { return pick(HostileMessages.garbage) }
        return (0..<1 + random.below(3)).map { _ in revision() }.joined(separator: chance(5) ? ";" : ",")
    }

    private mutating func body() -> String {
        if chance(4) { return pick(HostileMessages.bodies) }
        var members = [
            #""n":\#(random.below(9))"#, #""text":"\#(String(repeating: "word ", count: random.below(80)))""#, #""list":[1,2,3]"#,
        ]
        if chance(3) {
            let digest = chance(3) ? "sha1-AAAAAAAAAAAAAAAAAAAAAAAAAAA=" : HostileMessages.blob.digest
            let blob = #""digest":"\#(digest)","length":\#(chance(4) ? 4 : 5)"#
            members.append(#""blob":{"@type":"blob",\#(blob)}"#)
            if chance(2) { members.append(#""_attachments":{"blob_/\#(chance(3) ? "x" : "blob")":{"stub":true,\#(blob)}}"#) }
        }
        return "{" + members.joined(separator: ",") + "}"
    }

    private mutating func list(_ entry: (inout HostileMessages) -> String) -> String {
        "[" + (0..<random.below(6)).map { _ in entry(&self) }.joined(separator: ",") + "]"
    }

    mutating func request() -> OutgoingMessage {
        var properties: [(String, String)] = []
        var content = ""
        let profiles = [
            "getCheckpoint", "setCheckpoint", "getCollections", "subChanges", "unsubChanges", "changes", "changes", "proposeChanges",
            "proposeChanges", "rev", "rev", "rev", "rev", "norev", "getAttachment", "proveAttachment", "getRev", "",
        ]
        let profile = pick(profiles)
        switch profile {
        case "getCheckpoint": properties = [("client", "cp-\(random.below(3))")]
        case "setCheckpoint":
            properties = [("client", "cp-\(random.below(3))"), ("rev", chance(2) ? "" : "\(random.below(3))-cc")]
            content = #"{"time":1,"local":\#(random.below(99)),"remote":\#(random.below(99))}"#
        case "getCollections": content = #"{"checkpoint_ids":["cp-0"],"collections":["\#(chance(3) ? "nope" : "_default")"]}"#
        case "subChanges":
            properties = [("versioning", usesVectors ? "version-vectors" : "rev-trees"), ("batch", "\(random.below(300))")]
            if chance(2) { properties.append(("since", "\(random.below(20))")) }
            if chance(2) { properties.append(("continuous", "true")) }
        case "changes":
            content = list { m in
                #"[\#(m.random.below(99)),"\#(m.document())","\#(m.revision())"\#(m.chance(3) ? ",\(m.random.below(16))" : "")]"#
            }
        case "proposeChanges": content = list { m in #"["\#(m.document())","\#(m.revision())","\#(m.chance(2) ? "" : m.revision())",99]"# }
        case "rev":
            properties = [("id", document()), ("rev", revision()), ("history", history()), ("sequence", "\(random.below(99))")]
            if chance(6) { properties.append(("deleted", "1")) }
            if chance(2) { properties.append(("noconflicts", "true")) }
            if chance(5) { properties.append(("deltaSrc", revision())) }
            if chance(9) { properties.append(("replacedRev", revision())) }
            if chance(20) { properties.append(("error", "502")) }
            content = body()
        case "norev":
            properties = [("id", document()), ("rev", revision()), ("sequence", "1"), ("error", pick(["404", "500", "503", "x"]))]
        case "getAttachment":
            properties = [("digest", chance(2) ? HostileMessages.blob.digest : pick(HostileMessages.garbage)), ("docID", "a")]
        case "proveAttachment":
            properties = [("digest", HostileMessages.blob.digest)]
            content = String(repeating: "n", count: random.below(300))
        default: content = body()
        }
        if usesCollections != chance(15), profile != "getCollections" { properties.insert(("collection", chance(20) ? "7" : "0"), at: 0) }
        damage(&properties, &content)
        var bytes = Array(content.utf8)
        if !bytes.isEmpty, chance(10) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
        var message = OutgoingMessage(
            profile: profile, body: .bytes(bytes), isUrgent: chance(4), isCompressed: chance(2), isNoReply: chance(5) || profile == "norev")
        var names: Set<String> = ["Profile"]
        for (name, value) in properties where names.insert(name).inserted { message.properties.append(name, value) }
        return message
    }

    private mutating func damage(_ properties: inout [(String, String)], _ content: inout String) {
        if chance(8) { content = pick(HostileMessages.bodies) }
        guard !properties.isEmpty, chance(5) else { return }
        let index = random.below(properties.count)
        switch random.below(3) {
        case 0: properties.remove(at: index)
        case 1: properties.insert((pick(HostileMessages.garbage), "x"), at: index)
        default: properties[index].1 = pick(HostileMessages.garbage)
        }
    }

    /// An answer, right or not.
    mutating func reply(to profile: String, isRight: Bool) -> OutgoingMessage {
        var message = OutgoingMessage()
        if !isRight, chance(4) {
            message.body = .bytes(Array(pick(HostileMessages.bodies).utf8))
            if chance(2) { message.properties.append(pick(["maxHistory", "rev", "deltas", "blobs"]), pick(HostileMessages.garbage)) }
            return message
        }
        switch profile {
        case "getAttachment": message.body = .bytes(isRight || chance(2) ? HostileMessages.blob.content : Array("something else".utf8))
        case "getCollections": message.body = .bytes(Array("[{}]".utf8))
        case "changes":
            message.properties.append("deltas", "true")
            message.body = .bytes(Array(list { m in m.chance(3) ? "0" : #"["\#(m.revision())"]"# }.utf8))
        case "proposeChanges":
            let verdicts = ["0", "304", "409", "500", "503", "403", #"{"status":409,"rev":"1-aa"}"#, #"{"status":409}"#]
            message.body = .bytes(Array(list { m in m.pick(verdicts) }.utf8))
        case "setCheckpoint": message.properties.append("rev", "\(random.below(9))-cc")
        default: break
        }
        return message
    }

    mutating func error() -> MessageError {
        MessageError(
            domain: pick(["HTTP", "BLIP", "LiteCore", "", "x"]),
            code: random.element(of: [0, -1, 304, 403, 404, 409, 422, 500, 503, 1 << 40]),
            message: pick(HostileMessages.garbage))
    }
}
