import B2CHTTP
import B2CLoopback
import Foundation

/// Whole answers with a status that is no success.
extension WireFault {
  static var statuses: [WireFault] {
    var ended = status(
      400, "400, the session has ended",
      FaultExpectation("configuration", "interactionRequired", "refused"),
      body: #"{"error":"invalid_grant","error_description":"AADB2C90080: The provided grant has expired."}"#)
    ended.endsSession = true
    return redirects + [
      repeated,
      status(
        400, "400", FaultExpectation("configuration", "configuration", "refused"),
        body: #"{"error":"invalid_request","error_description":"AADB2C90083: The request is missing a parameter."}"#),
      ended,
      status(
        401, "401 Basic", FaultExpectation("configuration", "configuration", "unauthorized"), recovery: .newToken,
        headers: ["WWW-Authenticate": "Basic realm=\"token\""], body: #"{"error":"invalid_client"}"#),
      status(
        401, "401 Bearer", FaultExpectation("configuration", "invalidResponse", "unauthorized"), recovery: .newToken,
        headers: ["WWW-Authenticate": "Bearer realm=\"tasks\", error=\"invalid_token\""]),
      status(403, "403", FaultExpectation("configuration", "invalidResponse", "forbidden")),
      status(404, "404", FaultExpectation("configuration", "invalidResponse", "notFound")),
      status(408, "408", FaultExpectation("timedOut"), recovery: .retry),
      status(409, "409", FaultExpectation("configuration", "invalidResponse", "conflict")),
      status(413, "413", FaultExpectation("configuration", "invalidResponse", "tooLarge")),
      status(429, "429", FaultExpectation("throttled"), recovery: .retryOfAnything),
      status(
        429, "429 with Retry-After", FaultExpectation("throttled"), recovery: .retryOfAnything,
        headers: ["Retry-After": "1"]),
    ]
      + [500, 502, 503, 504].map {
        status($0, "\($0)", FaultExpectation("serviceUnavailable", "serviceUnavailable", "server"), recovery: .retry)
      }
  }

  private static var redirects: [WireFault] {
    [301, 302, 307, 308].map { code in
      var fault = WireFault(
        "\(code) to another origin", FaultExpectation("invalidResponse", "invalidResponse", "redirected")
      ) { scene in
        await scene.exchange.respond(
          LoopbackResponse(status: code, headers: ["Location": scene.other.absoluteString]))
      }
      fault.isRedirect = true
      return fault
    }
  }

  /// Tells back what was sent, plain in one place and in base64 in others.
  private static var repeated: WireFault {
    WireFault("400 that repeats the request", FaultExpectation("configuration", "configuration", "refused")) { scene in
      let request = scene.exchange.request
      let sent = (request.headers["Authorization"] ?? "") + " " + String(decoding: request.body, as: UTF8.self)
      let fields = ["error": "invalid_request", "error_description": sent, "message": sent]
      let encoded = Data(sent.utf8).base64EncodedString()
      await scene.exchange.respond(
        LoopbackResponse(
          status: 400, headers: ["WWW-Authenticate": "Bearer error=\"\(encoded)\", error_description=\"\(encoded)\""],
          body: (try? JSONEncoder().encode(fields)) ?? Data()))
    }
  }

  private static func status(
    _ code: Int, _ name: String, _ expected: FaultExpectation, recovery: Recovery = .none,
    headers: LoopbackHeaders = [:],
    body: String = ""
  ) -> WireFault {
    WireFault(name, expected, recovery: recovery) { scene in
      await scene.exchange.respond(LoopbackResponse(status: code, headers: headers, body: Data(body.utf8)))
    }
  }
}
