#!/usr/bin/env python3
"""Check every #include against the table "who may include whom".

The build file holds the same table (one library a layer, which links only
what its row allows); this script also sees a header that needs no linking,
a system header, and a third party's.
"""

import pathlib
import re
import sys

# ARCHITECTURE.md, "Who may include whom".
LAYERS = {
    "base": set(),
    "core": {"base"},
    "wire": {"base", "core"},
    "store": {"base", "core", "wire"},
    "client": {"base", "core", "wire", "store", "client/server/open.h"},
    "client/server": {"base", "core", "wire", "client",
                      "net/http_client.h", "net/http_module.h"},
    "net": {"base", "wire"},
    "journal": {"base", "core", "wire", "store"},
    "postgresql": {"base", "core", "wire", "store", "journal"},
    "server": {"base", "core", "wire", "store", "journal", "net"},
    "cli": {"base"},
    "explore": {"base"},
    "lab": {"base", "core", "explore"},
    "tale": {"base", "explore", "lab/world/promises.h", "lab/subject.h"},
    "tale/place": {"base", "store", "explore", "tale"},
    "tale/main.c": {"base", "explore", "lab/subject.h", "tale",
                    "tale/place"},
}

# These stand at the root; all other layers are in src.
ROOMS = ("explore", "lab", "tale")

# Nothing is above it that its own headers could be taken for, so they are
# included without their folder.
OWN_FOLDER = {"cli"}

# These do no I/O, read no clock, and know no heap of their own: so they need
# none of the headers that could.  stdio.h is there for snprintf alone.
PURE = {"core", "wire", "net"}
PURE_HEADERS = {
    "inttypes.h", "limits.h", "stdarg.h", "stdbool.h", "stddef.h",
    "stdint.h", "stdio.h", "string.h",
}

# A third party's header, and the only files that may include it.
THIRD_PARTY = {
    "sqlite3.h": r"src/(store|journal)/sqlite[a-z_]*\.[ch]"
                 r"|tale/place/locks_sqlite\.c",
    "libpq-fe.h": r"src/postgresql/link\.h",
    "nghttp2/nghttp2.h": r"src/net/h2_session\.h",
    "uv.h": r"src/server/(accepted|listener)\.h",
    "ini.h": r"src/server/options\.c",
    "openssl/hmac.h": r"src/server/secret\.c",
    "openssl/sha.h": r"src/server/secret\.c",
    "openssl/ssl.h": r"src/postgresql/pipeline\.c",
}

# All that others know of a store: so none of them asks which kind it is.
OF_ALL_STORES = {"store/kind.h", "store/place.h", "store/store.h"}
KNOW_KINDS = {"store", "journal", "postgresql", "tale/place"}

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]', re.M)


def layer_of(path):
    """src/core/keeper.c is of core, lab/world/world.c of lab, and what is in
    tale/place, which the table has beside tale, of tale/place."""
    parts = path.parts[1:] if path.parts[0] == "src" else path.parts
    below = ("/".join(parts[:n]) for n in range(len(parts), 0, -1))
    return next((layer for layer in below if layer in LAYERS), parts[0])


def file_of(name):
    """The file that "layer/file.h" is: a room's from the root, else of src."""
    room = name.split("/")[0] in ROOMS
    return pathlib.Path(name) if room else pathlib.Path("src") / name


def complaint(path, mark, name):
    """Why `path` may not include `name`, or None."""
    layer = layer_of(path)
    if name.startswith("holdfast/"):
        return None if mark == "<" else 'public headers are <holdfast/...>'
    if mark == '"':
        if layer in OWN_FOLDER and (path.parent / name).exists():
            return None
        if not file_of(name).exists():
            return "ours is included as \"layer/file.h\", and there is none"
        other = layer_of(file_of(name))
        if other != layer and not {other, name} & LAYERS[layer]:
            return f"{layer} may not include {other}"
        if (other == "store" and layer not in KNOW_KINDS
                and name not in OF_ALL_STORES):
            return f"{layer} may not know of one kind of store"
        return None
    if name in THIRD_PARTY:
        if not re.fullmatch(THIRD_PARTY[name], str(path)):
            return f"only {THIRD_PARTY[name]} may"
        return None
    if layer in PURE and name not in PURE_HEADERS:
        return f"{layer} is pure: no I/O, no clock, no heap"
    return None


def main():
    bad = 0
    for path in sorted(path for folder in ("src", *ROOMS)
                       for path in pathlib.Path(folder).rglob("*.[ch]")):
        if layer_of(path) not in LAYERS:
            print(f"{path}: {layer_of(path)} is no layer of the table")
            bad += 1
            continue
        for mark, name in INCLUDE.findall(path.read_text()):
            why = complaint(path, mark, name)
            if why:
                print(f"{path}: includes {name}: {why}")
                bad += 1
    for path in sorted(pathlib.Path("include").rglob("*.h")):
        for mark, name in INCLUDE.findall(path.read_text()):
            if mark == '"' or (pathlib.Path("src") / name).exists():
                print(f"{path}: a public header includes {name}")
                bad += 1
    for path in sorted(pathlib.Path("examples").rglob("*.c")):
        for mark, name in INCLUDE.findall(path.read_text()):
            if mark == '"':
                print(f"{path}: an example includes {name}, a private header")
                bad += 1
    return 1 if bad else 0


sys.exit(main())
