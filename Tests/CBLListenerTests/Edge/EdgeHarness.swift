import CBLFleece
import CBLReplication
import CBLStore
import CBLTestSupport
import CBLTransport
import Testing

@testable import CBLListener

/// A server of Couchbase Edge Server's kind over databases of a test's own, in the process.
final class EdgeServer: Sendable {
    let path: String
    let configuration: EdgeConfiguration
    let service: RESTService
    let databases: ServedDatabases
    let users: UserList
    private nonisolated(unsafe) let directory: TemporaryDirectory

    /// Each database of the configuration is made, with its collections; PATH stands for the directory.
    init(
        _ text: String = EdgeServer.plain, users: String = "{}", _ change: (inout RESTService.Settings) -> Void = { _ in }
    ) throws {
        let directory = try TemporaryDirectory(inMemory: true)
        self.directory = directory
        path = directory.path
        let configuration = try EdgeConfiguration(json5: text.replacing("PATH", with: directory.path))
        self.configuration = configuration
        self.users = try EdgeUsers(json5: users, for: configuration).list
        let shares = try configuration.databases.sorted { $0.key < $1.key }.map { name, settings in
            let database = try Database(path: settings.path, options: .create)
            try database.keepExpirations()
            try database.write { for name in settings.collections ?? [] { try $0.createCollection(name) } }
            var share = Share(name, database, collections: settings.collections, access: settings.allowsWrites ? .readWrite : .readOnly)
            share.sync = settings.sync
            share.controlsAccess = configuration.controlsAccess(to: name)
            return share
        }
        databases = ServedDatabases(shares)
        var settings = RESTService.Settings()
        settings.edge = EdgeSettings(configuration, loader: EdgeReplicationLoader { _ in [] })
        change(&settings)
        service = RESTService(databases, settings)
    }

    deinit {
        databases.close()
        for share in databases.shares { share.database.close() }
    }

    static let plain = """
        {"databases": {"db": {
            "path": "PATH/db.cblite2", "create": true, "enable_client_writes": true, "enable_client_sync": true,
            "enable_adhoc_queries": true}}}
        """

    func database(_ name: String = "db") throws -> Database { try #require(databases.openDatabase(named: name)).database }

    /// By somebody of the list, or by nobody in particular.
    @discardableResult
    func send(
        _ method: String, _ target: String, _ body: String? = nil, type: String? = "application/json", as user: String? = nil,
        headers: HTTPHeaders = [:]
    ) throws -> RESTAnswer {
        var headers = headers
        if body != nil, let type { headers.set("Content-Type", type) }
        let rights = user.flatMap { users.rights(of: $0) } ?? UserRights(role: .user, rules: AccessRules())
        let exchange = LocalExchange(
            try #require(HTTPRequest(method, target: target, headers: headers)), body: body.map { Array($0.utf8) } ?? [])
        let feed = service.respond(to: exchange, for: Visitor(user: user, rights: rights, isLocal: true), [:])
        #expect(feed == nil, "\(method) \(target) waits")
        feed?.stop()
        return RESTAnswer(exchange.answer)
    }

    func get(_ target: String, as user: String? = nil) throws -> RESTAnswer { try send("GET", target, as: user) }

    /// Stores a document, and gives its revision.
    @discardableResult
    func put(_ target: String, _ json: String) throws -> String {
        let answer = try send("PUT", target, json)
        #expect(answer.status == 201, "\(answer.text)")
        return answer["rev"] ?? ""
    }

    func feed(_ target: String) throws -> TestFeed {
        let exchange = LocalExchange(try #require(HTTPRequest("GET", target: target)), body: [])
        return TestFeed(try #require(service.respond(to: exchange), "\(exchange.answer.status)"), exchange)
    }
}
