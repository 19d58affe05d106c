import B2CConnector

/// I4: which new refresh tokens have to be stored, and on the device.
extension World {
  /// The new refresh tokens of these exchanges are gone, back to one that is stored.
  func lose(_ exchanges: [Exchange], notIn stored: Set<String>, _ reason: String) {
    var replaced: Set<String> = []
    for exchange in exchanges.reversed() {
      guard let brought = exchange.brought, !stored.contains(brought),
        exchange.grant.refreshTokens.contains(brought) || replaced.contains(brought)
      else { continue }
      exchange.lose(reason)
      replaced.insert(exchange.token)
    }
  }

  var storedRefreshTokens: Set<String> {
    Set(store.records(inMemoryOf: processes).compactMap { $0.record.refreshToken?.value })
  }

  var flushedRefreshTokens: Set<String> {
    Set(store.records(inMemoryOf: [], onDevice: true).compactMap { $0.record.refreshToken?.value })
  }

  /// Judges that nothing waits in memory any more: the newest refresh token of each good grant is stored.
  func judgeWaiting() {
    guard store.kind.isLasting else { return }
    let stored = storedRefreshTokens
    // The token of a session that has come to its own end goes.
    for grant in watch.grants where grant.isGood && !isExpired(grant) {
      if lastStoreFault >= grant.bornAt { ledger.tested(.newTokenIsStored) }
      guard !grant.isStored(in: stored) else { continue }
      ledger.fault("I4 a new refresh token waits in memory though the store is well", "grant \(grant.number)")
    }
  }

  /// Judges that after `close()` what its connector has refreshed before is stored, by a store that refused nothing.
  func judgeClosing(_ call: Call) {
    guard call.succeeded, store.kind.isLasting, call.troubles.isDisjoint(with: [.store, .cancelled]),
      call.timeSuspended == 0
    else { return }
    let stored = storedRefreshTokens
    for exchange in watch.exchanges where exchange.process === call.process && exchange.app == call.app.number {
      let grant = exchange.grant
      guard exchange.at < call.startedAt, exchange.loss == nil, grant.isGood, let brought = exchange.brought,
        grant.refreshTokens.contains(brought), !calls.contains(where: { $0.action.signsOut(grant.person) })
      else { continue }
      ledger.test(
        .newTokenIsStored, stored.contains(brought), "I4 close() returned before a new refresh token was stored",
        "grant \(grant.number)")
    }
  }

  /// Judges that a power cut has taken no token that was on the device, or that was stored by a store without faults since
  /// it was issued and not amid its storing.
  func judgeFlushed(_ before: Set<String>, _ flushed: Set<String>, _ victim: AppProcess?) {
    let stored = storedRefreshTokens
    for grant in watch.grants where grant.isGood && grant.isStored(in: before) {
      ledger.tested(.newTokenIsStored)
      guard !grant.isStored(in: stored) else { continue }
      let isAmid =
        victim != nil && !grant.isStored(in: flushed)
        && watch.exchanges.last { $0.grant === grant }?.process === victim
      guard isAmid || lastStoreFault >= grant.refreshedAt else {
        ledger.fault("I4 a power cut takes a token that was stored", "grant \(grant.number)")
        continue
      }
      let reason = isAmid ? "a power cut before the new token was stored" : "a power cut after trouble of the store"
      lose(watch.exchanges.filter { $0.grant === grant }, notIn: stored, reason)
      guard !grant.isStored(in: stored) else { continue }
      // Nothing of its session is left, so who is current depends on what else is stored.
      grant.lose(reason)
      if [.person(grant.person), .unknown].contains(presence.current) { presence.forget() }
    }
  }
}
