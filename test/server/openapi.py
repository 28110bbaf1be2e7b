"""openapi.py HOLDFASTD OPENAPI ROUTES ROWS: a description of the API against a
server.

Every way of ROUTES, which is src/server/route.c, is described in OPENAPI, and
no other; each is walked, and every answer is as its description says, with no
member more: answers may have more some day, but then they are described.  The
members of holders, waiters and sessions are those of the tables in ROWS, which
is src/wire/api_seen.c.
"""

import json
import re
import sys

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"1..0 # SKIP {missing}")
    sys.exit(77)

from support import Checks, Client, Server, folder

DAEMON, OPENAPI, ROUTES, ROWS = sys.argv[1:]
checks = Checks()


class Description:
    def __init__(self, path):
        with open(path) as file:
            self.root = yaml.safe_load(file)
        self.walked = set()

    def ways(self):
        return {(method.upper(), path)
                for path, item in self.root["paths"].items()
                for method in item if method != "parameters"}

    def follow(self, node):
        while "$ref" in node:
            at = self.root
            for piece in node["$ref"].lstrip("#/").split("/"):
                at = at[piece]
            node = at
        return node

    def operations(self):
        return [operation for item in self.root["paths"].values()
                for method, operation in item.items() if method != "parameters"]

    def closed(self, node, is_part=False):
        """A schema without references, in which an object has what is
        described and nothing else.  What it is made of (allOf) is left open."""
        if isinstance(node, list):
            return [self.closed(item) for item in node]
        if not isinstance(node, dict):
            return node
        if "$ref" in node:
            node = {**self.follow(node),
                    **{key: node[key] for key in node if key != "$ref"}}
        closed = {key: ([self.closed(part, True) for part in value]
                        if key == "allOf" else self.closed(value))
                  for key, value in node.items()}
        is_object = "allOf" in node or node.get("type") == "object" \
            and "properties" in node
        if is_object and not is_part:
            closed["unevaluatedProperties"] = False
        return closed

    def schema(self, method, path, status, kind):
        """That of an answer; None: such an answer is not described."""
        responses = self.root["paths"][path][method.lower()]["responses"]
        response = responses.get(str(status))
        if response is None and status >= 400:
            response = responses["default"]
        if response is None:
            return None
        content = self.follow(response)["content"].get(kind)
        return None if content is None else content["schema"]

    def complaints(self, schema, value):
        validator = jsonschema.Draft202012Validator(self.closed(schema))
        return "\n".join(error.message for error in
                         validator.iter_errors(value))


def routes():
    with open(ROUTES) as file:
        found = re.findall(r'\{"(\w+)", "([^"]+)", HF_ROUTE_\w+\}', file.read())
    return set(found)


def rows():
    """The names of the members by table."""
    with open(ROWS) as file:
        tables = re.findall(r"struct hf_member (\w+)_rows\[\] = \{(.*?)\n\};",
                            file.read(), re.DOTALL)
    return {table: re.findall(r'\{HF_MEMBER_\w+, "(\w+)"', text)
            for table, text in tables}


def look_at_rows(description):
    """A row of a list of several locks' begins with its lock."""
    schemas = description.root["components"]["schemas"]
    of_lock = list(schemas["ofLock"]["properties"])
    tables = rows()
    described = {
        "claim": of_lock + [member for member in schemas["holder"]["properties"]
                            if member in schemas["waiter"]["properties"]],
        "holder": [member for member in schemas["holder"]["properties"]
                   if member not in schemas["waiter"]["properties"]],
        "waiter": [member for member in schemas["waiter"]["properties"]
                   if member not in schemas["holder"]["properties"]],
        "session": list(schemas["session"]["properties"]),
    }
    for table, members in described.items():
        checks.check(f"the members of a {table} are described",
                     members == tables.get(table), tables.get(table))
    checks.check("and there are no other tables", set(tables) == set(described),
                 tables)


def plain(path):
    return re.sub(r"\{\w+\}", "*", path).lstrip("/")


