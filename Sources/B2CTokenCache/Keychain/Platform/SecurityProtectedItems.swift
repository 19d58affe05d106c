#if canImport(Security) && (os(iOS) || os(macOS) || os(visionOS))
  internal import B2CCore
  internal import Foundation
  internal import LocalAuthentication
  internal import Security

  /// The protected items of one service in the system's keychain, each bound to its user by an access control.
  ///
  /// `LAContext.evaluatePolicy` would be a question beside the item, which a patched app can skip. Here the Secure Enclave
  /// gives out nothing without the answer.
  struct SecurityProtectedItems: ProtectedKeychainItems {
    let name: String
    let accessibility: KeychainAccessibility
    let protection: KeychainProtection?

    private final class Authentication: KeychainAuthentication {
      /// Ended on one thread while another waits for its answer, as it is made to be.
      let context: ThreadSafeReference<LAContext>

      init(reason: String?) {
        let context = LAContext()
        // An empty reason is an exception.
        if let reason, !reason.isEmpty { context.localizedReason = reason }
        self.context = ThreadSafeReference(context)
      }

      func invalidate() { context.object.invalidate() }
    }

    var isOn: Bool { protection != nil }
    private var isForEnrolment: Bool { protection?.kind == .currentBiometry }

    func authentication() -> any KeychainAuthentication { Authentication(reason: protection?.reason) }

    func add(
      _ data: Data, account: String, in group: String, with authentication: (any KeychainAuthentication)?
    ) throws(ProtectedItemFailure) {
      let flags: SecAccessControlCreateFlags = isForEnrolment ? .biometryCurrentSet : .userPresence
      guard let control = SecAccessControlCreateWithFlags(nil, accessibility.attribute, flags, nil) else {
        throw .notSetUp
      }
      var item = query(account, group)
      item[kSecAttrAccessControl as String] = control
      item[kSecValueData as String] = data
      // Adding does not ask; with the answer of the reading it cannot.
      if let context = (authentication as? Authentication)?.context.object {
        item[kSecUseAuthenticationContext as String] = context
      }
      // Without a passcode the system may take an item that it never gives out.
      guard obstacle(.deviceOwnerAuthentication) != .passcodeNotSet else { throw .notSetUp }
      // No enrolment can make an item useless that is not there yet.
      try check(SecItemAdd(item as CFDictionary, nil), canBeGone: false)
    }

    func data(
      _ account: String, in group: String, with authentication: any KeychainAuthentication
    ) throws(ProtectedItemFailure) -> Data {
      var item = query(account, group)
      item[kSecReturnData as String] = true
      item[kSecMatchLimit as String] = kSecMatchLimitOne as String
      if let context = (authentication as? Authentication)?.context.object {
        item[kSecUseAuthenticationContext as String] = context
      }
      var result: CFTypeRef?
      try check(SecItemCopyMatching(item as CFDictionary, &result), canBeGone: true)
      guard let data = result as? Data else { throw .gone }
      return data
    }

    func remove(_ account: String, in group: String) throws(KeychainStatus) {
      let status = SecItemDelete(query(account, group) as CFDictionary)
      guard status == errSecSuccess else { throw KeychainStatus(rawValue: status) }
    }

    func accounts(in group: String) throws(KeychainStatus) -> [String] {
      var item = query(nil, group)
      item[kSecReturnAttributes as String] = true
      item[kSecMatchLimit as String] = kSecMatchLimitAll as String
      let silent = LAContext()
      silent.interactionNotAllowed = true
      item[kSecUseAuthenticationContext as String] = silent
      var result: CFTypeRef?
      let status = SecItemCopyMatching(item as CFDictionary, &result)
      guard status == errSecSuccess else { throw KeychainStatus(rawValue: status) }
      let found = result as? [[String: Any]] ?? []
      return found.compactMap { $0[kSecAttrAccount as String] as? String }
    }

    private func query(_ account: String?, _ group: String) -> [String: Any] {
      var query: [String: Any] = [
        kSecClass as String: kSecClassGenericPassword as String, kSecAttrService as String: name,
        kSecAttrSynchronizable as String: false, kSecUseDataProtectionKeychain as String: true,
        kSecAttrAccessGroup as String: group,
      ]
      if let account { query[kSecAttrAccount as String] = account }
      return query
    }

    private func check(_ status: OSStatus, canBeGone: Bool) throws(ProtectedItemFailure) {
      guard status != errSecSuccess else { return }
      throw ProtectedItemFailure(
        KeychainStatus(rawValue: status),
        obstacle: obstacle(isForEnrolment ? .deviceOwnerAuthenticationWithBiometrics : .deviceOwnerAuthentication),
        isForEnrolment: canBeGone && isForEnrolment)
    }

    /// Why a question would be in vain; nothing is asked.
    private func obstacle(_ policy: LAPolicy) -> AuthenticationObstacle? {
      var error: NSError?
      guard !LAContext().canEvaluatePolicy(policy, error: &error), let error else { return nil }
      return AuthenticationObstacle(rawValue: error.code)
    }
  }
#endif
