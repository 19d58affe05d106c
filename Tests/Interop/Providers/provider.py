"""What the provider programs share: where they listen, who signs in, and the line that says so."""

import json
import socket
import sys

USER = {"name": "alice", "email": "alice@example.com", "password": "correct horse battery"}
CLIENT_ID = "tasks-app"
SCOPES = ["openid", "profile", "email", "tasks"]


def options():
    """The JSON object on the command line: the variant to run."""
    return json.loads(sys.argv[1])


def listening_socket():
    """A loopback socket on a port that the system chose."""
    server = socket.socket()
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(("127.0.0.1", 0))
    server.listen(64)
    return server


def announce(**fields):
    """Prints the line that the runner waits for."""
    print(json.dumps({"clientID": CLIENT_ID, "scopes": SCOPES, "user": USER, **fields}), flush=True)
