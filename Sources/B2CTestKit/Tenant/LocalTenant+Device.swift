internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The device authorization grant (RFC 8628).
extension LocalTenant {
  static let deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"

  func deviceCode(_ call: LocalTenantCall) -> LocalResponse {
    jsonAnswer(call) {
      try checkClient(call.form)
      let scopes = LocalTenantCall.scopes(call.form)
      guard !scopes.isEmpty else { throw LocalRefusal.malformed("no scope") }
      _ = try classify(scopes)
      let code = RandomText.make()
      let device = LocalDevice(
        userCode: RandomText.guid().prefix(8).uppercased(), scopes: scopes, expiresAt: call.now.addingTimeInterval(900))
      state.withLock { $0.devices[Secret(code)] = device }
      let page = call.url(LocalTenantCall.devicePage(shape))
      return [
        "device_code": .string(code), "user_code": .string(device.userCode), "verification_uri": .string(page),
        "expires_in": 900, "interval": 5,
        "message": .string("To sign in, open \(page) and enter the code \(device.userCode)."),
      ]
    }
  }

  func redeemDeviceCode(_ call: LocalTenantCall) throws -> [String: JSONValue] {
    guard let code = call.form["device_code"] else { throw LocalRefusal.malformed("no device_code") }
    let grant: LocalGrant = try state.withLock { state in
      guard let device = state.devices[Secret(code)] else { throw LocalRefusal.unknownGrant }
      guard call.now < device.expiresAt else { throw LocalRefusal.deviceCodeExpired }
      switch device.decision {
      case .denied: throw LocalRefusal.deviceDenied
      case .used: throw LocalRefusal.grantRevoked
      case .pending: throw LocalRefusal.authorizationPending
      case .approved(let userID):
        state.devices[Secret(code)]?.decision = .used
        return LocalGrant(userID: userID, policyID: nil, scopes: device.scopes, authenticatedAt: call.now)
      }
    }
    return try tokenAnswer(grant, call)
  }

  func devicePage(_ call: LocalTenantCall) -> LocalResponse {
    var page = LocalPage(
      title: "Sign in on your device", target: call.request.url?.absoluteString,
      fields: [
        .init(name: "user_code", label: "Code on your device", value: call.form["user_code"] ?? ""),
        .email(call.form["email"]), .password("Password"),
      ],
      buttons: [.init(action: "continue", label: "Allow"), .init(action: "cancel", label: "Decline")])
    guard call.request.method == "POST" else { return page.response(to: call.request) }
    do {
      let code = (call.form["user_code"] ?? "").trimmingCharacters(in: .whitespaces).uppercased()
      let isDenied = call.form["action"] == "cancel"
      let decision =
        isDenied ? .denied : LocalDevice.Decision.approved(userID: try state.withLock { try $0.signIn(call.form).id })
      guard decide(code, decision) else { throw LocalAlert(text: "This code is unknown or has expired.") }
      page = LocalPage(title: "Done", text: "You can close this page and go back to your device.")
    } catch {
      page.alert = (error as? LocalAlert)?.text
    }
    return page.response(to: call.request)
  }

  private func decide(_ userCode: String, _ decision: LocalDevice.Decision) -> Bool {
    let moment = now()
    return state.withLock { state in
      guard let (code, device) = state.devices.first(where: { $0.value.userCode == userCode }),
        moment < device.expiresAt, case .pending = device.decision
      else { return false }
      state.devices[code]?.decision = decision
      return true
    }
  }

  /// Approves a device that waits for its user, as the user would do on the page.
  ///
  /// - Parameters:
  ///   - userCode: The code that the device shows.
  ///   - email: The email address of the user who approves.
  /// - Returns: Whether the device and the user were found.
  @discardableResult
  public func approveDevice(userCode: String, email: String) -> Bool {
    user(email: email).map { decide(userCode, .approved(userID: $0.id)) } ?? false
  }

  /// Declines a device that waits for its user.
  ///
  /// - Parameter userCode: The code that the device shows.
  /// - Returns: Whether the device was found.
  @discardableResult
  public func denyDevice(userCode: String) -> Bool { decide(userCode, .denied) }
}
