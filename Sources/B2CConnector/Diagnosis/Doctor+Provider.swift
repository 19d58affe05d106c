internal import Foundation

// The provider's documents and its clock.
extension Doctor {
  /// Metadata and keys of every policy, then the clock.
  func provider() async throws -> [Finding] {
    guard let connector = try? connector.get() else {
      return ["metadata", "keys", "clock"].map { Finding($0, .skipped, "the authority has to be mended first") }
    }
    let policies: [Policy?] = settings.policies.all.isEmpty ? [nil] : settings.policies.all
    var findings: [Finding] = []
    var offset: TimeInterval?
    for policy in policies {
      let name = policy.map { " of \($0.id)" } ?? ""
      do {
        let probe = try await connector.oauth.probe(policy)
        offset = probe.clockOffset ?? offset
        findings += Self.findings(of: probe, name)
      } catch is CancellationError {
        throw CancellationError()
      } catch {
        findings.append(Self.finding(of: error, check: "metadata" + name))
        findings.append(Finding("keys" + name, .skipped, "there is no metadata"))
      }
    }
    return findings + [clock(offset, allowed: connector.oauth.configuration.clockSkew)]
  }

  private static func findings(of probe: ProviderProbe, _ name: String) -> [Finding] {
    let metadata =
      switch probe.issuer {
      case .success(let issuer): Finding("metadata" + name, .ok, "issuer \(issuer)")
      case .failure(let error): finding(of: error, check: "metadata" + name)
      }
    let keys =
      switch probe.usableKeys {
      case .success(let count) where count > 0: Finding("keys" + name, .ok, "\(count) can verify a signature")
      case .success:
        Finding(
          "keys" + name, .failed, "none can verify a signature", mend: "Check the policy's keys in the portal.")
      case .failure(let error): finding(of: error, check: "keys" + name)
      case nil: Finding("keys" + name, .skipped, "there is no metadata")
      }
    return [metadata, keys]
  }

  private func clock(_ offset: TimeInterval?, allowed: Duration) -> Finding {
    guard let offset else { return Finding("clock", .skipped, "no server has told the time") }
    let seconds = Int(offset.rounded())
    guard abs(offset) > Double(allowed.components.seconds) else {
      return Finding("clock", .ok, "\(abs(seconds)) s from the server's")
    }
    return Finding(
      "clock", .warning, "this device is \(abs(seconds)) s \(seconds > 0 ? "behind" : "ahead of") the server",
      mend: "Set the device's clock. Sign-in works all the same, since the difference is measured.")
  }
}
