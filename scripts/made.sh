#!/bin/sh
# made.sh: what `make` has made, and what to type next.
cat <<'END'
made:
  build/bin/holdfast            the command
  build/bin/holdfastd           the lock server
  build/lib/libholdfast.so      the library; its headers are in include/
  build/bin/holdfast-lab        the proofs of the protocol
  build/bin/holdfast-tale       the locks of others, and how each fails
next:
  build/bin/holdfast --help
  make run                      see a lock taken over from who was killed
  make test                     every test, in five minutes
  make install                  put it under /usr/local, as root
  make help                     the rest
END
