/// One of the separate clouds that Microsoft runs; accounts and tokens of one mean nothing in another.
public struct Cloud: RawRepresentable, Sendable, Hashable {
  /// The cloud's stable name.
  public var rawValue: String

  /// Makes a cloud from its stable name.
  ///
  /// - Parameter rawValue: The name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The worldwide cloud.
  public static let global = Self(rawValue: "global")
  /// Azure operated by 21Vianet in China.
  public static let china = Self(rawValue: "china")
  /// Azure Government of the United States.
  public static let usGovernment = Self(rawValue: "usGovernment")
  /// Microsoft Cloud Germany, closed in 2021.
  public static let germany = Self(rawValue: "germany")
  /// The sovereign cloud of France (Bleu).
  public static let bleu = Self(rawValue: "bleu")
  /// The sovereign cloud of Germany (Delos).
  public static let delos = Self(rawValue: "delos")
  /// The sovereign cloud of Singapore.
  public static let singapore = Self(rawValue: "singapore")
}

extension Cloud {
  /// The domain under which Azure AD B2C tenants have their sign-in hosts.
  var b2cDomain: String? {
    switch self {
    case .global: "b2clogin.com"
    case .china: "b2clogin.cn"
    case .usGovernment: "b2clogin.us"
    case .germany: "b2clogin.de"
    default: nil
    }
  }

  /// The domain under which the cloud gives every tenant its first name.
  var tenantDomain: String {
    switch self {
    case .china: "partner.onmschina.cn"
    case .usGovernment: "onmicrosoft.us"
    case .germany: "onmicrosoft.de"
    case .bleu: "onsovcloud.fr"
    case .delos: "onsovcloud.de"
    case .singapore: "onsovcloud.sg"
    default: "onmicrosoft.com"
    }
  }

  static let all: [Cloud] = [.global, .china, .usGovernment, .germany, .bleu, .delos, .singapore]
}
