#if os(Linux)
  import B2CConnector
  import B2CTestKit
  import B2CTokenCache

  extension Weather.Fault {
    /// The code of an error that comes of it, at the task API as at the provider.
    var code: ErrorCode {
      switch self {
      case .refused, .lostBefore, .lostAfter, .cut: .network
      case .silent: .timedOut
      case .gateway, .unavailable: .serviceUnavailable
      case .throttled: .throttled
      case .shortened: .invalidResponse
      }
    }
  }

  /// What was done to a call, and the codes that may come of it (invariant 10).
  ///
  /// | what was done | codes |
  /// |---|---|
  /// | the call's own request to the task API met a fault | that fault's |
  /// | a request to the provider by its connector met a fault meanwhile, or in a call then under way: both are shared | that fault's |
  /// | the connector was closed | `network` |
  /// | the store refused its process something meanwhile | `tokenCache` |
  /// | a record that it has to read was damaged | `tokenCache` |
  /// | a process was suspended, or the provider was slow, meanwhile; who holds a lock is not looked at | `tokenCache` |
  /// | the API refused its token | `unauthorized` |
  /// | the person has cancelled or closed the page | `userCancelledInPage`, `userClosedBrowser` |
  /// | another person than the current one was at the page of an edit | `wrongUser` |
  /// | the task is not there, or not the person's | `notFound` |
  /// | the device's clock jumped meanwhile | `invalidIDToken` |
  /// | the process was suspended for as long as an id_token lives | `invalidIDToken` |
  struct Causes {
    let world: World
    let call: Call

    func explain(_ error: ConnectorError) -> Bool {
      switch error.code {
      case .network: isClosed || faults.contains(.network)
      case .timedOut: faults.contains(.timedOut)
      case .serviceUnavailable, .throttled, .invalidResponse: faults.contains(error.code)
      case .tokenCache: explain(Self.cacheError(in: error))
      case .unauthorized: call.troubles.contains(.refused)
      case .userCancelledInPage: call.plan?.outcome == .cancels
      case .userClosedBrowser: call.plan?.outcome == .closes
      case .wrongUser: isOfAnother
      case .notFound: isOfMissingTask
      case .invalidIDToken: world.lastClockChange >= call.startedAt || call.timeSuspended > 3_000_000_000_000
      default: false
      }
    }

    /// The codes of the faults that it met.
    private var faults: Set<ErrorCode> {
      let met = call.app.transport.met.filter {
        $0.target == .taskAPI ? $0.call == call.number : $0.at >= call.startedAt || isJoined($0)
      }
      return Set(met.map(\.fault.code))
    }

    /// Whether a call that met a fault before was still under way: its flight can be joined until its end, which may
    /// wait for the store, or for a process that was suspended.
    private func isJoined(_ met: Weather.Met) -> Bool {
      met.call.map { world.ends[$0, default: .max] >= call.startedAt } ?? false
    }

    private var isClosed: Bool { call.troubles.contains(.closed) || call.app.isClosed }

    private func explain(_ error: TokenCacheError?) -> Bool {
      switch error?.code {
      case .damaged?, .decryptionFailed?: world.wasDamaged && mayReadDamage
      case .lockTimedOut?:
        max(world.lastSuspension, world.lastSlowRequest) >= call.startedAt
          || world.processes.contains { $0.isSuspended }
      default:
        call.troubles.contains(.store)
          || call.app.process.refusedCalls.contains { world.ends[$0, default: .max] >= call.startedAt }
      }
    }

    /// A record that is damaged is no matter of a person who is named and has another one, nor of a sign-in.
    private var mayReadDamage: Bool {
      switch call.action {
      case .signIn: false
      case .token(let person?, _), .listOf(let person): world.latestGrant(of: person)?.isGood != true
      default: true
      }
    }

    /// Somebody else was at the page than the one who is current, as far as that is known.
    private var isOfAnother: Bool {
      switch call.action {
      case .editProfile:
        call.presenceVersion != call.app.process.presence.version
          || call.expected != .person(call.plan?.person.id ?? "")
      default: false
      }
    }

    private var isOfMissingTask: Bool {
      guard case .delete(let task, let owner) = call.action else { return false }
      return !world.server.tasks.contains { $0.id == task.id } || call.bearers.last?.grant.person != owner
    }

    private static func cacheError(in error: ConnectorError) -> TokenCacheError? {
      var inner = error.underlying
      while let one = inner {
        switch one {
        case let error as TokenCacheError: return error
        case let error as OAuthError: inner = error.underlying
        case let error as TaskAPIError: inner = error.underlying
        default: return nil
        }
      }
      return nil
    }
  }
#endif
