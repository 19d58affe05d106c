/// What the command line asks for.
struct Arguments {
  var settings: String?
  var policy: String?
  var issuer: String?
  var clientID: String?
  var scopes: [String] = []
  var loopbackPort: UInt16?
  var usesBrowser = false
  var printsURL = false
  var keepsServers = false
  var diagnoses = false
  var showsHelp = false

  /// Reads the arguments behind the program's name.
  init(_ words: [String]) throws {
    var words = words[...]
    while let word = words.popFirst() {
      func value() throws -> String {
        guard let value = words.popFirst() else { throw UsageError(message: "\(word) wants a value") }
        return value
      }
      switch word {
      case "--settings": settings = try value()
      case "--policy": policy = try value()
      case "--issuer": issuer = try value()
      case "--client-id": clientID = try value()
      case "--scopes": scopes = try value().split(separator: " ").map(String.init)
      case "--loopback-port":
        let text = try value()
        guard let port = UInt16(text) else { throw UsageError(message: "\(text) is no port") }
        loopbackPort = port
      case "--browser": usesBrowser = true
      case "--print-url": printsURL = true
      case "--keep": keepsServers = true
      case "--diagnose": diagnoses = true
      case "--help", "-h": showsHelp = true
      default: throw UsageError(message: "there is no option \(word)")
      }
    }
    if issuer != nil, clientID == nil { throw UsageError(message: "--issuer wants --client-id as well") }
  }

  static let help = """
    Sends a user through a policy and works with tasks, step by step.

    swift run quickstart                       on a tenant and a task server started on this machine
    swift run quickstart --settings FILE       the same on a real tenant and API
      --policy ID                              with this policy instead of the settings' sign-in policy
    swift run quickstart --issuer URL --client-id ID --scopes "openid ..."
                                               sign-in, silent refresh and sign-out at any OpenID Connect issuer
      --browser                                let a person do the sign-in page
      --print-url                              print "OPEN <URL>" in place of opening a browser
      --loopback-port N                        wait for the redirect on this port of 127.0.0.1
      --keep                                   leave the servers up at the end, until a key is pressed
      --diagnose                               check settings, authority, network and cache, and say what to fix
      --help                                   this text

    Exit codes: 0 done, 1 a step failed, 2 the settings or the options must be fixed.
    """
}

/// An option that does not exist or lacks its value.
struct UsageError: Error, CustomStringConvertible {
  let message: String
  var description: String { message + "; --help shows the options" }
}
