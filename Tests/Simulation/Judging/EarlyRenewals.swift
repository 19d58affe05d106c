#if os(Linux)
  import B2CConnector
  import Foundation

  /// I11: no caller waits for a renewal that is only early, and one is tried at most once a minute.
  extension World {
    /// Judges an event of a connector that renews tokens beside the calls, at the moment at which it decides.
    func judgeRenewal(_ event: OAuthEvent, by app: App) {
      guard shape.proactive.contains(app.number), let call = Call.current, let grant = grant(of: call) else { return }
      switch event.kind {
      case .proactiveRefresh: judgePause(grant, call)
      case .cacheHit, .cacheMiss: judgeWait(event.kind == .cacheMiss, grant, call)
      default: break
      }
    }

    private func judgePause(_ grant: Grant, _ call: Call) {
      let name = grant.person + " " + grant.policy
      ledger.tested(.oncePerMinute)
      if let last = call.app.process.earlyRenewals[name], machine.uptime - last < 60_000_000_000 {
        ledger.fault("I11 an early renewal is tried twice in a minute", call.name)
      }
      call.app.process.earlyRenewals[name] = machine.uptime
    }

    /// A token that an earlier call has returned, and that no other has replaced, is returned until its last minute.
    private func judgeWait(_ waits: Bool, _ grant: Grant, _ call: Call) {
      guard !wasDamaged, grant.isGood, grant.isSignedIn(before: call),
        let returned = grant.returned, returned.token == grant.newestAccessToken, returned.at < call.startedAt,
        lastStoreFault < returned.at, lastClockChange < returned.at,
        // What waits for the store is known to one process.
        lastStoreFault == 0 || returned.process === call.app.process
      else { return }
      let left = returned.expiresAt.timeIntervalSince(deviceNow)
      guard left > 60 else { return }
      // Half of a token's life at most is early.
      if left <= 300 { ledger.tested(.noCallerWaits) }
      if waits {
        ledger.fault("I11 a caller waits for a renewal that is only early", "\(call.name): \(Int(left)) s left")
      }
    }

    /// The grant whose token a call wants, where that is certain.
    private func grant(of call: Call) -> Grant? {
      guard call.refusedTokens.isEmpty, !clockWentBack || processes.count == 1,
        !calls.contains(where: \.action.changesPresence)
      else { return nil }
      var person: String?
      var policy: String?
      if case .token(let named, let wanted, let force) = call.action {
        guard !force else { return nil }
        (person, policy) = (named, wanted?.key)
      } else if !call.action.isForCurrent {
        return nil
      }
      if person == nil {
        guard case .person(let current) = call.expected, call.presenceVersion == call.app.process.presence.version
        else {
          return nil
        }
        person = current
      }
      guard let person else { return nil }
      guard let policy, shape.isB2C else {
        return call.action.isForCurrent || policiesUsed(by: person) < 2 ? latestGrant(of: person) : nil
      }
      return watch.grants.last { $0.person == person && $0.policy == policy && $0.isGood }
    }

    /// By how many policies a person may have sessions: a call that names the person alone finds one by a policy of which
    /// its process does not know only where it lists the cache.
    private func policiesUsed(by person: String) -> Int {
      Set(watch.grants.filter { $0.person == person && !$0.isSignedOut }.map(\.policy)).count
    }
  }
#endif
