import B2CTestKit
import Foundation

/// A time that began when it was made.
struct Hold {
  let since = machine.uptime
  let until: UInt64
}

/// Looks at every request on its way and every answer, and knows of each token whose it is.
final class Watch: @unchecked Sendable {
  unowned let world: World
  private(set) var grants: [Grant] = []
  private var ofRefreshToken: [String: Grant] = [:]
  private(set) var ofAccessToken: [String: Grant] = [:]
  /// All exchanges of refresh tokens that succeeded, and the last one of each token that another has replaced.
  private(set) var exchanges: [Exchange] = []
  private var uses: [String: Exchange] = [:]
  /// Access tokens that came for a request with claims.
  private(set) var tokensWithClaims: Set<String> = []
  private(set) var secrets: Set<String> = []
  /// Access tokens that the task server refuses, and whether it refuses all.
  var refusedTokens: Set<String> = []
  var refusesAll = false

  init(_ world: World) { self.world = world }

  func grant(ofRefreshToken token: String) -> Grant? { ofRefreshToken[token] }

  /// The people who have signed in so far.
  var people: Set<String> { Set(grants.map(\.person)) }

  /// Notes something that no text may show.
  func note(secret: String) { secrets.insert(secret) }

  /// The task server refuses every access token that was issued so far.
  func refuseTokens() { refusedTokens.formUnion(ofAccessToken.keys) }

  /// Judges a request as the client sends it.
  func sending(_ request: URLRequest, _ call: Call?, _ process: AppProcess) {
    if let token = Self.bearer(request) {
      if let call, !call.refusedTokens.isEmpty {
        let isNew = !call.refusedTokens.contains(token)
        world.ledger.test(.refusedToken, isNew, "I6 a refused token is sent again in the same call", call.name)
      }
      guard let grant = ofAccessToken[token] else {
        return world.ledger.fault("I2 a token that the provider never issued", call?.name ?? "")
      }
      call?.bearers.append((token, grant))
      judgeSignedOut(grant, call)
    }
    if let token = Self.form(request)["refresh_token"], let grant = ofRefreshToken[token] {
      judgeSignedOut(grant, call)
      if let call { judgeRefresh(of: grant, call, process) }
    }
  }

  /// Judges whether a refresh may be sent now, and by this connector.
  private func judgeRefresh(of grant: Grant, _ call: Call, _ process: AppProcess) {
    let ledger = world.ledger
    if world.shape.hasReader {
      ledger.test(.mayRefresh, call.app.mayRefresh, "I1 a connector that must not refresh has done so", call.name)
    }
    if world.shape.asks {
      // A flight that the call has joined ends two minutes after the question, unless its process is suspended.
      let isRecent = process.agreements[grant.person, default: 0] >= call.startedAt - 130_000_000_000
      let isAgreed = isRecent || process.timeSuspended > 0
      ledger.test(.agreement, isAgreed, "I1 a refresh to which nobody has agreed", call.name)
    }
    let hold = process.holds[grant.number]
    if let hold, !call.action.mustRefresh { judge(hold, grant, call, process) }
    process.holds[grant.number] = Hold(until: max(hold?.until ?? 0, machine.uptime + 59_000_000_000))
  }

  private func judge(_ hold: Hold, _ grant: Grant, _ call: Call, _ process: AppProcess) {
    world.ledger.tested(.renewals)
    // A clock that was set may end a token, and the wait.
    guard let token = process.tokens[grant.number], machine.uptime < min(token.until, hold.until),
      world.lastClockChange < token.since, world.lastClockChange < hold.since, hold.since < call.startedAt
    else { return }
    world.ledger.fault("I5 a token that has not expired is renewed too soon", "\(call.name), grant \(grant.number)")
  }

  /// The server wants no further refresh for a time.
  func throttled(_ request: URLRequest, for seconds: Int, in process: AppProcess) {
    guard let token = Self.form(request)["refresh_token"], let grant = ofRefreshToken[token] else { return }
    process.holds[grant.number] = Hold(until: machine.uptime + UInt64(seconds - 1) * 1_000_000_000)
  }

  private func judgeSignedOut(_ grant: Grant, _ call: Call?) {
    guard let call else { return }
    if grants.contains(where: { $0.person == grant.person && $0.isSignedOut }) { world.ledger.tested(.signedOut) }
    if grant.isSignedOut, call.number > grant.lastCall {
      world.ledger.fault("I3 a token was sent by a call that began after the sign-out", call.name)
    }
  }

  private func judgeReuse(_ token: String, _ grant: Grant, _ call: Call?, _ process: AppProcess) {
    guard world.shape.rotates else { return }
    // Where there is an older token, it could have been sent.
    if exchanges.contains(where: { $0.grant === grant }) { world.ledger.tested(.refreshTokenOnce) }
    guard let use = uses[token] else { return }
    if let excuse = excuse(of: use, by: process) {
      world.ledger.excuse("used again: " + excuse)
      if world.shape.reuse != .allowed { grant.lose(excuse) }
      return
    }
    let whom =
      use.process !== process
      ? (use.process?.isDead == true ? "after a restart" : "another process")
      : use.app == call?.app.number ? "the same connector" : "another connector"
    world.ledger.fault(
      "I1 a refresh token is used twice, by " + whom, "grant \(grant.number) in \(call?.name ?? "the background")")
    grant.lose("used twice")
  }

