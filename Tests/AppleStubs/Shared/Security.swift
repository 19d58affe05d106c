// swift-format-ignore-file
// The parts of Security that the package uses. Core Foundation's types are classes of their own, and none of them is
// Sendable, as the reference declares them. Bridging casts do not exist off Apple: `adapt` writes `value as CFString` as
// `value ~~> CFString.self`, and the operator is declared for the pairs that bridge.
import Foundation
import FoundationNetworking

open class CFObject: Hashable {
  init() {}
  public static func == (left: CFObject, right: CFObject) -> Bool { left === right }
  public func hash(into hasher: inout Hasher) {}
}

public final class CFString: CFObject {}
public final class CFData: CFObject {}
public final class CFDictionary: CFObject {}
public typealias CFTypeRef = AnyObject

infix operator ~~> : CastingPrecedence
public func ~~> (value: CFString, type: String.Type) -> String { "" }
public func ~~> (value: String, type: String.Type) -> String { value }
public func ~~> (value: Data, type: CFData.Type) -> CFData { CFData() }
public func ~~> (value: CFData?, type: Data?.Type) -> Data? { nil }
public func ~~> (value: [String: Any], type: CFDictionary.Type) -> CFDictionary { CFDictionary() }
public func ~~> (value: [CFString: Any], type: CFDictionary.Type) -> CFDictionary { CFDictionary() }

public typealias OSStatus = Int32

public final class CFError: CFObject, Error, @unchecked Sendable {}

public final class SecKey {}

public let errSecSuccess: OSStatus = 0

public nonisolated(unsafe) let kSecClass = CFString()
public nonisolated(unsafe) let kSecClassGenericPassword = CFString()
public nonisolated(unsafe) let kSecAttrService = CFString()
public nonisolated(unsafe) let kSecAttrAccount = CFString()
public nonisolated(unsafe) let kSecAttrAccessGroup = CFString()
public nonisolated(unsafe) let kSecAttrAccessible = CFString()
public nonisolated(unsafe) let kSecAttrSynchronizable = CFString()
public nonisolated(unsafe) let kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly = CFString()
public nonisolated(unsafe) let kSecUseDataProtectionKeychain = CFString()
public nonisolated(unsafe) let kSecValueData = CFString()
public nonisolated(unsafe) let kSecReturnData = CFString()
public nonisolated(unsafe) let kSecReturnAttributes = CFString()
public nonisolated(unsafe) let kSecMatchLimit = CFString()
public nonisolated(unsafe) let kSecMatchLimitOne = CFString()
public nonisolated(unsafe) let kSecMatchLimitAll = CFString()
public nonisolated(unsafe) let kSecAttrKeyType = CFString()
public nonisolated(unsafe) let kSecAttrKeyTypeRSA = CFString()
public nonisolated(unsafe) let kSecAttrKeyClass = CFString()
public nonisolated(unsafe) let kSecAttrKeyClassPublic = CFString()
public nonisolated(unsafe) let kSecAttrKeyClassPrivate = CFString()
public nonisolated(unsafe) let kSecAttrKeySizeInBits = CFString()

public func SecItemAdd(_ attributes: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }
public func SecItemUpdate(_ query: CFDictionary, _ attributesToUpdate: CFDictionary) -> OSStatus { 0 }
public func SecItemDelete(_ query: CFDictionary) -> OSStatus { 0 }
public func SecItemCopyMatching(_ query: CFDictionary, _ result: UnsafeMutablePointer<CFTypeRef?>?) -> OSStatus { 0 }

public struct SecKeyAlgorithm: RawRepresentable, Hashable, @unchecked Sendable {
  public var rawValue: CFString
  public init(rawValue: CFString) { self.rawValue = rawValue }

  public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm(rawValue: CFString())
  public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm(rawValue: CFString())
  public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm(rawValue: CFString())
  public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm(rawValue: CFString())
  public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm(rawValue: CFString())
  public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm(rawValue: CFString())
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
