/// Who a token speaks of, and by which grant.
struct LocalTokenSubject: Sendable {
  let user: LocalUser
  let grant: LocalGrant
  let nonce: String?
  let isRefresh: Bool
}
