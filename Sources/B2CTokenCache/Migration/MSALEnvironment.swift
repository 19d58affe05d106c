/// The host names of one cloud of Entra ID, which mean the same.
enum MSALEnvironment {
  /// The libraries disagree on the name that they write: some `login.windows.net`, some the host that was asked.
  private static let preferredNames = [
    "login.windows.net": "login.microsoftonline.com", "login.microsoft.com": "login.microsoftonline.com",
    "sts.windows.net": "login.microsoftonline.com",
    "login.chinacloudapi.cn": "login.partner.microsoftonline.cn",
    "login.usgovcloudapi.net": "login.microsoftonline.us",
  ]

  /// The name that settings have, in lower case.
  static func preferred(_ environment: String) -> String {
    let name = environment.lowercased()
    return preferredNames[name] ?? name
  }
}
