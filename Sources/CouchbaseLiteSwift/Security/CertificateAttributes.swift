internal import CBLBase
internal import CBLTransport
import Foundation

// The keys of the attributes that `TLSIdentity.createIdentity` takes. The first eleven are parts of the owner's name, the others names by which
// the owner is known elsewhere.

/// What the owner is called. A certificate must have it.
public let certAttrCommonName = "CN"
/// A name that is not the real one.
public let certAttrPseudonym = "pseudonym"
/// A person's first name.
public let certAttrGivenName = "GN"
/// A person's last name.
public let certAttrSurname = "SN"
/// A company or the like.
public let certAttrOrganization = "O"
/// A department.
public let certAttrOrganizationUnit = "OU"
/// A postal address.
public let certAttrPostalAddress = "postalAddress"
/// A town.
public let certAttrLocality = "L"
/// A postal code.
public let certAttrPostalCode = "postalCode"
/// A state or province.
public let certAttrStateOrProvince = "ST"
/// Two letters.
public let certAttrCountry = "C"
/// An e-mail address.
public let certAttrEmailAddress = "rfc822Name"
/// A host name. Clients compare it with that of the URL.
public let certAttrHostname = "dNSName"
/// A URL.
public let certAttrURL = "uniformResourceIdentifier"
/// As numbers with dots or colons.
public let certAttrIPAddress = "iPAddress"
/// An object identifier: numbers with dots.
public let certAttrRegisteredID = "registeredID"

/// The identifiers of the parts of a name (X.520), in the order in which they are written.
private let nameParts: [(attribute: String, objectID: String)] = [
    (certAttrCountry, "2.5.4.6"), (certAttrStateOrProvince, "2.5.4.8"), (certAttrLocality, "2.5.4.7"),
    (certAttrPostalCode, "2.5.4.17"), (certAttrPostalAddress, "2.5.4.16"), (certAttrOrganization, "2.5.4.10"),
    (certAttrOrganizationUnit, "2.5.4.11"), (certAttrCommonName, "2.5.4.3"), (certAttrPseudonym, "2.5.4.65"),
    (certAttrGivenName, "2.5.4.42"), (certAttrSurname, "2.5.4.4"),
]

extension NewCertificate {
    /// Throws if an attribute is not known, or its value cannot be one.
    mutating func take(_ attributes: [String: String]) throws {
        guard attributes[certAttrCommonName]?.isEmpty == false else {
            throw libraryError(CBLError.crypto, "A certificate needs a common name (\"\(certAttrCommonName)\").")
        }
        if let country = attributes[certAttrCountry], country.utf8.count != 2 || !country.utf8.allSatisfy({ 0x41...0x5A ~= $0 & 0xDF }) {
            throw libraryError(CBLError.crypto, "A country is two letters, not \"\(ForeignText.line(country))\".")
        }
        for (attribute, objectID) in nameParts {
            if let text = attributes[attribute] { name.append(NamePart(objectID, text)) }
        }
        for (attribute, text) in attributes.sorted(by: { $0.key < $1.key }) where !nameParts.contains(where: { $0.attribute == attribute })
        {
            alternativeNames.append(try NewCertificate.alternativeName(attribute, text))
        }
    }

    private static func alternativeName(_ attribute: String, _ text: String) throws -> AlternativeName {
        switch attribute {
        case certAttrHostname: return .host(text)
        case certAttrEmailAddress: return .email(text)
        case certAttrURL: return .url(text)
        case certAttrRegisteredID: return .objectID(text)
        case certAttrIPAddress:
            guard let bytes = addressBytes(text) else {
                throw libraryError(CBLError.crypto, "\"\(ForeignText.line(text))\" is no IP address.")
            }
            return .address(bytes)
        default:
            throw libraryError(CBLError.crypto, "\"\(ForeignText.line(attribute))\" is no attribute that a certificate can have.")
        }
    }
}