def walk(client, description, expected, method, template, body=None, piece="",
         query="", **headers):
    """Ask that way, and compare; the answer's body."""
    path = re.sub(r"\{\w+\}", piece, template) + query
    status, value = client.ask(method, path, body, **headers)
    schema = description.schema(method, template, status, client.kind)
    wrong = (description.complaints(schema, value) if schema is not None
             else f"{client.kind} is not described")
    checks.check(f"{method} {path}: {status}",
                 status == expected and wrong == "",
                 f"expected {expected}; {wrong}\n{value}")
    description.walked.add((method, template))
    return value


def walk_all(client, description):
    def ask(*args, **kwargs):
        return walk(client, description, *args, **kwargs)

    acquire = "/v1/locks/{name}/acquire"
    opened = ask(201, "POST", "/v1/sessions", {"ttl": "20s", "who": "ann@db1"})
    own = {"Holdfast_Secret": opened["secret"]}
    session = opened["session"]
    granted = ask(200, "POST", acquire, {"session": session}, "a", **own)
    ask(409, "POST", acquire, {}, "a")                       # held
    ask(409, "POST", acquire, {"session": session, "n": 2}, "a", **own)
    ask(409, "POST", acquire, {"wait": 50}, "a")             # timed out
    parks = {"Idempotency_Key": "the key of one poll"}
    ask(503, "POST", acquire, {"wait": 1, "park": "10s"}, "a", **parks)
    ask(200, "GET", "/v1/locks/{name}", piece="a")           # a place is kept
    ask(400, "POST", acquire, {"wait": 1, "park": "10s"}, "a")
    ask(400, "POST", acquire, {"wait": "soon"}, "a")
    ask(400, "POST", acquire, {"waits": "5s"}, "a")
    ask(400, "GET", "/v1/locks", query="?lmit=5")
    ask(403, "POST", acquire, {"session": session, "lane": 2}, "b")
    ask(410, "POST", acquire, {"session": "0" * 15 + "1"}, "b", **own)
    ask(409, "POST", acquire, {"session": session, "lane": 3, "term": 1}, "b",
        **own)                                               # other term
    several = ask(200, "POST", "/v1/acquire",
                  {"locks": ["x", {"name": "y", "mode": "shared"}]})
    ask(200, "POST", "/v1/locks/{name}/wait", {"wait": "1s"}, "free")
    key = {"Idempotency_Key": "the key of one walk"}
    ask(200, "POST", acquire, {}, "keyed", **key)
    ask(409, "POST", acquire, {"mode": "shared"}, "keyed", **key)
    ask(200, "GET", "/v1/sessions")
    page = ask(200, "GET", "/v1/sessions", query="?limit=1")
    ask(200, "GET", "/v1/sessions", query="?after=" + page["after"])
    ask(400, "GET", "/v1/sessions", query="?limit=1001")
    ask(200, "GET", "/v1/locks")
    page = ask(200, "GET", "/v1/locks", query="?limit=1&space=default")
    ask(200, "GET", "/v1/locks", query="?after=" + page["after"])
    ask(400, "GET", "/v1/locks", query="?limit=0")
    ask(200, "GET", "/v1/locks/{name}", piece="a")
    ask(404, "GET", "/v1/locks/{name}", piece="nobodys")
    ask(200, "GET", "/v1/locks/{name}/why", piece="a")
    ask(200, "POST", "/v1/sessions/{session}/keep-alive", {}, session, **own)
    ask(403, "POST", "/v1/sessions/{session}/keep-alive", {}, session)
    ask(200, "POST", "/v1/keep-alive",
        {"sessions": [{"session": session, "secret": opened["secret"]},
                      {"session": session, "secret": "0" * 32}]})
    ask(400, "POST", "/v1/keep-alive", {})
    ask(200, "POST", "/v1/sessions/{session}/page",
        {"fences": [granted["fence"], 5]}, session, **own)
    ask(200, "POST", "/v1/locks/{name}/change", {"session": session}, "a",
        **own)
    ask(200, "POST", "/v1/locks/{name}/release", {"session": session}, "a",
        **own)
    ask(400, "POST", "/v1/release",
        {"session": several["session"], "name": "other"},
        Holdfast_Secret=several["secret"])
    ask(200, "POST", "/v1/release",
        {"session": several["session"], "locks": ["x", {"name": "y"}]},
        Holdfast_Secret=several["secret"])
    dead = ask(200, "POST", acquire, {"note": "nightly"}, "dead")
    ask(400, "POST", "/v1/locks/{name}/clear", {"reason": "none"}, "dead")
    ask(409, "POST", "/v1/locks/{name}/clear",
        {"fence": 1, "reason": "none"}, "dead")
    ask(409, "POST", "/v1/locks/{name}/clear",
        {"fence": dead["fence"], "reason": "it is not"}, "dead")
    ask(200, "POST", "/v1/locks/{name}/clear",
        {"fence": dead["fence"], "reason": "it is gone", "gone": True}, "dead")
    ask(200, "POST", "/v1/sessions/{session}/keep-alive", {}, dead["session"],
        Holdfast_Secret=dead["secret"])                      # it is told
    ask(200, "POST", "/v1/locks/{name}/release", {"session": dead["session"]},
        "dead", Holdfast_Secret=dead["secret"])              # nothing is left
    told = ask(200, "POST", "/v1/stream", {"id": 7, "do": "open"})
    checks.check("a line of a stream has its answer's members",
                 json.loads(told.split("\n")[1])["id"] == 7, told)
    ask(400, "POST", "/v1/stream", {"id": 7, "do": "open"}, query="?x=1")
    ask(200, "GET", "/v1/audit", query="?name=dead")
    ask(400, "GET", "/v1/audit", query="?after=x")
    ask(200, "GET", "/v1/info")
    ask(200, "GET", "/healthz")
    ask(200, "GET", "/readyz")
    ask(200, "GET", "/metrics")
    ask(403, "GET", "/v1/info", Origin="http://evil.example")
    ask(200, "DELETE", "/v1/sessions/{session}", None, session, **own)
    ask(410, "DELETE", "/v1/sessions/{session}", None, session, **own)


