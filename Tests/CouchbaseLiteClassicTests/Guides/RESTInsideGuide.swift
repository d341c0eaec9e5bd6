// swift-format-ignore-file
// Generated from Sources/CouchbaseLiteClassic/CouchbaseLiteClassic.docc/Guides/RESTInside.md by `make docs`: change that one.
import Testing
import CouchbaseLiteClassic
import Foundation

extension GuideTests {
    @Test func runRESTInside() async {
        await #expect(processExitsWith: .success) { try await runGuide(guideRESTInside) }
    }
}

private func guideRESTInside() async throws {
    let database = try Database(name: "travel", keepingFormat: true)

    let server = try RESTServer([database])
    let made = try await server.respond(to: RESTRequest("PUT", "/travel/hotel", json: #"{"stars":4}"#))
    let list = try await server.respond(to: RESTRequest("GET", "/travel/_all_docs?include_docs=true"))
    print(made.status, await list.body.text())

    #expect(made.status == 201 && list.status == 200)
    #expect(try database.defaultCollection().document(id: "hotel")?.int(forKey: "stars") == 4)

    let near = try database.defaultCollection().view("places/near")
    near.setMap(version: "1") { document, emit in
        emit(text: document["about"])
        emit(geoJSON: document["where"])
    }
    let quiet = try await server.respond(
        to: RESTRequest("GET", "/travel/_design/places/_view/near?full_text=quiet&snippets=true"))
    let west = try await server.respond(to: RESTRequest("GET", "/travel/_design/places/_view/near?bbox=-10,35,0,60"))

    #expect(quiet.status == 200 && west.status == 200)

    let feed = try await server.respond(to: RESTRequest("GET", "/travel/_changes?feed=continuous&timeout=60000"))
    for await piece in feed.body {
        print(String(decoding: piece, as: UTF8.self))
        break
    }

    #expect(feed.status == 200)
}
