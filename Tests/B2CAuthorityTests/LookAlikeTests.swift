import B2CAuthority
import Testing

@Suite struct LookAlikeTests {
  @Test(arguments: [
    // Cyrillic о, с, е and і; Greek omicron; a dotless i; full width letters; accents.
    ("login.micros\u{43E}ftonline.com", "login.microsoftonline.com"),
    ("login.mi\u{441}rosoftonline.com", "login.microsoftonline.com"),
    ("login.microsoftonlin\u{435}.com", "login.microsoftonline.com"),
    ("contoso.b2clog\u{456}n.com", "contoso.b2clogin.com"),
    ("contoso.b2cl\u{3BF}gin.com", "contoso.b2clogin.com"),
    ("contoso.c\u{131}amlogin.com", "contoso.ciamlogin.com"),
    ("contoso.\u{FF42}2clogin.com", "contoso.b2clogin.com"),
    ("contoso.b2cl\u{F6}gin.com", "contoso.b2clogin.com"),
    ("login.microsoftonline.\u{441}om", "login.microsoftonline.com"),
    ("contoso.b2clogin\u{3002}com", "contoso.b2clogin.com"),
    // The same in their ASCII form (RFC 3492).
    ("login.xn--microsftonline-0zl.com", "login.microsoftonline.com"),
    ("contoso.xn--b2clgin-cpf.com", "contoso.b2clogin.com"),
    // Every letter from another script: Cyrillic for "windows", Latin beyond ASCII for "b2clogin".
    ("login.xn--n1ab1eb07fzee.net", "login.windows.net"),
    ("contoso.b2c\u{142}\u{F8}\u{262}\u{131}\u{274}.com", "contoso.b2clogin.com"),
    // A letter that no table knows.
    ("login.m\u{10D8}crosoftonline.com", "login.microsoftonline.com"),
    // Look-alikes within ASCII.
    ("login.micr0softonline.com", "login.microsoftonline.com"),
    ("login.rnicrosoftonline.com", "login.microsoftonline.com"),
    ("contoso.b2c1ogin.com", "contoso.b2clogin.com"),
    ("contoso.b2cIogin.cn", nil),
    ("contoso.ciam1ogin.com", "contoso.ciamlogin.com"),
    ("login.wind0ws.net", "login.windows.net"),
    ("login.microsoftonline.corn", "login.microsoftonline.com"),
    // Microsoft's name in front of somebody else's.
    ("login.microsoftonline.com.evil.example", nil),
    ("contoso.b2clogin.com.evil.example", nil),
    ("login.micr0softonline.com.evil.example", nil),
  ])
  func anImitationIsRefused(host: String, genuine: String?) throws {
    let error = try #require(throws: AuthorityError.self) { try Authority("https://\(host)/contoso.onmicrosoft.com") }
    #expect(error.code == .lookAlikeHost)
    if let genuine { #expect(error.suggestion == "https://\(genuine)/contoso.onmicrosoft.com/") }
  }

  @Test(arguments: [
    "login.contoso.com", "xn--bcher-kva.example", "login.xn--80ak6aa92e.com", "xn--.example", "xn--a-.example",
    "b2clogin.contoso.com", "microsoftonline.contoso.net", "login.windows.example", "login.apple.com", "localhost",
    // As long as "windows" and "b2clogin", in Cyrillic and Chinese.
    "login.xn--80aairftm.net", "login.xn--4gqf47mj1gyyfh6fnn4bbmm.com",
    "contoso.b2clogin.com", "login.microsoftonline.com", "rn.example", "login.xn--zzzzzzzzzzzzzzzz99999999.com",
  ])
  func othersAreNot(host: String) throws {
    do {
      #expect(try Authority("https://\(host)/contoso.onmicrosoft.com").host == host)
    } catch {
      #expect(error.code == .invalidHost, "\(error)")
    }
  }
}
