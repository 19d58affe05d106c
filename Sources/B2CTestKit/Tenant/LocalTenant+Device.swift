internal import B2CCore
internal import B2CHTTP
internal import Foundation

/// The device authorization grant (RFC 8628).
extension LocalTenant {
  func deviceCode(_ call: LocalTenantCall) -> LocalResponse {
    jsonAnswer(call) {
      _ = try checkClientID(call.form)
      let scopes = (call.form["scope"] ?? "").split(separator: " ").map(String.init)
      guard !scopes.isEmpty else { throw LocalRefusal.malformed("no scope") }
      _ = try classify(scopes)
      let code = RandomText.make()
      let device = LocalDevice(
        userCode: RandomText.guid().prefix(8).uppercased(), scopes: scopes, expiresAt: call.now.addingTimeInterval(900))
      state.withLock { $0.devices[code] = device }
      let page = devicePageURL(call)
      return [
        "device_code": .string(code), "user_code": .string(device.userCode), "verification_uri": .string(page),
        "expires_in": .integer(900), "interval": .integer(5),
        "message": .string("To sign in, open \(page) and enter the code \(device.userCode)."),
      ]
    }
  }

  func redeemDeviceCode(_ call: LocalTenantCall) throws -> [String: JSONValue] {
    guard let code = call.form["device_code"] else { throw LocalRefusal.malformed("no device_code") }
    let (device, userID): (LocalDevice, String) = try state.withLock { state in
      guard let device = state.devices[code] else { throw LocalRefusal.unknownGrant }
      guard call.now < device.expiresAt else { throw LocalRefusal.deviceCodeExpired }
      switch device.decision {
      case .denied: throw LocalRefusal.deviceDenied
      case .used: throw LocalRefusal.grantRevoked
      case .approved(let userID):
        state.devices[code]?.decision = .used
        return (device, userID)
      case .pending: throw LocalRefusal.authorizationPending
      }
    }
    let grant = LocalGrant(
      id: RandomText.guid(), userID: userID, clientID: clientID, policyID: nil, scopes: device.scopes,
      authenticatedAt: call.now)
    return try tokenAnswer(grant, scopes: device.scopes, nonce: nil, isRefresh: false, call)
  }

  private func devicePageURL(_ call: LocalTenantCall) -> String {
    call.url(shape == .openIDConnect ? "/device" : "/oauth2/deviceauth")
  }

  func devicePage(_ call: LocalTenantCall) -> LocalResponse {
    guard call.request.method == "POST" else { return showDevicePage(call, alert: nil) }
    let code = (call.form["user_code"] ?? "").trimmingCharacters(in: .whitespaces).uppercased()
    var decision = LocalDevice.Decision.denied
    if call.form["action"] != "cancel" {
      switch state.withLock({ $0.signIn(call.form["email"] ?? "", call.form["password"] ?? "") }) {
      case .refused(let alert): return showDevicePage(call, alert: alert)
      case .accepted(let userID, _): decision = .approved(userID: userID)
      }
    }
    guard decide(code, decision) else {
      return showDevicePage(call, alert: "This code is not known, or no longer good.")
    }
    return LocalPage(title: "Done", text: "You can close this page and go back to your device.")
      .response(to: call.request)
  }

  private func showDevicePage(_ call: LocalTenantCall, alert: String?) -> LocalResponse {
    LocalPage(
      title: "Sign in on your device", alert: alert,
      target: devicePageURL(call),
      fields: [
        LocalPage.Field(
          name: "user_code", label: "Code on your device",
          value: call.form["user_code"] ?? ""),
        LocalPage.Field(name: "email", label: "Email address", type: "email", value: call.form["email"] ?? ""),
        LocalPage.Field(name: "password", label: "Password", type: "password"),
      ],
      buttons: [
        LocalPage.Button(action: "continue", label: "Allow"), LocalPage.Button(action: "cancel", label: "Decline"),
      ]
    ).response(to: call.request)
  }

  func decide(_ userCode: String, _ decision: LocalDevice.Decision) -> Bool {
    let moment = now()
    return state.withLock { state in
      guard
        let code = state.devices.first(where: { $0.value.userCode == userCode })?.key,
        let device = state.devices[code], moment < device.expiresAt, case .pending = device.decision
      else { return false }
      state.devices[code]?.decision = decision
      return true
    }
  }
}

extension LocalTenant {
  /// Allows a waiting device to sign in, as its user would on the page.
  ///
  /// - Parameters:
  ///   - userCode: The code the device shows.
  ///   - email: The email of the person who allows it.
  /// - Returns: Whether there were such a device and such a person.
  @discardableResult
  public func approveDevice(userCode: String, email: String) -> Bool {
    guard let user = user(email: email) else { return false }
    return decide(userCode, .approved(userID: user.id))
  }

  /// Declines a waiting device.
  ///
  /// - Parameter userCode: The code the device shows.
  /// - Returns: Whether there was such a device.
  @discardableResult
  public func denyDevice(userCode: String) -> Bool { decide(userCode, .denied) }
}
