import CBLTestSupport
import FoundationEssentials

/// Changes a real gateway's databases by REST, while something is recorded. The administrator's port is the one after the public one.
struct GatewayAdministrator {
    let host: String
    let port: Int
    private static let database = "recorded"

    struct Failure: Error { let what: String }

    /// `http://127.0.0.1:4984`
    init(_ text: String) throws {
        guard let url = URL(string: text), let host = url.host(), let port = url.port else { throw Failure(what: text) }
        self.host = host
        self.port = port
    }

    var peer: String { "ws://\(host):\(port)/\(GatewayAdministrator.database)" }

    var version: String {
        get throws {
            let words = try call("GET", "/").split(separator: "\"")
            guard let text = words.first(where: { $0.hasPrefix("Couchbase Sync Gateway/") }) else { throw Failure(what: "no version") }
            return String(text.dropFirst("Couchbase Sync Gateway/".count).prefix { $0 != "(" && $0 != " " })
        }
    }

    @discardableResult
    func call(_ method: String, _ path: String, _ json: String = "") throws -> String {
        let arguments = [
            "-s", "-S", "-g", "-X", method, "-H", "Content-Type: application/json", "http://\(host):\(port + 1)\(path)",
        ]
        let body = json.isEmpty ? [] : ["--data-binary", "@-"]
        guard let result = try Program.run(tool: "curl", arguments + body, input: json), result.exitCode == 0 else {
            throw Failure(what: "\(method) \(path)")
        }
        if result.output.contains("\"error\":"), method != "DELETE" { throw Failure(what: "\(method) \(path): \(result.output)") }
        return result.output
    }

    /// A database that is new, with the users GUEST and alice.
    func create(_ scenario: RecordedScenario) throws {
        let name = GatewayAdministrator.database
        try call("DELETE", "/\(name)/")
        var settings = #""bucket":"\#(name)-\#(UUID().uuidString)""#
        let function = scenario.syncFunction.map { #""sync":"\#($0)""# }
        var access = #""admin_channels":["\#(scenario.channels.joined(separator: #"",""#))"]"#
        if scenario.gatewayCollections.isEmpty {
            settings += function.map { "," + $0 } ?? ""
        } else {
            let list = scenario.gatewayCollections.map { #""\#($0)":{\#(function ?? "")}"# }.joined(separator: ",")
            settings += #","scopes":{"garden":{"collections":{\#(list)}}}"#
            let granted = scenario.gatewayCollections.map { #""\#($0)":{\#(access)}"# }.joined(separator: ",")
            access = #""collection_access":{"garden":{\#(granted)}}"#
        }
        try call("PUT", "/\(name)/", "{\(settings)}")
        try call("PUT", "/\(name)/_user/GUEST", #"{"disabled":\#(scenario.user != nil),\#(access)}"#)
        try call("PUT", "/\(name)/_user/alice", #"{"password":"pass",\#(access)}"#)
    }

    func perform(_ change: GatewayChange) throws {
        let database = "/\(GatewayAdministrator.database)"
        switch change {
        case .put(let id, let json, let collection):
            let path = "\(database)\(collection.map { ".garden.\($0)" } ?? "")/\(id)"
            let revision = try revision(of: path)
            try call("PUT", path + (revision.map { "?rev=\($0)" } ?? ""), json)
        case .delete(let id):
            let path = "\(database)/\(id)"
            try call("DELETE", path + (try revision(of: path).map { "?rev=\($0)" } ?? ""))
        case .grant(let channels):
            let list = channels.joined(separator: #"",""#)
            try call("PUT", "\(database)/_user/alice", #"{"password":"pass","admin_channels":["\#(list)"]}"#)
        case .forgetCheckpoint(let id):
            let path = "\(database)/_local/checkpoint%252F\(id.replacing("/", with: "%252F"))"
            try call("DELETE", path + (try revision(of: path).map { "?rev=\($0)" } ?? ""))
        case .moveCheckpoint(let id):
            let path = "\(database)/_local/checkpoint%252F\(id.replacing("/", with: "%252F"))"
            let revision = try revision(of: path)
            try call("PUT", path, #"{\#(revision.map { #""_rev":"\#($0)","# } ?? "")"local":0}"#)
        }
    }

    private func revision(of path: String) throws -> String? {
        guard let text = try? call("GET", path), let start = text.firstRange(of: "\"_rev\":\"")?.upperBound else { return nil }
        return String(text[start...].prefix { $0 != "\"" })
    }
}
