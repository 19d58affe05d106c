// swift-format-ignore-file
// The parts of Security that the package uses. Bridging casts do not exist off Apple, so Core Foundation's types are the
// types they bridge to; objects are classes, and none of them is Sendable, as the reference declares them.
import Foundation
import FoundationNetworking

public typealias CFString = String
public typealias CFData = Data
public typealias CFDictionary = [String: Any]
public typealias CFTypeRef = AnyObject
public typealias OSStatus = Int32

public final class CFError: Error {}

public final class SecKey {}
public final class SecTrust {}

public let errSecSuccess: OSStatus = 0

public let kSecClass: CFString = "class"
public let kSecClassGenericPassword: CFString = "genp"
public let kSecAttrService: CFString = "svce"
public let kSecAttrAccount: CFString = "acct"
public let kSecAttrAccessGroup: CFString = "agrp"
public let kSecAttrAccessible: CFString = "pdmn"
public let kSecAttrGeneric: CFString = "gena"
public let kSecAttrModificationDate: CFString = "mdat"
public let kSecAttrSynchronizable: CFString = "sync"
public let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly: CFString = "cku"
public let kSecAttrAccessibleWhenUnlockedThisDeviceOnly: CFString = "aku"
public let kSecAttrAccessibleWhenPasscodeSetThisDeviceOnly: CFString = "akpu"
public let kSecUseDataProtectionKeychain: CFString = "nleg"
public let kSecValueData: CFString = "v_Data"
public let kSecReturnData: CFString = "r_Data"
public let kSecReturnAttributes: CFString = "r_Attributes"
public let kSecMatchLimit: CFString = "m_Limit"
public let kSecMatchLimitOne: CFString = "m_LimitOne"
public let kSecMatchLimitAll: CFString = "m_LimitAll"
public let kSecAttrKeyType: CFString = "type"
public let kSecAttrKeyTypeRSA: CFString = "42"
public let kSecAttrKeyClass: CFString = "kcls"
public let kSecAttrKeyClassPublic: CFString = "0"
public let kSecAttrKeyClassPrivate: CFString = "1"
public let kSecAttrKeySizeInBits: CFString = "bsiz"

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }

public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
  public var rawValue: CFString
  public init(rawValue: CFString) { self.rawValue = rawValue }

  public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm(rawValue: "PKCS1v15SHA256")
  public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm(rawValue: "PKCS1v15SHA384")
  public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm(rawValue: "PKCS1v15SHA512")
  public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm(rawValue: "PSSSHA256")
  public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm(rawValue: "PSSSHA384")
  public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm(rawValue: "PSSSHA512")
}

public typealias SecKeyError = UnsafeMutablePointer<Unmanaged<CFError>?>

public func SecKeyCreateRandomKey(_ parameters: CFDictionary, _ error: SecKeyError?) -> SecKey? { nil }
public func SecKeyCreateWithData(_ keyData: CFData, _ attributes: CFDictionary, _ error: SecKeyError?) -> SecKey? {
  nil
}
public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { nil }
public func SecKeyCopyExternalRepresentation(_ key: SecKey, _ error: SecKeyError?) -> CFData? { nil }
public func SecKeyCreateSignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData, _ error: SecKeyError?
) -> CFData? { nil }
public func SecKeyVerifySignature(
  _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData, _ error: SecKeyError?
) -> Bool { false }

public func SecTrustEvaluateWithError(_ trust: SecTrust, _ error: UnsafeMutablePointer<CFError?>?) -> Bool { false }

// On Apple's systems these belong to Foundation, which on Linux does not know `SecTrust`.
extension URLProtectionSpace {
  public var serverTrust: SecTrust? { nil }
}

extension URLCredential {
  public convenience init(trust: SecTrust) { self.init(user: "", password: "", persistence: .none) }
}

public let NSURLAuthenticationMethodServerTrust = "NSURLAuthenticationMethodServerTrust"
