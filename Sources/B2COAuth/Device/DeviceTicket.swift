internal import B2CCore
internal import Foundation

/// The answer of the device authorization endpoint (RFC 8628 section 3.2), with the part that is secret.
struct DeviceTicket: Sendable {
  let deviceCode: Secret
  let authorization: DeviceAuthorization
  let interval: Duration

  init(_ response: TransportResponse, now: Date) throws(OAuthError) {
    guard let members = try? JSONReader.object(response.body),
      let deviceCode = members["device_code"]?.string, let userCode = members["user_code"]?.string,
      let address = members["verification_uri"]?.string ?? members["verification_url"]?.string,
      let url = URL(string: address), Loopback.isAllowed(url)
    else {
      throw OAuthError(.invalidResponse, "The device authorization answer lacks a code or an https address.")
    }
    self.deviceCode = Secret(deviceCode)
    let life = min(max(members["expires_in"]?.double ?? 900, 0), 86_400)
    let complete = members["verification_uri_complete"]?.string.flatMap { URL(string: $0) }
    authorization = DeviceAuthorization(
      userCode: PrintableText.plain(userCode, limit: 100), verificationURL: url,
      completeVerificationURL: complete.flatMap { Loopback.isAllowed($0) ? $0 : nil },
      expiresAt: now.addingTimeInterval(life),
      message: members["message"]?.string.flatMap { PrintableText(limit: 500).show($0) })
    // RFC 8628 section 3.2: five seconds when the server names no interval.
    interval = .seconds(min(max(members["interval"]?.double ?? 5, 1), 300))
  }
}
