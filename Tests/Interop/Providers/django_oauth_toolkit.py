"""django-oauth-toolkit as an OpenID provider, in one file: one user, one public native client."""

import os
import sys
import tempfile

from provider import CLIENT_ID, SCOPES, USER, announce, options

options = options()
folder = options["folder"]
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

import django
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.conf import settings

key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
)

settings.configure(
    DEBUG=False,
    LOGGING={
        "version": 1, "handlers": {"stderr": {"class": "logging.StreamHandler"}},
        "loggers": {"django.request": {"handlers": ["stderr"], "level": "ERROR"}},
    },
    SECRET_KEY="only-for-this-run",
    ALLOWED_HOSTS=["127.0.0.1"],
    ROOT_URLCONF="__main__",
    USE_TZ=True,
    DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": os.path.join(folder, "django.sqlite3")}},
    DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
    INSTALLED_APPS=[
        "django.contrib.auth", "django.contrib.contenttypes", "django.contrib.sessions", "django.contrib.messages",
        "oauth2_provider",
    ],
    MIDDLEWARE=[
        "django.contrib.sessions.middleware.SessionMiddleware", "django.middleware.csrf.CsrfViewMiddleware",
        "django.contrib.auth.middleware.AuthenticationMiddleware", "django.contrib.messages.middleware.MessageMiddleware",
    ],
    TEMPLATES=[{
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request", "django.contrib.auth.context_processors.auth",
            ],
            "loaders": [
                ("django.template.loaders.locmem.Loader", {
                    "registration/login.html": "<h1>Sign in</h1><form method=post>{% csrf_token %}{{ form.as_p }}"
                    "<button type=submit>Sign in</button></form>"
                }),
                "django.template.loaders.app_directories.Loader",
            ],
        },
    }],
    LOGIN_URL="/accounts/login/",
    OAUTH2_PROVIDER={
        "OIDC_ENABLED": True,
        "OIDC_RSA_PRIVATE_KEY": key.decode(),
        "OAUTH2_VALIDATOR_CLASS": "__main__.Validator",
        "OIDC_RP_INITIATED_LOGOUT_ENABLED": True,
        "OIDC_RP_INITIATED_LOGOUT_ALWAYS_PROMPT": options.get("asksAtLogout", True),
        "OIDC_RP_INITIATED_LOGOUT_STRICT_REDIRECT_URIS": False,
        "SCOPES": {"openid": "OpenID", "profile": "Profile", "email": "Email", "tasks": "Tasks"},
        "PKCE_REQUIRED": True,
        "ACCESS_TOKEN_EXPIRE_SECONDS": options["lifetime"],
        "ID_TOKEN_EXPIRE_SECONDS": options["lifetime"],
        "ROTATE_REFRESH_TOKEN": options["rotates"],
        "REFRESH_TOKEN_REUSE_PROTECTION": options.get("reuseProtection", False),
        "COMPLIANT_BCP_RFC9700_AUTHZ_RESPONSE_ISS": options["iss"],
    },
)
# The settings name this module.
sys.modules["__main__"] = sys.modules[__name__]
django.setup()

from django.contrib.auth.models import User
from django.contrib.auth.views import LoginView
from django.core.management import call_command
from django.core.servers.basehttp import ThreadedWSGIServer, WSGIRequestHandler
from django.core.wsgi import get_wsgi_application
from django.urls import include, path
from oauth2_provider.models import Application
from oauth2_provider.oauth2_validators import OAuth2Validator


class Validator(OAuth2Validator):
    oidc_claim_scope = None

    def get_additional_claims(self, request):
        return {"name": request.user.get_full_name(), "email": request.user.email, "preferred_username": request.user.username}


urlpatterns = [
    path("accounts/login/", LoginView.as_view()),
    path("o/", include("oauth2_provider.urls", namespace="oauth2_provider")),
]


class QuietHandler(WSGIRequestHandler):
    def log_message(self, *arguments):
        pass


call_command("migrate", verbosity=0)
User.objects.create_user(USER["name"], USER["email"], USER["password"], first_name="Alice", last_name="Example")
Application.objects.create(
    client_id=CLIENT_ID, name="Tasks", client_type=Application.CLIENT_PUBLIC,
    authorization_grant_type=Application.GRANT_AUTHORIZATION_CODE, algorithm=options["alg"],
    redirect_uris=options["redirectURI"], post_logout_redirect_uris=options["redirectURI"], skip_authorization=False,
)
server = ThreadedWSGIServer(("127.0.0.1", 0), QuietHandler)
server.set_app(get_wsgi_application())
issuer = f"http://127.0.0.1:{server.server_port}/o"
announce(issuer=issuer, userInfo=f"{issuer}/userinfo/", revocation=f"{issuer}/revoke_token/")
server.serve_forever()
