import B2CConnector
import Foundation

/// What the command line asks for.
struct Arguments {
  var settings: String?
  var policy: String?
  var issuer: String?
  var clientID: String?
  var scopes: [String] = []
  var redirectURI: URL?
  var prompt = Prompt.automatic
  var loopbackPort: UInt16?
  var usesBrowser = false
  var printsURL = false
  var keepsServers = false
  var diagnoses = false
  var isVerbose = false
  var showsHelp = false

  /// Reads the arguments that follow the program's name.
  init(_ words: [String]) throws {
    var words = words[...]
    var given: Set<String> = []
    while let word = words.popFirst() {
      func value() throws -> String {
        guard let value = words.popFirst(), !value.hasPrefix("--") else {
          throw UsageError(message: "\(word) needs a value")
        }
        return value
      }
      given.insert(word)
      switch word {
      case "--settings": settings = try value()
      case "--policy": policy = try value()
      case "--issuer": issuer = try value()
      case "--client-id": clientID = try value()
      case "--scopes": scopes = try value().split(separator: " ").map(String.init)
      case "--redirect-uri":
        let text = try value()
        guard let url = URL(string: text), url.scheme != nil else {
          throw UsageError(message: "\(text) is not a redirect URI")
        }
        redirectURI = url
      case "--prompt": prompt = Prompt(rawValue: try value())
      case "--loopback-port":
        let text = try value()
        guard let port = UInt16(text) else { throw UsageError(message: "\(text) is not a port") }
        loopbackPort = port
      case "--browser": usesBrowser = true
      case "--print-url": printsURL = true
      case "--keep": keepsServers = true
      case "--diagnose": diagnoses = true
      case "--verbose", "-v": isVerbose = true
      case "--help", "-h": showsHelp = true
      default: throw UsageError(message: "There is no option \(word)")
      }
    }
    guard !showsHelp else { return }
    if issuer != nil, clientID == nil { throw UsageError(message: "--issuer needs --client-id") }
    if policy != nil, settings == nil { throw UsageError(message: "--policy needs --settings") }
    if issuer == nil {
      try Self.refuse(
        ["--client-id", "--scopes", "--redirect-uri"], in: given, "needs --issuer, because settings name their own")
    }
    if issuer != nil || settings != nil {
      try Self.refuse(["--browser", "--keep"], in: given, "works only with the tenant on this machine")
    } else {
      try Self.refuse(["--prompt"], in: given, "needs --settings or --issuer")
      if !usesBrowser, !printsURL {
        try Self.refuse(["--loopback-port"], in: given, "needs --browser or --print-url")
      }
    }
    if issuer != nil { try Self.refuse(["--settings"], in: given, "cannot be used with --issuer") }
    if diagnoses {
      try Self.refuse(
        ["--browser", "--print-url", "--keep", "--prompt", "--policy"], in: given,
        "cannot be used with --diagnose, which opens no page and checks all policies")
    }
    if usesBrowser { try Self.refuse(["--print-url"], in: given, "cannot be used with --browser") }
  }

  /// Refuses the first of some options that was given.
  private static func refuse(_ options: [String], in given: Set<String>, _ reason: String) throws {
    if let option = options.first(where: given.contains) { throw UsageError(message: "\(option) \(reason)") }
  }

  static let help = """
    Signs a user in, works with tasks and signs out, one line for each step.

    swift run quickstart                      on a tenant and a task server started on this machine
      --browser                               you do the sign-in pages in your browser
      --keep                                  keep the servers running until you press return
    swift run quickstart --settings FILE      the same on your tenant and API
      --policy ID                             with this policy instead of the settings' sign-in policy
    swift run quickstart --issuer URL --client-id ID
                                              at any OpenID Connect issuer: sign-in, user info, refresh, sign-out
      --scopes "openid email"                 the scopes to request
      --redirect-uri URI                      the registered one, by default http://127.0.0.1/callback
    With both of these:
      --prompt login                          what the page asks for although there is a session
    With each of them:
      --diagnose                              only check settings, authority, keys and sign-in page, and say what to fix
      --loopback-port N                       wait for the redirect on this port of 127.0.0.1
      --print-url                             print "OPEN <URL>" instead of opening a browser
      --verbose                               the requests and the claims too
      --help                                  this text

    Exit codes: 0 done, 1 a step failed, 2 the settings or the options must be fixed.
    """
}

/// An option that does not exist or lacks its value.
struct UsageError: Error, CustomStringConvertible {
  let message: String
  var description: String { message + ". --help shows the options." }
}
