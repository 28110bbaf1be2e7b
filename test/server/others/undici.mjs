// undici.mjs URL: the same by undici, the client behind Node's fetch.
const url = process.argv[2];

async function ask(path, body, secret) {
  const answer = await fetch(url + path, {
    method: "POST", body: JSON.stringify(body),
    headers: { "content-type": "application/json",
      ...(secret ? { "holdfast-secret": secret } : {}) },
  });
  return { status: answer.status, body: await answer.json() };
}

function expect(what, good) {
  if (!good) throw new Error(what);
}

const first = await ask("/v1/locks/fetch/acquire", { wait: "10s" });
expect("granted", first.status === 200 && first.body.granted);
const waiting = ask("/v1/locks/fetch/acquire", { wait: "20s" });
const tried = await ask("/v1/locks/fetch/acquire", { wait: "try" });
expect("held", tried.status === 409 && tried.body.holders.length === 1);
const released = await ask("/v1/locks/fetch/release",
  { session: first.body.session }, first.body.secret);
expect("released", released.status === 200);
const second = await waiting;
expect("granted to who waited", second.status === 200);
const ended = await fetch(`${url}/v1/sessions/${second.body.session}`, {
  method: "DELETE", headers: { "holdfast-secret": second.body.secret },
});
expect("ended", ended.status === 200);
