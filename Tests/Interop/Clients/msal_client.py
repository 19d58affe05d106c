"""MSAL for Python and PyJWT against the local tenants of B2CTestKit, over TLS and under the names of the service."""

import hashlib
import json
import re
import ssl
import subprocess
import sys
import time
import traceback
import urllib.parse
import warnings
from importlib.metadata import version

import jwt
import msal
import requests
import tls_front
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from forms import Forms

driver, folder = sys.argv[1], sys.argv[2]
server = subprocess.Popen([driver, "serve"], stdout=subprocess.PIPE, text=True)
scene = json.loads(server.stdout.readline())
origins, redirect_uri, client_id = scene["origins"], scene["redirectURI"], scene["clientID"]
root = tls_front.start([urllib.parse.urlsplit(origin).hostname for origin in origins.values()], scene["port"], folder)
held = True
# MSAL recommends form_post, which a native client without a web server cannot take.
warnings.filterwarnings("ignore", message="response_mode")


def check(rule, holds, detail=""):
    global held
    held = held and bool(holds)
    print(f"  ok      {rule}" if holds else f"  FAILED  {rule}: {detail}", flush=True)


def session():
    """A client of requests that trusts the certificate of this run only, and counts."""
    client = requests.Session()
    client.trust_env = False
    client.verify = root
    client.count = 0

    def count(response, *arguments, **named):
        client.count += 1

    client.hooks["response"] = [count]
    return client


def at_the_page(url, press=None, browser=None):
    """Signs in at the page of the tenant, or presses another button; returns the parameters of the redirect."""
    browser = browser or session()
    response = browser.get(url, allow_redirects=False)
    for _ in range(8):
        if response.is_redirect:
            target = urllib.parse.urljoin(response.url, response.headers["Location"])
            if target.startswith(redirect_uri):
                return dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(target).query))
            response = browser.get(target, allow_redirects=False)
            continue
        forms = Forms(response.text).forms
        if not forms:
            return {"page": re.sub("<[^>]*>", " ", response.text)}
        form = forms[0]
        fields = dict(form["fields"])
        fields.update({name: scene["password"] for name, type in form["types"].items() if type == "password"})
        fields.update({name: scene["email"] for name in fields if name == "email"})
        button = next((button for button in form["buttons"] if button[1] == press), None)
        if button:
            fields[button[0]] = button[1]
        elif press:
            return {"page": "no button " + press}
        response = browser.post(urllib.parse.urljoin(response.url, form["action"]), data=fields, allow_redirects=False)
    return {"page": "too many pages"}


def verify(token, metadata, audience):
    """PyJWT's own idea of a token: signature, issuer, audience and time."""
    keys = jwt.PyJWKClient(metadata["jwks_uri"], ssl_context=ssl.create_default_context(cafile=root))
    algorithms = metadata["id_token_signing_alg_values_supported"]
    return jwt.decode(
        token, keys.get_signing_key_from_jwt(token), algorithms=algorithms, audience=audience, issuer=metadata["issuer"],
        options={"require": ["exp", "iat", "iss", "sub", "aud"]},
    )


def application(authority, http, **options):
    return msal.PublicClientApplication(client_id, http_client=http, **{"authority": authority, **options})


def sign_in(app, scopes, **options):
    flow = app.initiate_auth_code_flow(scopes, redirect_uri=redirect_uri, **options)
    return flow, app.acquire_token_by_auth_code_flow(flow, at_the_page(flow["auth_uri"]))


def refusal(result, error, code):
    return result.get("error") == error and code in result.get("error_description", ""), result.get("error_description", result)


def tour(name, authority, scopes, metadata_url, api_audience, code_used, code_reused, **options):
    print(f"MSAL for Python {version('msal')} and PyJWT {version('pyjwt')}, {name}", flush=True)
    http = session()
    metadata = session().get(metadata_url).json()
    app = application(authority, http, **options)
    flow, result = sign_in(app, scopes)
    check("the authorization code flow with PKCE brings tokens", "access_token" in result, result)
    claims = verify(result["id_token"], metadata, client_id)
    check("PyJWT verifies the id_token", claims["sub"] and claims.get("ver") in ("1.0", "2.0"), claims)
    check("its nonce is the hash that MSAL sent", claims["nonce"] == hashlib.sha256(flow["nonce"].encode()).hexdigest(), claims)
    if api_audience:
        access = verify(result["access_token"], metadata, api_audience)
        granted = (access.get("scp") or "").split()
        check("PyJWT verifies the access token for its API", granted and "nonce" not in access, access)
    check("MSAL reads expires_in, scope, token_type", result["expires_in"] == 3600 and result["token_type"] == "Bearer" and result["scope"], result)
    accounts = app.get_accounts()
    check("MSAL knows one account, by client_info", len(accounts) == 1 and "." in accounts[0]["home_account_id"], accounts)

    before = http.count
    silent = app.acquire_token_silent(scopes, accounts[0])
    check("silent: the cached token, no request", silent and silent["access_token"] == result["access_token"] and http.count == before, http.count - before)
    old = app.token_cache.find(msal.TokenCache.CredentialType.REFRESH_TOKEN)[0]["secret"]
    forced = app.acquire_token_silent_with_error(scopes, accounts[0], force_refresh=True)
    check("forced refresh: another token", "access_token" in (forced or {}) and forced["access_token"] != result["access_token"], forced)
    new = app.token_cache.find(msal.TokenCache.CredentialType.REFRESH_TOKEN)[0]["secret"]
    check("MSAL stored the rotated refresh token", new != old)
    check("a replaced refresh token is refused with " + code_reused, *refusal(app.acquire_token_by_refresh_token(old, scopes), "invalid_grant", code_reused))

    again = app.initiate_auth_code_flow(scopes, redirect_uri=redirect_uri)
    response = at_the_page(again["auth_uri"])
    first = app.acquire_token_by_auth_code_flow(again, response)
    second = app.acquire_token_by_auth_code_flow(again, response)
    check("a code is good once", "access_token" in first and refusal(second, "invalid_grant", code_used)[0], second)
    other = app.initiate_auth_code_flow(scopes, redirect_uri=redirect_uri)
    response = at_the_page(other["auth_uri"])
    wrong = app.acquire_token_by_auth_code_flow({**other, "code_verifier": "x" * 50}, response)
    check("a wrong code_verifier is invalid_grant", wrong.get("error") == "invalid_grant", wrong)
    for account in app.get_accounts():
        app.remove_account(account)
    check("after remove_account nothing is silent", not app.get_accounts())
    return app


