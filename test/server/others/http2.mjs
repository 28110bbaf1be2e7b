// http2.mjs URL: a lock taken, waited for and given back by Node's own HTTP/2.
import http2 from "node:http2";

const connection = http2.connect(process.argv[2]);

function ask(path, body, secret) {
  return new Promise((resolve, reject) => {
    const stream = connection.request({
      ":method": "POST", ":path": path, "content-type": "application/json",
      ...(secret ? { "holdfast-secret": secret } : {}),
    });
    let status = 0;
    let text = "";
    stream.setEncoding("utf8");
    stream.on("response", (headers) => { status = headers[":status"]; });
    stream.on("data", (chunk) => { text += chunk; });
    stream.on("end", () => resolve({ status, body: JSON.parse(text) }));
    stream.on("error", reject);
    stream.end(JSON.stringify(body));
  });
}

function expect(what, good) {
  if (!good) throw new Error(what);
}

const first = await ask("/v1/locks/node/acquire", { wait: "10s" });
expect("granted", first.status === 200 && first.body.granted);
const tried = await ask("/v1/locks/node/acquire", { wait: "try" });
expect("held", tried.status === 409 && tried.body.type === "urn:holdfast:held");
const waiting = ask("/v1/locks/node/acquire", { wait: "20s" });
const released = await ask("/v1/locks/node/release",
  { session: first.body.session }, first.body.secret);
expect("released", released.status === 200);
const second = await waiting; // on a stream beside the others
expect("granted to who waited", second.status === 200 &&
  BigInt(second.body.fence_text) > BigInt(first.body.fence_text));
connection.close();
