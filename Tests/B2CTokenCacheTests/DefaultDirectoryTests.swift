#if !canImport(Darwin)
  import B2CTokenCache
  import Foundation
  import Testing

  @Suite struct DefaultDirectoryTests {
    // XDG Base Directory Specification: $XDG_STATE_HOME, else $HOME/.local/state; a relative path is invalid.
    @Test(
      "The default is the XDG state directory",
      arguments: [
        (["XDG_STATE_HOME": "/var/state"], "/var/state/b2cconnector/tokens"),
        ([:], "/home/person/.local/state/b2cconnector/tokens"),
        (["XDG_STATE_HOME": ""], "/home/person/.local/state/b2cconnector/tokens"),
        (["XDG_STATE_HOME": "relative"], "/home/person/.local/state/b2cconnector/tokens"),
      ])
    func stateDirectory(_ environment: [String: String], _ expected: String) {
      #expect(DefaultDirectory.location(environment: environment, home: "/home/person").path == expected)
    }
  }
#endif
