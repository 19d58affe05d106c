"""MSAL for Python in the rows of the benchmarks where they make sense for it; prints a list of figures as JSON.

No socket: the HTTP client that MSAL is given waits as long as a request would and answers from memory.
"""
import base64, json, os, statistics, subprocess, sys, tempfile, threading, time

import msal

QUICK = "--quick" in sys.argv
MANY = 200 if QUICK else 10_000
TENANT = "22222222-2222-4222-8222-222222222222"
CLIENT = "11111111-1111-4111-8111-111111111111"
BASE = "https://contoso.b2clogin.com/contoso.onmicrosoft.com/B2C_1_SignIn"
SCOPES = ["https://contoso.onmicrosoft.com/tasks/read"]
figures = []


def show(row, name, value, unit):
    figures.append({"row": row, "name": name, "value": value, "unit": unit})


def encoded(value):
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


def user(number):
    return f"{number:08x}-0000-4000-8000-000000000000"


def answer(number, lifetime, change=0):
    claims = {"iss": BASE, "sub": user(number), "oid": user(number), "tid": TENANT, "aud": CLIENT,
              "exp": int(time.time()) + 3600, "iat": int(time.time()), "name": "Alice Example",
              "preferred_username": f"alice{number}@example.com"}
    return {"access_token": (f"eyJ{number}x{change}x" + "Q" * 1200)[:1200], "token_type": "Bearer",
            "expires_in": lifetime, "refresh_token": (f"eyJ{number}x{change}x" + "Q" * 900)[:900],
            "scope": " ".join(SCOPES), "id_token": encoded({"alg": "RS256"}) + "." + encoded(claims) + ".c2ln",
            "client_info": encoded({"uid": user(number), "utid": TENANT})}


class Response:
    def __init__(self, body):
        self.status_code, self.text, self.headers = 200, json.dumps(body), {}

    def raise_for_status(self):
        pass


class HTTP:
    """Answers from memory after a delay, and counts the token requests."""

    def __init__(self, delay=0.0):
        self.delay, self.tokens, self.requests, self.lock = delay, 0, 0, threading.Lock()

    def get(self, url, **_):
        time.sleep(self.delay)
        with self.lock:
            self.requests += 1
        return Response({"issuer": BASE, "authorization_endpoint": BASE + "/oauth2/v2.0/authorize",
                         "token_endpoint": BASE + "/oauth2/v2.0/token", "jwks_uri": BASE + "/discovery/v2.0/keys"})

    def post(self, url, **_):
        time.sleep(self.delay)
        with self.lock:
            self.requests += 1
            self.tokens += 1
            return Response(answer(0, 3600, self.tokens))

    def close(self):
        pass


def filled(accounts, lifetime=3600):
    cache = msal.SerializableTokenCache()
    for number in range(accounts):
        add(cache, number, lifetime)
    return cache


def add(cache, number, lifetime, change=0):
    cache.add({"client_id": CLIENT, "scope": SCOPES, "token_endpoint": BASE + "/oauth2/v2.0/token",
               "response": answer(number, lifetime, change), "params": {}, "data": {}})


def app(cache, http):
    return msal.PublicClientApplication(CLIENT, authority=BASE, token_cache=cache, http_client=http)


def median(work, batches=9):
    """Seconds of one run: the median of batches of 10 ms or more."""
    count = 1
    while True:
        start = time.perf_counter()
        for _ in range(count):
            work()
        spent = time.perf_counter() - start
        if spent >= (0.001 if QUICK else 0.01):
            break
        count *= 2
    times = [spent / count]
    for _ in range(2 if QUICK else batches - 1):
        start = time.perf_counter()
        for _ in range(count):
            work()
        times.append((time.perf_counter() - start) / count)
    return statistics.median(times)


def token(client, account):
    result = client.acquire_token_silent(SCOPES, account=account)
    if not result or "access_token" not in result:
        sys.exit(f"MSAL returned no token: {result}")
    return result


def account_of(client, number):
    wanted = user(number) + "." + TENANT
    return next(account for account in client.get_accounts() if account["home_account_id"] == wanted)


def store(directory, cache):
    """What an app does that keeps MSAL's cache durably: the whole cache, in a new file, flushed."""
    path = os.path.join(directory, "cache.json")
    descriptor = os.open(path + ".new", os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
    os.write(descriptor, cache.serialize().encode())
    os.fsync(descriptor)
    os.close(descriptor)
    os.rename(path + ".new", path)
    folder = os.open(directory, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def main():
    directory = tempfile.mkdtemp()
    caches = {count: filled(count) for count in (1, 100, MANY)}
    hits = {}
    for count in (1, MANY):
        client = app(caches[count], HTTP())
        account = account_of(client, 0)
        hits[count] = median(lambda: token(client, account))
    show("1", "hit, the current account of 1", hits[1] * 1e6, "µs")
    show("1", "hit, one of 10,000 accounts", hits[MANY] * 1e6, "µs")
    show("2", "hit", hits[MANY] / hits[1], "x")

    for count, name in ((1, "1 account"), (100, "100 accounts"), (MANY, "10,000 accounts")):
        changes = iter(range(10**9))

        def refresh_stored():
            add(caches[count], 0, 3600, next(changes))
            store(directory, caches[count])
        seconds = median(refresh_stored, 5)
        show("3", f"store, {name}, time", seconds * 1e6, "µs")
        show("2", f"store, whole-file rewrite, {count} accounts", seconds * 1e6, "µs")

    client = app(caches[MANY], HTTP())
    account = account_of(client, 3)
    path = os.path.join(directory, "cache.json")

    def after_change():
        with open(path) as file:
            caches[MANY].deserialize(file.read())
        token(client, account)
    show("3b", "hit after a change", median(after_change, 5) * 1e6, "µs")

    for callers in (1, 8, 64):
        http = HTTP(0.02 if QUICK else 0.3)
        client = app(filled(1, 1), http)
        account = account_of(client, 0)
        threads = [threading.Thread(target=token, args=(client, account)) for _ in range(callers)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        show("4", f"{callers} caller{'' if callers == 1 else 's'} on an expired token", http.tokens, "requests")

    store(directory, caches[1])
    times = []
    for _ in range(2 if QUICK else 15):
        start = time.perf_counter()
        subprocess.run([sys.executable, __file__, "launch", path], check=True)
        times.append(time.perf_counter() - start)
    show("7", "one account, time", statistics.median(times) * 1e3, "ms")

    times, pages = [], []
    for _ in range(2 if QUICK else 15):
        expired = filled(1, 1)
        start = time.perf_counter()
        client = app(expired, HTTP(0.05))
        token(client, account_of(client, 0))
        times.append(time.perf_counter() - start)
        start = time.perf_counter()
        flow = app(msal.SerializableTokenCache(), HTTP(0.05)).initiate_auth_code_flow(SCOPES, "http://localhost")
        if "auth_uri" not in flow:
            sys.exit(f"MSAL returned no page: {flow}")
        pages.append(time.perf_counter() - start)
    show("12", "Azure AD B2C, time", statistics.median(times) * 1e3, "ms")
    show("13", "page opens, time", statistics.median(pages) * 1e3, "ms")
    print(json.dumps(figures))


def launch(path):
    cache = msal.SerializableTokenCache()
    with open(path) as file:
        cache.deserialize(file.read())
    client = app(cache, HTTP())
    token(client, account_of(client, 0))


if len(sys.argv) > 2 and sys.argv[1] == "launch":
    launch(sys.argv[2])
else:
    main()
