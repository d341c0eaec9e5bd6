import CBLStore
import CBLTestSupport
import Testing

@testable import CBLListener

@Suite struct EdgeConfigurationTests {
    private static let full = """
        // JSON5, with comments
        {
            $schema: "https://example.com/schema.json",
            interface: "127.0.0.2:59841",
            enable_anonymous_users: false,
            users: "users.json",
            enable_user_access_control: true,
            https: {tls_cert_path: "c.pem", tls_key_path: "k.pem", client_cert_path: "ca.pem"},
            cors: {origin: ["https://example.com"], headers: ["Authorization"], max_age: 60},
            databases: {
                travel: {
                    path: "data/travel.cblite2", create: true, collections: ["inventory.hotel", "notes", "_default"],
                    enable_client_writes: true, enable_client_sync: "pull", enable_adhoc_queries: true,
                    queries: {cheap: "SELECT 1", dear: {statement: "SELECT 2", allow: {collections: ["travel.notes"]}}},
                    placeholder_uuid: "00112233445566778899aabbccddeeff", enable_user_access_control: false,
                },
                other: {path: "other.cblite2", collections: {"a.b": {}}, enable_client_sync: true},
            },
            replications: [
                {source: "wss://example.com:4984/t", target: "travel", continuous: true, bidirectional: true,
                 collections: {"inventory.hotel": {channels: ["a"], doc_ids: ["d"]}}, headers: {"X-A": "b"},
                 pinned_cert: "p.pem", auth: {openid_token: {path: "token"}, reconnect_on_token_change: true},
                 proxy: {type: "HTTPS", host: "proxy", port: 8080, auth: {user: "u", password: "p"}}},
            ],
            logging: {console: false, domains: {REST: "warning", Sync: "verbose"}, file: {dir: "log", format: "text", rotateCount: 2},
                      audit: {file: "audit.txt", enable: [57358], disable: [57344], omit_description: true}},
        }
        """