  /// Why a client could not know that a refresh token was used; there are no other reasons.
  private func excuse(of use: Exchange, by process: AppProcess) -> String? {
    if let loss = use.loss { return loss }
    if use.process?.isDead != false, use.deliveredAt == nil { return "killed" }
    guard let other = use.process, other !== process, other.lastStoreFault >= use.at else { return nil }
    return "the store refused another process since"
  }

  /// Has the server do its work, and remembers what it gave.
  func serve(_ request: URLRequest, _ call: Call?, _ process: AppProcess) async -> (LocalResponse, Exchange?) {
    if let url = request.url, world.server.serves(url) {
      if let token = Self.bearer(request), refusesAll || refusedTokens.contains(token) {
        return (LocalResponse(status: 401, headers: ["WWW-Authenticate": "Bearer error=\"invalid_token\""]), nil)
      }
      return (await response(of: world.server, request), nil)
    }
    let form = Self.form(request)
    secrets.formUnion(["code", "code_verifier", "refresh_token"].compactMap { form[$0] })
    if let token = form["refresh_token"], let grant = ofRefreshToken[token] {
      judgeReuse(token, grant, call, process)
    }
    let response = await response(of: world.tenant, request)
    guard form["grant_type"] != nil, response.status == 200, let fields = try? JSONReader.object(response.body)
    else { return (response, nil) }
    return (response, note(fields, form, call, process))
  }

  private func response(of service: any LocalService, _ request: URLRequest) async -> LocalResponse {
    (try? await service.answer(request)) ?? LocalResponse(status: 500)
  }

  private func note(
    _ fields: [String: JSONValue], _ form: [String: String], _ call: Call?, _ process: AppProcess
  ) -> Exchange? {
    let used = form["refresh_token"]
    let accessToken = fields["access_token"]?.string
    let grant: Grant
    if let used, let known = ofRefreshToken[used] {
      grant = known
    } else {
      let claims = accessToken.flatMap(Self.claims) ?? [:]
      grant = Grant(
        grants.count + 1, person: claims["oid"]?.string ?? claims["sub"]?.string ?? "",
        allowsReuse: world.shape.reuse == .allowed, world.ledger)
      grants.append(grant)
      call?.grant = grant
    }
    secrets.formUnion(["access_token", "refresh_token", "id_token"].compactMap { fields[$0]?.string })
    if let accessToken {
      ofAccessToken[accessToken] = grant
      if form["claims"] != nil { tokensWithClaims.insert(accessToken) }
    }
    let newer = fields["refresh_token"]?.string
    if let newer {
      ofRefreshToken[newer] = grant
      grant.issue(newer, for: used)
    }
    guard let used else { return nil }
    let exchange = Exchange(grant, used, brought: newer, process, call?.app.number ?? 0)
    exchanges.append(exchange)
    if newer != nil { uses[used] = exchange }
    return exchange
  }

  /// The provider ends all grants of a person.
  func end(grantsOf person: String, _ reason: String) {
    for grant in grants where grant.person == person && grant.end == nil { grant.end = reason }
  }

  /// An answer has reached the client.
  func delivered(_ response: LocalResponse, to request: URLRequest, _ call: Call?, _ exchange: Exchange?) {
    exchange?.deliveredAt = machine.uptime
    let grant = exchange?.grant ?? (Self.form(request)["code"] == nil ? nil : call?.grant)
    if let grant, response.status == 200, let process = call?.process {
      // It was on its way for a while.
      let life = UInt64(world.shape.accessLife - 70) * 1_000_000_000
      process.tokens[grant.number] = Hold(until: machine.uptime + life)
    }
    guard response.status == 401, let token = Self.bearer(request) else { return }
    call?.refusedTokens.insert(token)
    call?.note(.refused)
  }

  private static func bearer(_ request: URLRequest) -> String? {
    let field = request.value(forHTTPHeaderField: "Authorization") ?? ""
    return field.hasPrefix("Bearer ") ? String(field.dropFirst(7)) : nil
  }

  private static func form(_ request: URLRequest) -> [String: String] {
    guard request.method == "POST", request.url?.path.hasSuffix("/token") == true, let body = request.httpBody else {
      return [:]
    }
    let fields = FormEncoding.decode(String(decoding: body, as: UTF8.self)).map { ($0.name, $0.value) }
    return Dictionary(fields) { first, _ in first }
  }

  private static func claims(_ token: String) -> [String: JSONValue]? {
    let parts = token.split(separator: ".")
    guard parts.count > 1, let bytes = Base64URL.decode(String(parts[1])) else { return nil }
    return try? JSONReader.object(bytes)
  }
}
