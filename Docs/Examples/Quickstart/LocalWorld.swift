import B2CConnector
import B2CTestKit
import Foundation

/// A tenant and a task server on this machine, with settings written for them; nothing of it is on the disk.
struct LocalWorld: Sendable {
  let time = AdjustableTime()
  let tenant: LocalTenant
  let tasks: LocalTaskServer
  let redirectURI: String

  /// Starts both on ports that the system chooses.
  init(redirectURI: String) async throws {
    let time = time
    self.redirectURI = redirectURI
    tenant = LocalTenant(
      tenantName: "quickstart",
      policies: [
        LocalPolicy("B2C_1_todo_email_signup", .signUp), LocalPolicy("B2C_1_todo_email_signin", .signIn),
        LocalPolicy("B2C_1_todo_facebook_signin", .federatedSignIn),
      ], redirectURIs: [redirectURI], now: { time.now })
    tasks = LocalTaskServer(tenant: tenant)
    try await tenant.start()
    try await tasks.start()
  }

  func stop() async {
    await tenant.stop()
    await tasks.stop()
  }

  /// The tutorial's `settings.plist`, as a person would write it.
  var settings: String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
      <key>authority</key><string>\(tenant.authority(form: .query))</string>
      <key>clientId</key><string>\(tenant.clientID)</string>
      <key>scopes</key><array>\(tenant.apiScopes.map { "<string>\($0)</string>" }.joined())</array>
      <key>additionalScopes</key><array/>
      <key>redirectUri</key><string>\(redirectURI)</string>
      <key>taskWebAPI</key><string>\(tasks.url.absoluteString)</string>
      <key>emailSignUpPolicyId</key><string>B2C_1_todo_email_signup</string>
      <key>faceBookSignInPolicyId</key><string>B2C_1_todo_facebook_signin</string>
      <key>emailSignInPolicyId</key><string>B2C_1_todo_email_signin</string>
      <key>fullScreen</key><false/>
      <key>showClaims</key><true/>
    </dict>
    </plist>

    """
  }
}