    @Test func everySettingIsRead() throws {
        let read = try EdgeConfiguration(json5: EdgeConfigurationTests.full)
        #expect(read.address == "127.0.0.2" && read.port == 59841 && !read.admitsAnonymous && read.usersPath == "users.json")
        #expect(
            read.https?.clientAuthoritiesPath == "ca.pem" && read.pages?.origins == ["https://example.com"] && read.pages?.seconds == 60)
        let travel = try #require(read.databases["travel"])
        #expect(travel.collections?.map(\.description) == ["inventory.hotel", "notes", "_default"])
        #expect(travel.creates && travel.allowsWrites && travel.sync == .readOnly && travel.allowsAdHocQueries)
        #expect(travel.queries?["cheap"]?.text == "SELECT 1" && travel.queries?["dear"]?.collections == ["travel.notes"])
        #expect(!read.controlsAccess(to: "travel") && read.controlsAccess(to: "other"))
        let other = try #require(read.databases["other"])
        #expect(!other.creates && !other.allowsWrites && other.sync == .readWrite && other.queries == nil)
        let replication = try #require(read.replications.first)
        #expect(replication.local == "travel" && !replication.isPush && replication.isBidirectional && replication.isContinuous)
        #expect(replication.collections?.first?.channels == ["a"] && replication.watchedFile == "token" && replication.proxy?.port == 8080)
        #expect(read.logging.level(of: "REST") == .warning && read.logging.level(of: "Sync") == .verbose)
        #expect(read.logging.files?.isPlainText == true && read.logging.files?.kept == 2 && !read.logging.console)
        #expect(read.logging.audited.contains(.documentCreated) && !read.logging.audited.contains(.serverStarted))
    }

    @Test func whatIsNotSaidIsClosed() throws {
        let read = try EdgeConfiguration(json5: #"{"databases": {"db": {"path": "db.cblite2"}}}"#)
        #expect(read.port == 59840 && read.address == nil && !read.admitsAnonymous && read.https == nil && read.replications.isEmpty)
        let database = try #require(read.databases["db"])
        #expect(!database.allowsWrites && database.sync == nil && !database.allowsAdHocQueries && database.collections == nil)
        #expect(read.logging.console && read.logging.level(of: "REST") == .info && read.logging.level(of: "DB") == .warning)
    }

    @Test(
        arguments: [
            ("59840", "59840", 59840), ("0.0.0.0", "0.0.0.0", 59840), ("10.0.0.1:80", "10.0.0.1", 80), (":81", nil, 81),
            ("[::1]:82", "::1", 82), ("[::1]", "::1", 59840), ("::1", "::1", 59840), ("a:b", nil, 0), ("a:99999", nil, 0), ("[::1", nil, 0),
        ] as [(String, String?, UInt16)])
    func anInterfaceIsAnAddressAPortOrBoth(text: String, address: String?, port: UInt16) throws {
        let read = try? EdgeConfiguration(json5: #"{"databases": {}, "interface": "\#(text)"}"#)
        #expect(read.map { $0.address == address && $0.port == port } ?? (port == 0))
    }

    @Test(
        arguments: [
            (#"{}"#, "databases: it is missing"),
            (#"{"databases": [] }"#, "databases: it has to be an object"),
            (#"{"databases": {"db": {}}}"#, "databases.db.path: it is missing"),
            (#"{"databases": {"db": {"path": "db.sqlite"}}}"#, "databases.db.path: it has to end with .cblite2"),
            (#"{"databases": {"_x": {"path": "db.cblite2"}}}"#, "databases._x: it cannot be the name of a database"),
            (#"{"databases": {"a.b": {"path": "db.cblite2"}}}"#, "databases.a.b: it cannot be the name of a database"),
            (
                #"{"databases": {"db": {"path": "db.cblite2", "enable_client_wirtes": true}}}"#,
                #"databases.db.enable_client_wirtes: there is no such setting. Did you mean "enable_client_writes"?"#
            ),
            (#"{"databases": {"db": {"path": "db.cblite2", "create": "yes"}}}"#, "databases.db.create: it has to be true or false"),
            (
                #"{"databases": {"db": {"path": "db.cblite2", "enable_client_sync": "both"}}}"#,
                #"databases.db.enable_client_sync: it has to be true, false, "pull", "push" or "bidirectional""#
            ),
            (#"{"databases": {"db": {"path": "db.cblite2", "collections": ["a.b.c.d"]}}}"#, "databases.db.collections: "),
            (#"{"databases": {"db": {"path": "db.cblite2", "password": ""}}}"#, "databases.db.password: it has to be a text"),
            (#"{"databases": {}, "https": {"tls_cert_path": "c"}}"#, "https.tls_key_path: it is missing"),
            (#"{"databases": {}, "htps": {}}"#, #"htps: there is no such setting. Did you mean "https"?"#),
            (#"{"databases": {}, "logging": {"domains": {"REST": "loud"}}}"#, "logging.domains.REST: "),
            (#"{"databases": {}, "logging": {"file": {"dir": "d", "format": "xml"}}}"#, "logging.file.format: "),
            (
                #"{"databases": {}, "logging": {"audit": {"file": "f", "enable": [1]}}}"#,
                "logging.audit.enable: there is no event of the number 1"
            ),
            (#"{"databases": {}, "replications": [{"source": "a", "target": "b"}]}"#, "replications[0]: one of source and target"),
            (
                #"{"databases": {}, "replications": [{"source": "ws://h/a", "target": "b"}]}"#,
                #"replications[0]: there is no database "b""#
            ),
            (
                #"{"databases": {"b": {"path": "b.cblite2"}}, "replications": [{"source": "http://h/a", "target": "b"}]}"#,
                "replications[0].source: "
            ),
            (
                #"{"databases": {"b": {"path": "b.cblite2"}}, "replications": [{"source": "ws://h/a", "target": "b", "channels": ["x"], "collections": ["c"]}]}"#,
                "replications[0]: with collections"
            ),
            (
                #"{"databases": {"b": {"path": "b.cblite2"}}, "replications": [{"source": "ws://h/a", "target": "b", "auth": {"user": "u", "password": "p", "session_cookie": "s"}}]}"#,
                "replications[0].auth: there are several ways"
            ),
            (#"{"databases": {},"#, "line 1"),
        ])
    func whatIsWrongIsSaidWithItsPlace(text: String, message: String) {
        #expect {
            _ = try EdgeConfiguration(json5: text)
        } throws: { error in
            "\(error)".hasPrefix(message)
        }
    }

    /// Whatever stands in a file, it is read or it is an error.
    @Test func filesThatAreCutOrChangedDoNoHarm() {
        let text = Array(EdgeConfigurationTests.full.utf8)
        for length in stride(from: 0, to: text.count, by: 3) {
            _ = try? EdgeConfiguration(json5: String(decoding: text[..<length], as: UTF8.self))
        }
        for place in stride(from: 0, to: text.count, by: 5) {
            for bit in [0, 2, 5] as [UInt8] {
                var changed = text
                changed[place] ^= 1 << bit
                _ = try? EdgeConfiguration(json5: String(decoding: changed, as: UTF8.self))
            }
        }
    }
}