def b2c():
    base = f"{origins['b2c']}/contoso.onmicrosoft.com/B2C_1_SignIn"
    app = tour(
        "LocalTenant, Azure AD B2C", base, scene["scopes"], base + "/v2.0/.well-known/openid-configuration",
        scene["apiClientID"], "AADB2C90129", "AADB2C90129",
    )
    for button, code in (("cancel", "AADB2C90091"), ("forgot", "AADB2C90118")):
        flow = app.initiate_auth_code_flow(scene["scopes"], redirect_uri=redirect_uri)
        result = app.acquire_token_by_auth_code_flow(flow, at_the_page(flow["auth_uri"], press=button))
        check(f"{button}: access_denied with {code}", *refusal(result, "access_denied", code))
    flow = app.initiate_auth_code_flow(scene["scopes"], redirect_uri="https://example.com/other")
    page = at_the_page(flow["auth_uri"]).get("page", "")
    check("an unregistered redirect URI is an error page, no redirect", "AADB2C90006" in page, page[:200])
    try:
        application(f"{origins['b2c']}/contoso.onmicrosoft.com/B2C_1_NoSuchPolicy", session())
        check("an unknown policy is refused at discovery", False, "it was not")
    except ValueError:
        check("an unknown policy is refused at discovery", True)


def entra():
    authority = f"{origins['entra']}/{scene['tenantID']}"
    app = tour(
        "LocalTenant, Entra ID", authority, scene["scopes"], authority + "/v2.0/.well-known/openid-configuration",
        scene["apiClientID"], "AADSTS", "AADSTS", instance_discovery=False,
    )
    flow = app.initiate_device_flow(scene["scopes"])
    check("the device code flow starts", "user_code" in flow, flow)
    http = session()
    page = http.get(flow["verification_uri"])
    form = Forms(page.text).forms[0]
    fields = {**form["fields"], **{name: flow["user_code"] for name in form["fields"] if "code" in name.lower()}}
    for name, type in form["types"].items():
        if type == "password":
            fields[name] = scene["password"]
        elif name == "email":
            fields[name] = scene["email"]
    page = http.post(urllib.parse.urljoin(page.url, form["action"]), data=fields)
    flow["interval"] = 1
    flow["expires_at"] = min(flow["expires_at"], time.time() + 20)
    result = app.acquire_token_by_device_flow(flow)
    check("the device code flow brings tokens", "access_token" in result, result)


def ciam():
    authority = f"{origins['ciam']}/contoso.onmicrosoft.com"
    tour(
        "LocalTenant, Entra External ID", authority, scene["scopes"], authority + "/v2.0/.well-known/openid-configuration",
        scene["apiClientID"], "AADSTS", "AADSTS",
    )


def openid_connect():
    """A provider at the root of its host, which MSAL takes for no authority: Authlib's client in its place."""
    print(f"Authlib {version('authlib')} and PyJWT {version('pyjwt')}, LocalTenant, OpenID Connect", flush=True)
    metadata = session().get(origins["openIDConnect"] + "/.well-known/openid-configuration").json()
    check("MSAL takes no issuer without a path", raises(ValueError, lambda: application(None, session(), oidc_authority=metadata["issuer"])))
    client = OAuth2Session(client_id, scope=["openid", "offline_access", *scene["scopes"]], redirect_uri=redirect_uri, code_challenge_method="S256", token_endpoint_auth_method="none")
    client.verify, client.trust_env = root, False
    verifier, nonce = "v" * 64, "n" * 32
    url, state = client.create_authorization_url(metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce)
    answer = at_the_page(url)
    check("the callback names the issuer (RFC 9207) and the state", answer.get("iss") == metadata["issuer"] and answer.get("state") == state, answer)
    token = client.fetch_token(metadata["token_endpoint"], code=answer["code"], code_verifier=verifier)
    claims = verify(token["id_token"], metadata, client_id)
    check("PyJWT verifies the id_token", claims["nonce"] == nonce and claims["sub"], claims)
    renewed = client.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])
    check("a refresh rotates the refresh token", renewed["refresh_token"] != token["refresh_token"])
    check("a replaced refresh token is refused", raises(OAuthError, lambda: client.refresh_token(metadata["token_endpoint"], refresh_token=token["refresh_token"])))
    client.token = renewed
    check("userinfo takes the token", client.get(metadata["userinfo_endpoint"]).json().get("sub") == claims["sub"])


def raises(kind, operation):
    try:
        operation()
    except kind:
        return True
    return False


try:
    for part in (b2c, entra, ciam, openid_connect):
        try:
            part()
        except Exception as error:
            traceback.print_exc()
            check(part.__name__, False, repr(error))
finally:
    server.kill()
sys.exit(0 if held else 1)
