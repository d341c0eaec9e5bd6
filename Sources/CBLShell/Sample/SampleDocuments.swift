/// What is in the sample database, but for the bookings.
enum SampleDocuments {
    typealias Sample = (id: String, json: String)

    /// Several lines make one document; the first word of the first one is its ID.
    private static func documents(_ text: String) -> [Sample] {
        var result: [Sample] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("{") || line.hasPrefix("\"") {
                result[result.count - 1].json += line
            } else {
                result.append((String(line), ""))
            }
        }
        return result
    }

    static let boardingPass = """
        BOARDING PASS
        Air Fjord FJ 471   Bergen BGO -> Porto OPO
        Gate 22   Seat 14A   Boarding 07:35

        """

    static let airlines = documents(
        #"""
        airline_af
        {"type":"airline","name":"Air Fjord","iata":"FJ","callsign":"FJORD","country":"Norway","fleet":34,"founded":1987,
        "hubs":["OSL","BGO"]}
        airline_az
        {"type":"airline","name":"Azulejo Air","iata":"AZ","callsign":"AZULEJO","country":"Portugal","fleet":21,
        "founded":1998,"hubs":["LIS","OPO"]}
        airline_ca
        {"type":"airline","name":"Cascadia Air","iata":"CD","callsign":"CASCADE","country":"United States","fleet":58,
        "founded":1979,"hubs":["SEA","PDX"]}
        airline_dn
        {"type":"airline","name":"Danube Wings","iata":"DW","callsign":"DANUBE","country":"Austria","fleet":17,"founded":2004,
        "hubs":["VIE"]}
        airline_eq
        {"type":"airline","name":"Equator Express","iata":"EQ","callsign":"MERIDIAN","country":"Ecuador","fleet":12,
        "founded":2011,"hubs":["UIO","GYE"]}
        airline_hk
        {"type":"airline","name":"Hokkaidō Sky","iata":"HS","callsign":"SNOWCRANE","country":"Japan","fleet":29,
        "founded":1991,"hubs":["CTS"]}
        airline_ke
        {"type":"airline","name":"Kestrel Regional","iata":"KR","callsign":"KESTREL","country":"United Kingdom","fleet":9,
        "founded":2015,"hubs":["BRS","EXT"],"active":false}
        airline_sv
        {"type":"airline","name":"Savanna Airways","iata":"SV","callsign":"ACACIA","country":"Kenya","fleet":26,
        "founded":1983,"hubs":["NBO","MBA"]}
        """#)

    static let hotels = documents(
        #"""
        hotel_001
        {"name":"The Lighthouse Rooms","city":"Bergen","country":"Norway","price":142.5,"rating":4.6,"free_breakfast":true,
        "geo":{"lat":60.397,"lon":5.324},"reviews":[{"by":"Ines","stars":5,
        "text":"Woke up to fog and coffee. Perfect."},{"by":"Tom","stars":4,"text":"Steep stairs, splendid view."}]}
        hotel_002
        {"name":"Casa do Azulejo","city":"Porto","country":"Portugal","price":88,"rating":4.2,"free_breakfast":true,
        "geo":{"lat":41.145,"lon":-8.616},"reviews":[{"by":"Mika","stars":4,"text":"Blue tiles everywhere, and a piano."}]}
        hotel_003
        {"name":"Rain City Inn","city":"Seattle","country":"United States","price":119,"rating":3.8,"free_breakfast":false,
        "geo":{"lat":47.61,"lon":-122.336},"reviews":[]}
        hotel_004
        {"name":"Prater Garten","city":"Vienna","country":"Austria","price":101.75,"rating":4.4,"free_breakfast":true,
        "geo":{"lat":48.216,"lon":16.396},"reviews":[{"by":"Ada","stars":5,
        "text":"Quiet courtyard under chestnuts."},{"by":"Jo","stars":3,"text":"The tram starts at five."}]}
        hotel_005
        {"name":"Mitad del Mundo Hostal","city":"Quito","country":"Ecuador","price":34,"rating":4.1,"free_breakfast":true,
        "geo":{"lat":-0.0022,"lon":-78.4558},"reviews":[{"by":"Bo","stars":4,"text":"One foot in each hemisphere."}]}
        hotel_006
        {"name":"雪の宿 Yuki no Yado","city":"Sapporo","country":"Japan","price":176,"rating":4.9,"free_breakfast":true,
        "geo":{"lat":43.062,"lon":141.354},"reviews":[{"by":"Ines","stars":5,"text":"The bath, the snow, the silence."}]}
        hotel_007
        {"name":"Clifton View","city":"Bristol","country":"United Kingdom","price":96,"rating":3.9,"free_breakfast":false,
        "geo":{"lat":51.455,"lon":-2.627},"reviews":[{"by":"Tom","stars":4,
        "text":"Balloons over the bridge at breakfast. Bring your own breakfast."}]}
        hotel_008
        {"name":"Acacia House","city":"Nairobi","country":"Kenya","price":72.25,"rating":4.5,"free_breakfast":true,
        "geo":{"lat":-1.286,"lon":36.817},"reviews":[]}
        hotel_009
        {"name":"Fløyen Hostel","city":"Bergen","country":"Norway","price":49.5,"free_breakfast":false,"geo":{"lat":60.396,
        "lon":5.343},"reviews":[{"by":"Jo","stars":3,"text":"The funicular is the lift."}]}
        hotel_010
        {"name":"小樽運河ホテル Otaru Canal","city":"Otaru","country":"Japan","price":134,"rating":4.3,"free_breakfast":true,
        "geo":{"lat":43.199,"lon":141.002},"reviews":[]}
        hotel_011
        {"name":"Cabin at the End of the Road","city":"Tofino","country":"Canada","geo":{"lat":49.153,"lon":-125.904},
        "reviews":[{"by":"Bo","stars":5,"text":"No price, no rating, no neighbours."}]}
        hotel_012
        {"name":"Ribeira Rooms","city":"Porto","country":"Portugal","price":61,"rating":3.6,"geo":{"lat":41.14,"lon":-8.613},
        "reviews":[]}
        """#)
}