def broken_texts(node):
    """A comma ends an unquoted text in braces: what follows has no value."""
    if isinstance(node, list):
        return [text for item in node for text in broken_texts(item)]
    if not isinstance(node, dict):
        return []
    return [key for key, value in node.items() if value is None] + \
        [text for value in node.values() for text in broken_texts(value)]


def is_closed(description, node):
    """Does every object in it say that it has no other members?"""
    if isinstance(node, list):
        return all(is_closed(description, item) for item in node)
    if not isinstance(node, dict):
        return True
    node = description.follow(node)
    return (node.get("type") != "object" or
            node.get("additionalProperties") is False) and \
        all(is_closed(description, part) for part in node.values())


def look_at(description):
    """What programs that make clients need, and readers of what they make."""
    operations = description.operations()
    names = [operation.get("operationId") for operation in operations]
    checks.check("every way has a name of its own",
                 None not in names and len(set(names)) == len(names), names)
    schemes = description.root["components"].get("securitySchemes", {})
    wanted = {scheme for operation in operations
              for one in operation.get("security", []) for scheme in one}
    checks.check("what proves who asks is described",
                 wanted == set(schemes) == {"secret", "key"}, wanted)
    untyped = [operation.get("operationId") for operation in operations
               if not {"400", "403", "default"} <= set(operation["responses"])]
    checks.check("problems are told apart by status", untyped == [], untyped)
    bodies = str(description.root["components"]["requestBodies"])
    checks.check("nobody is made to send what is better left out",
                 "'default'" not in bodies)
    broken = broken_texts(description.root)
    checks.check("no text falls apart", broken == [], broken)
    checks.check("answers may have more some day",
                 "additionalProperties" not in str(
                     description.root["components"]["responses"]))
    open_bodies = [name for name, body in
                   description.root["components"]["requestBodies"].items()
                   if not is_closed(description, body)]
    checks.check("requests have no more than is described", open_bodies == [],
                 open_bodies)


def main():
    description = Description(OPENAPI)
    look_at(description)
    look_at_rows(description)
    described = {(method, plain(path)) for method, path in description.ways()}
    checks.check("every way is described, and no other",
                 described == routes(), described ^ routes())
    with folder() as path, \
            Server(DAEMON, path) as server:
        server.await_leading()
        walk_all(Client(server), description)
    checks.check("every way was walked",
                 description.walked == description.ways(),
                 description.ways() - description.walked)
    return checks.end()


sys.exit(main())
