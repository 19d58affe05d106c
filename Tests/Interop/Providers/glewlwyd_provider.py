"""Glewlwyd (Debian's package) as an OpenID provider in a directory of its own: one user, one public native client."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import requests
from joserfc.jwk import ECKey, OKPKey, RSAKey
from provider import CLIENT_ID, SCOPES, USER, announce, listening_socket, options

options = options()
folder = options["folder"]
listener = listening_socket()
port = listener.getsockname()[1]
listener.close()  # Glewlwyd takes no socket that is open already.
origin = f"http://localhost:{port}"

# Debian has a directory in the place of the file that the pages read.
pages = os.path.join(folder, "webapp")
shutil.copytree("/usr/share/glewlwyd/webapp", pages, ignore=lambda directory, names: ["config.json"])
shutil.copyfile("/usr/share/glewlwyd/templates/config.json", os.path.join(pages, "config.json"))
database = os.path.join(folder, "glewlwyd.sqlite")
with sqlite3.connect(database) as connection:
    connection.executescript(open("/usr/share/dbconfig-common/data/glewlwyd/install/sqlite3").read())
types = {"html": "text/html", "css": "text/css", "js": "application/javascript", "json": "application/json"}
path = os.path.join(folder, "glewlwyd.conf")
with open(path, "w") as file:
    file.write(f"""
port={port}
bind_address="127.0.0.1"
external_url="{origin}"
login_url="login.html"
api_prefix="api"
log_mode="file"
log_level="WARNING"
log_file="{folder}/glewlwyd.log"
cookie_secure=0
session_expiration=2419200
session_key="GLEWLWYD2_SESSION_ID"
admin_session_authentication="cookie"
profile_session_authentication="cookie"
allow_multiple_user_per_session=false
login_api_enabled=true
admin_scope="g_admin"
profile_scope="g_profile"
user_module_path="/usr/lib/glewlwyd/user"
client_module_path="/usr/lib/glewlwyd/client"
user_auth_scheme_module_path="/usr/lib/glewlwyd/scheme"
plugin_module_path="/usr/lib/glewlwyd/plugin"
use_secure_connection=false
secure_connection_key_file="{folder}/cert.key"
secure_connection_pem_file="{folder}/cert.pem"
hash_algorithm="SHA512"
static_files_path="{pages}"
database={{ type="sqlite3"; path="{database}"; }};
static_files_mime_types=({", ".join(f'{{ extension=".{name}"; mime_type="{type}"; }}' for name, type in types.items())})
""")
# The runner ends this program by a signal; the server must not outlive it.
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
server = subprocess.Popen(["glewlwyd", "--config-file", path], stdout=subprocess.DEVNULL, stderr=sys.stderr)
try:
    admin, user = requests.Session(), requests.Session()
    admin.trust_env = user.trust_env = False

    def call(method, address, body=None, session=admin):
        response = session.request(method, f"{origin}/api/{address}", json=body, timeout=10)
        if response.status_code != 200:
            raise SystemExit(f"{method} {address}: {response.status_code} {response.text[:500]}")
        return response

    for _ in range(200):
        try:
            call("POST", "auth/", {"username": "admin", "password": "password"})
            break
        except requests.ConnectionError:
            time.sleep(0.05)
    makers = {
        "RS": lambda: RSAKey.generate_key(2048), "PS": lambda: RSAKey.generate_key(2048),
        "ES256": lambda: ECKey.generate_key("P-256"), "ES384": lambda: ECKey.generate_key("P-384"),
        "ES512": lambda: ECKey.generate_key("P-521"), "Ed": lambda: OKPKey.generate_key("Ed25519"),
    }
    key = next(make() for name, make in makers.items() if options["alg"].startswith(name))
    private = {**key.as_dict(private=True), "kid": "key-1", "alg": options["alg"], "use": "sig"}
    for scope in SCOPES:
        if scope != "openid":
            call("POST", "scope/", {"name": scope, "display_name": scope, "description": scope, "password_required": False, "scheme": {}})
    call("POST", "mod/plugin/", {
        "module": "oidc", "name": "oidc", "display_name": "OpenID Connect", "enabled": True,
        "parameters": {
            "iss": f"{origin}/api/oidc", "subject-type": "public", "jwks-private": json.dumps({"keys": [private]}),
            "default-kid": "key-1", "jwks-show": True, "access-token-duration": options["lifetime"],
            "refresh-token-duration": 1209600, "code-duration": 600, "refresh-token-rolling": True,
            "refresh-token-one-use": "always" if options["rotates"] else "never", "allow-non-oidc": False,
            "auth-type-code-enabled": True, "auth-type-code-revoke-replayed": True, "auth-type-token-enabled": False,
            "auth-type-id-token-enabled": False, "auth-type-implicit-enabled": False, "auth-type-none-enabled": False,
            "auth-type-password-enabled": False, "auth-type-client-enabled": False, "auth-type-device-enabled": False,
            "auth-type-refresh-enabled": True, "pkce-allowed": True, "pkce-method-plain-allowed": False,
            "pkce-required": True, "pkce-required-public-client": True, "name-claim": "mandatory",
            "email-claim": "mandatory", "scope-claim": "no", "session-management-allowed": True, "session-cookie-name": "GLEWLWYD2_OIDC_SID",
            "session-cookie-expiration": 40320,
            "introspection-revocation-allowed": True, "introspection-revocation-allow-target-client": True,
            "oauth-as-iss-id": options["iss"], "allowed-scope": ["openid"],
        },
    })
    call("POST", "user/", {"username": USER["name"], "name": "Alice Example", "email": USER["email"], "password": USER["password"], "enabled": True, "scope": SCOPES})
    call("POST", "client/", {
        "client_id": CLIENT_ID, "name": "Tasks", "confidential": False, "enabled": True, "scope": [],
        "redirect_uri": [options["redirectURI"]], "post_logout_redirect_uris": options["redirectURI"],
        "authorization_type": ["code", "refresh_token"], "token_endpoint_auth_method": ["none"],
    })
    # The consent, given once before: its page wants a box ticked for each scope.
    call("POST", "auth/", {"username": USER["name"], "password": USER["password"]}, user)
    call("PUT", f"auth/grant/{CLIENT_ID}", {"scope": " ".join(SCOPES)}, user)
    issuer = f"{origin}/api/oidc"
    announce(issuer=issuer, userInfo=f"{issuer}/userinfo/", revocation=f"{issuer}/revoke")
    server.wait()
finally:
    server.kill()
