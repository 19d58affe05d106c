"""Canaille as an OpenID provider with records in memory: one user, one public native client."""

import datetime
import os

from provider import CLIENT_ID, SCOPES, USER, announce, listening_socket, options

options = options()
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from canaille import create_app
from canaille.app import models
from canaille.backends import Backend
from joserfc.jwk import ECKey, OKPKey, RSAKey
from werkzeug.serving import WSGIRequestHandler, make_server

makers = {
    "ES256": lambda: ECKey.generate_key("P-256"),
    "ES384": lambda: ECKey.generate_key("P-384"),
    "ES512": lambda: ECKey.generate_key("P-521"),
    "Ed": lambda: OKPKey.generate_key("Ed25519"),
}
alg = options["alg"]
# One key of a kind: of two that fit it draws one for the signature and another for the `kid`.
keys = [RSAKey.generate_key(2048)] + [make() for name, make in makers.items() if alg.startswith(name)]
for key in keys:
    key.ensure_kid()

listener = listening_socket()
port = listener.getsockname()[1]
config = {
    "SECRET_KEY": "only-for-this-run",
    "PREFERRED_URL_SCHEME": "http",
    "SESSION_COOKIE_SECURE": False,
    "OAUTH2_REFRESH_TOKEN_GENERATOR": True,
    "OAUTH2_TOKEN_EXPIRES_IN": {"authorization_code": options["lifetime"], "refresh_token": options["lifetime"]},
    "CANAILLE": {"DATABASE": "memory", "LOGGING": {"version": 1, "disable_existing_loggers": True}},
    "CANAILLE_OIDC": {
        "ACTIVE_JWKS": [key.as_dict(private=True) for key in keys],
        # With a trusted domain there is no consent page.
        "TRUSTED_DOMAINS": [] if options.get("asksForConsent", True) else ["127.0.0.1"],
    },
}
# Without a name it answers 500 to every token request of a client without a secret.
config["SERVER_NAME"] = f"127.0.0.1:{port}"
app = create_app(config=config, backend=None)

with app.app_context(), Backend.instance.session():
    user = models.User(
        user_name=USER["name"], formatted_name="Alice Example", given_name="Alice", family_name="Example",
        emails=[USER["email"]], password=USER["password"],
    )
    Backend.instance.save(user)
    client = models.Client(
        client_id=CLIENT_ID, client_name="Tasks", client_uri="http://127.0.0.1", token_endpoint_auth_method="none",
        redirect_uris=[options["redirectURI"]], post_logout_redirect_uris=[options["redirectURI"]],
        grant_types=["authorization_code", "refresh_token"], response_types=["code"], scope=SCOPES,
        id_token_signed_response_alg=alg, client_id_issued_at=datetime.datetime.now(datetime.timezone.utc),
    )
    Backend.instance.save(client)
    client.audience = [client]
    Backend.instance.save(client)


class QuietHandler(WSGIRequestHandler):
    def log(self, *arguments):
        pass


server = make_server("127.0.0.1", port, app, threaded=True, fd=listener.fileno(), request_handler=QuietHandler)
origin = f"http://127.0.0.1:{port}"
announce(
    issuer=origin, userInfo=f"{origin}/oauth/userinfo",
    revocation=f"{origin}/oauth/revoke",
)
server.serve_forever()
