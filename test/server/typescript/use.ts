// use.ts URL: a lock server, by a client whose types were generated from
// docs/openapi.yaml.  That it compiles is half of the test: what is wrong in a
// line below "@ts-expect-error" must be seen by the compiler.
import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, operations, paths } from "./api.js";

const client = createClient<paths>({ baseUrl: process.argv[2] ?? "" });

type Granted =
  components["responses"]["granted"]["content"]["application/json"];
type Conflict = components["schemas"]["conflict"];
type AcquireBody = NonNullable<
  operations["acquireLock"]["requestBody"]>["content"]["application/json"];

function expect(what: string, good: boolean): void {
  if (!good) throw new Error(what);
}

function present<T>(what: string, value: T | undefined): T {
  if (value === undefined) throw new Error(what);
  return value;
}

async function acquire(name: string, body: AcquireBody, secret?: string) {
  return await client.POST("/v1/locks/{name}/acquire", {
    params: {
      path: { name },
      header: secret === undefined ? {} : { "Holdfast-Secret": secret },
    },
    body,
  });
}

async function granted(name: string, body: AcquireBody, secret?: string):
  Promise<Granted> {
  const { data, error } = await acquire(name, body, secret);
  return present(`${name}: ${error?.message}`, data);
}

async function release(name: string, session: string, secret: string) {
  const { response } = await client.POST("/v1/locks/{name}/release", {
    params: { path: { name }, header: { "Holdfast-Secret": secret } },
    body: { session },
  });
  expect(`${name} is released`, response.status === 200);
}

// The compiler lets a misspelt member pass where all are optional; the server
// does not.
async function is_told_what_is_not_known() {
  const { error } = await client.POST("/v1/locks/{name}/acquire", {
    params: { path: { name: "unknown" } },
    body: { ifDead: "refuse" },
  });
  expect("told", error?.type === "urn:holdfast:bad-request" &&
    error.member === "ifDead");
}

// Who is told no knows by the type what goes with it.
function holdersOf(problem: Conflict): number {
  switch (problem.type) {
    case "urn:holdfast:held":
      return problem.holders?.length ?? 0;
    case "urn:holdfast:deadlock":
      // @ts-expect-error: a circle has no holders
      return problem.holders.length;
    default:
      return 0;
  }
}

async function holds_and_holds_again() {
  const opened = present("opened", (await client.POST("/v1/sessions", {
    body: { ttl: "20s", who: "typescript" },
  })).data);
  const mine = { session: opened.session };

  // Twice, one after the other, without a number: what a default of n would
  // have broken.
  const first = await granted("build", mine, opened.secret);
  await release("build", opened.session, opened.secret);
  const second = await granted("build", mine, opened.secret);
  expect("fences grow", BigInt(second.fence_text) > BigInt(first.fence_text));

  const alive = present("alive", (await client.POST(
    "/v1/sessions/{session}/keep-alive", {
      params: {
        path: mine, header: { "Holdfast-Secret": opened.secret },
      },
      body: {},
    })).data);
  expect("it has what it was granted", alive.fences?.[0] === second.fence);

  const without = await client.DELETE("/v1/sessions/{session}", {
    // @ts-expect-error: nobody ends a session without its secret
    params: { path: mine },
  });
  expect("denied", without.error?.type === "urn:holdfast:denied");

  const ended = await client.DELETE("/v1/sessions/{session}", {
    params: { path: mine, header: { "Holdfast-Secret": opened.secret } },
  });
  expect("ended", ended.data?.ended === true);
}

async function hears_why_not() {
  const holder = await granted("busy", { note: "nightly" });
  const { error: no, response } = await acquire("busy", { wait: "try" });
  expect("409", response.status === 409);
  expect("held, by one", no?.type === "urn:holdfast:held" &&
    no.holders?.[0]?.note === "nightly" && holdersOf(no) === 1);

  // Longer than a request may wait at this server.
  const { error: later } = await acquire("busy", { wait: "20s" });
  expect("asked to ask again",
    later?.type === "urn:holdfast:blocking-timeout" &&
      later.position >= 0 && (later.remaining_ms ?? 0) > 0);

  const { error: early } = await client.POST("/v1/locks/{name}/clear", {
    params: { path: { name: "busy" } },
    body: { fence: holder.fence_text, reason: "it is not dead" },
  });
  expect("not suspected", early?.type === "urn:holdfast:not-suspected" &&
    early.silent_ms >= 0);
  const cleared = await client.POST("/v1/locks/{name}/clear", {
    params: { path: { name: "busy" } },
    body: { fence: holder.fence_text, reason: "on our word", force: true },
  });
  expect("cleared by force", cleared.data?.cleared === true);

  const { error: nobodys } = await client.GET("/v1/locks/{name}/why", {
    params: { path: { name: "nobody's" } },
  });
  expect("no such lock", nobodys?.type === "urn:holdfast:not-found");
}

async function is_known_by_its_key() {
  const header = { "Idempotency-Key": randomUUID() };
  const ask = async () => present("granted", (await client.POST(
    "/v1/acquire", { params: { header }, body: {
      locks: ["x", { name: "y", mode: "shared" }] } })).data);
  const first = await ask();
  const again = await ask();
  expect("one grant", first.fence === again.fence);
  expect("told its secret", first.secret !== undefined);

  const { data: page } = await client.GET("/v1/locks", {
    params: { query: { prefix: "x" } },
  });
  expect("listed", page?.locks[0]?.holders[0]?.session === first.session);
}

await holds_and_holds_again();
await hears_why_not();
await is_told_what_is_not_known();
await is_known_by_its_key();
