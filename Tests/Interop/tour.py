"""Runs the driver against each variant of each provider, and the foreign clients against the local tenant."""

import json
import os
import shutil
import socket
import subprocess
import sys
import urllib.request
from importlib.metadata import version

here = os.path.dirname(os.path.abspath(__file__))
driver, folder, flags = sys.argv[1], sys.argv[2], sys.argv[3:]
quick = "--quick" in flags
only = next((flag.removeprefix("--only=") for flag in flags if flag.startswith("--only=")), "")
browser = "chromium" if shutil.which("chromedriver") and "--no-browser" not in flags else "forms"

DJANGO = {
    "provider": "django_oauth_toolkit.py", "package": "django-oauth-toolkit", "alg": "RS256", "lifetime": 300, "rotates": True,
    "iss": True, "reuseProtection": True, "refusesReuse": True,
    # prompt=none is status 500 there.
    "silentRefusal": None,
}
CANAILLE = {
    "provider": "canaille_provider.py", "package": "canaille", "alg": "RS256", "lifetime": 300, "rotates": True, "iss": True,
    # Its error responses have no `iss`, although its metadata promises one.
    "refusesReuse": True,
}
GLEWLWYD = {
    "provider": "glewlwyd_provider.py", "package": "glewlwyd", "alg": "RS256", "lifetime": 300, "rotates": True, "iss": True,
    # Its page for the end of a session stays empty.
    "refusesReuse": True, "asksForConsent": False, "endsSessions": False,
}
# The name, what it is made from, and whether the short form has it.
VARIANTS = [
    ("Canaille, RS256", CANAILLE, True),
    ("Canaille, ES256, no consent page", {**CANAILLE, "alg": "ES256", "asksForConsent": False}, True),
    ("Canaille, PS256", {**CANAILLE, "alg": "PS256"}, True),
    # Its refresh tokens end with the access token that they came with; what comes before has to fit into that time.
    ("Canaille, tokens of 20 s", {**CANAILLE, "lifetime": 20, "refreshOutlivesToken": False}, False),
    ("Canaille, EdDSA", {**CANAILLE, "alg": "EdDSA"}, True),
    ("Canaille, Ed25519", {**CANAILLE, "alg": "Ed25519"}, False),
    ("Canaille, RS384", {**CANAILLE, "alg": "RS384"}, False),
    ("Canaille, RS512", {**CANAILLE, "alg": "RS512"}, False),
    ("Canaille, PS384", {**CANAILLE, "alg": "PS384"}, False),
    ("Canaille, PS512", {**CANAILLE, "alg": "PS512"}, False),
    ("Canaille, ES384", {**CANAILLE, "alg": "ES384"}, False),
    ("Canaille, ES512", {**CANAILLE, "alg": "ES512"}, False),
    ("django-oauth-toolkit, rotation, reuse protection, iss", DJANGO, True),
    ("django-oauth-toolkit, no rotation, tokens of 3 s, no iss", {**DJANGO, "rotates": False, "iss": False, "lifetime": 3}, True),
    ("Glewlwyd, ES256, refresh tokens used once", {**GLEWLWYD, "alg": "ES256"}, True),
    ("Glewlwyd, RS256, refresh tokens that stay, tokens of 3 s", {**GLEWLWYD, "rotates": False, "lifetime": 3}, False),
    ("Glewlwyd, PS256", {**GLEWLWYD, "alg": "PS256"}, False),
    ("Glewlwyd, EdDSA", {**GLEWLWYD, "alg": "EdDSA"}, False),
    ("django-oauth-toolkit, rotation without reuse protection", {**DJANGO, "reuseProtection": False, "refusesReuse": False}, False),
]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def version_of(package):
    """The version of a Python package, or of a program of Debian's."""
    if package != "glewlwyd":
        return version(package)
    return subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package], capture_output=True, text=True).stdout


def can_run(options):
    """Glewlwyd's pages are scripts, and it is a program of its own."""
    return options["package"] != "glewlwyd" or (browser == "chromium" and shutil.which("glewlwyd"))


def start(arguments, log):
    """Starts a program and reads the line in which it says where it is."""
    with open(log, "wb") as errors:
        process = subprocess.Popen([sys.executable, *arguments], stdout=subprocess.PIPE, stderr=errors, text=True)
    line = process.stdout.readline()
    if not line:
        process.wait()
        sys.exit(f"interop: {os.path.basename(arguments[0])} did not start:\n{open(log).read()[-2000:]}")
    return process, json.loads(line)


def stop(process):
    process.terminate()
    try:
        process.wait(timeout=20)
    except subprocess.TimeoutExpired:
        process.kill()


def done_by(person):
    """What the person at the browser did, in order; it answers when the last page has ended."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        return ", ".join(json.load(opener.open(person + "/log", timeout=100))["log"])
    except OSError as error:
        return f"not known: {error}"


def tour(number, name, options):
    place = os.path.join(folder, f"variant-{number}")
    os.makedirs(os.path.join(place, "cache"), mode=0o700)
    redirect_uri = f"http://127.0.0.1:{free_port()}/callback"
    wanted = {"asksForConsent": True, "endsSessions": True, "refreshOutlivesToken": True, "silentRefusal": "interactionRequired",
        "consentRefusal": "userCancelledInPage", **options, "folder": place, "redirectURI": redirect_uri}
    provider, scene = start([os.path.join(here, "Providers", options["provider"]), json.dumps(wanted)], os.path.join(place, "provider.log"))
    person = None
    try:
        person, who = start([os.path.join(here, "Clients", "person.py"), json.dumps(scene["user"]), redirect_uri, browser], os.path.join(place, "person.log"))
        print(f"{name} ({options['package']} {version_of(options['package'])}, {who['browser']})", flush=True)
        path = os.path.join(place, "scene.json")
        with open(path, "w") as file:
            json.dump({**wanted, **scene, **who, "name": name, "folder": os.path.join(place, "cache")}, file)
        done = subprocess.run([driver, "tour", path], timeout=300)
        if done.returncode:
            print(open(os.path.join(place, "provider.log")).read()[-3000:], open(os.path.join(place, "person.log")).read()[-2000:])
            print("  what the person did:", done_by(who["person"]), flush=True)
        return done.returncode == 0
    finally:
        for process in (person, provider):
            if process:
                stop(process)


wanted = [
    (number, name, options) for number, (name, options, short) in enumerate(VARIANTS) if (short or not quick) and only in name
]
skipped = [name for _, name, options in wanted if not can_run(options)]
for name in skipped:
    print(f"{name}: SKIPPED, it needs glewlwyd (apt) and chromedriver")
failed = [name for number, name, options in wanted if can_run(options) and not tour(number, name, options)]
run = len(wanted) - len(skipped)
if only in "MSAL":
    run += 1
    done = subprocess.run([sys.executable, os.path.join(here, "Clients", "msal_client.py"), driver, folder])
    if done.returncode:
        failed.append("MSAL for Python and PyJWT")
if failed:
    sys.exit("interop: failed: " + "; ".join(failed))
if not run and not skipped:
    sys.exit(f"interop: nothing is named {only}" + (" in the short form" if quick else ""))
print(f"interop: {run} run, {len(skipped)} SKIPPED" + ("; everything that was run held" if run else ": nothing was looked at"))
