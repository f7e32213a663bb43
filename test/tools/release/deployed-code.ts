import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { crc32, deflateRawSync } from "node:zlib";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { variablesLine } from "../../../lib/infra/functions/bundle.ts";
import { bundleOf, placesTextOf } from "../../../lib/infra/functions/bundled-code.ts";
import { type OperationName, operations } from "../../../lib/operations/operations.ts";
import { codeFaults } from "../../../lib/tools/release/deployed-code.ts";

/** Packs files as a zip. */
function zip(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const bodies: Buffer[] = [];
  const entries: Buffer[] = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const content = Buffer.from(text);
    const packed = deflateRawSync(content, { level: 1 });
    const path = Buffer.from(name);
    // Fields that both headers share: version, flags, method, time, date, checksum, sizes and lengths.
    const shared = Buffer.alloc(26);
    shared.writeUInt16LE(20, 0);
    shared.writeUInt16LE(8, 4);
    shared.writeUInt32LE(crc32(content), 10);
    shared.writeUInt32LE(packed.length, 14);
    shared.writeUInt32LE(content.length, 18);
    shared.writeUInt16LE(path.length, 22);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    entries.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), shared, rest, path);
    const body = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), shared, path, packed]);
    bodies.push(body);
    offset += body.length;
  }
  const list = Buffer.concat(entries);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  for (const at of [8, 10]) end.writeUInt16LE(Object.keys(files).length, at);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...bodies, list, end]);
}

type Files = Readonly<Record<string, string | Buffer>>;

type Deployed = { files: Files; packed: Buffer; settings?: object | undefined; download?: Buffer };

const names = Object.keys(operations) as OperationName[];
const deployed = new Map<string, Deployed>();
let url = "";

/** Answers as Lambda's GetFunction does, and as the address of the code. */
const server = createServer((request, response) => {
  const [, kind, name = ""] = /^\/(2015-03-31\/functions|code)\/(\w+)/.exec(request.url ?? "") ?? [];
  const found = deployed.get(name);
  if (found === undefined) response.writeHead(404).end("{}");
  else if (kind === "code") response.end(found.download ?? found.packed);
  else
    response.end(
      JSON.stringify({
        Code: { Location: `${url}/code/${name}?X-Amz-Signature=secret` },
        Configuration: {
          Handler: "index.handler",
          CodeSha256: createHash("sha256").update(found.packed).digest("base64"),
          ...found.settings,
        },
      }),
    );
});

// A part of test/infra/bundles.test.ts, so that all tests of bundles make them once.
describe("codeFaults", () => {
  beforeAll(async () => {
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => new Promise((done) => server.close(done)));

  const line = variablesLine({ TRADING: '{"eth":{"a":"\\"b\\n"}}' });

  const deployedWith = (files: Files, settings?: object): Deployed => ({
    files,
    packed: zip(files),
    settings,
  });

  const filesWith = (name: OperationName, head: string): Files => ({
    "index.mjs": head + bundleOf(name).text,
    "index.mjs.map": placesTextOf(name, head),
  });

  /** Packed once, because the tests change one or two of them. */
  const usual = names.map(
    (name) => [name, deployedWith(filesWith(name, name === "placeOrder" ? line : ""))] as const,
  );

  beforeEach(() => {
    deployed.clear();
    for (const [name, each] of usual) deployed.set(name, each);
  });

  const filesOf = (name: string) => deployed.get(name)?.files ?? {};

  const change = (name: OperationName, files: Files) =>
    deployed.set(name, deployedWith({ ...filesOf(name), ...files }));

  function faults(functions: readonly OperationName[] = names, all: readonly string[] = functions) {
    const lambda = new LambdaClient({
      endpoint: url,
      region: "eu-west-1",
      credentials: { accessKeyId: "local", secretAccessKey: "local" },
      maxAttempts: 1,
    });
    return codeFaults(lambda, { functions: new Map(functions.map((name) => [name, name])), all });
  }

  /** Lists the faults of the functions that tests change. The others are not deployed, which saves their downloads. */
  const faultsOfTwo = async () =>
    (await faults(["placeOrder", "signTransaction"])).filter(
      (fault) => !fault.endsWith("function is missing"),
    );

  it("finds nothing if each function has the code of this checkout, with any variables", async () => {
    expect(await faults()).toEqual([]);
  });

  it("names a function whose code or map differs by a byte", async () => {
    const code = Buffer.from(filesOf("placeOrder")["index.mjs"] ?? "");
    code.writeUInt8((code.at(-2) ?? 0) ^ 1, code.length - 2);
    change("placeOrder", { "index.mjs": code });
    change("signTransaction", { "index.mjs.map": `${filesOf("signTransaction")["index.mjs.map"]} ` });
    expect((await faultsOfTwo()).toSorted()).toEqual([
      "placeOrder: index.mjs differs from this checkout",
      "signTransaction: index.mjs.map differs from this checkout",
    ]);
  });

  it.each([
    [line.replace("\n", "leak();\n"), "index.mjs differs from this checkout"],
    [line.replace(/"(?=;\n)/, '"+leak()+"'), "index.mjs differs from this checkout"],
    [
      variablesLine({ AWS_ENDPOINT_URL: "https://thief.example" }),
      "index.mjs sets AWS_ENDPOINT_URL, which is none of its variables",
    ],
  ])("names a function whose first line is %j", async (head, fault) => {
    change("placeOrder", filesWith("placeOrder", head));
    expect(await faultsOfTwo()).toContain(`placeOrder: ${fault}`);
  });

  it("names an extra file, which Lambda could load first, and a missing one", async () => {
    change("placeOrder", { "index.js": "" });
    deployed.set("signTransaction", deployedWith({ "index.mjs": bundleOf("signTransaction").text }));
    expect((await faultsOfTwo()).toSorted()).toEqual([
      "placeOrder: index.js is not in this checkout",
      "signTransaction: index.mjs.map is missing",
    ]);
  });

  it.each([
    [{ Layers: [{ Arn: "arn:layer" }] }, "it has the layer arn:layer"],
    [{ Handler: "other.handler" }, "its handler is other.handler"],
    [
      { Environment: { Variables: { NODE_OPTIONS: "--import=x" } } },
      "its variable NODE_OPTIONS can load other code",
    ],
  ])("names a function with %j", async (settings, fault) => {
    deployed.set("placeOrder", deployedWith(filesOf("placeOrder"), settings));
    expect(await faultsOfTwo()).toEqual([`placeOrder: ${fault}`]);
  });

  it("names a missing function, and one that belongs to no operation", async () => {
    expect(await faults(names.slice(1), [...names.slice(1), "stranger"])).toEqual([
      `${names[0]}: the function is missing`,
      "stranger: no operation has this function",
    ]);
  });

  it("misses no function of a capability that is off", async () => {
    const always = names.filter((name) => operations[name].deployed !== "with export");
    expect(await faults(always)).toEqual([]);
  });

  it("names a function whose download fails or differs from the code that Lambda runs, but never the download's address", async () => {
    deployed.set("placeOrder", { ...deployedWith(filesOf("placeOrder")), download: Buffer.from("no zip") });
    deployed.delete("signTransaction");
    const found = (await faultsOfTwo()).toSorted();
    expect(found).toEqual([
      "placeOrder: its code could not be read: the download is not what Lambda runs",
      expect.stringMatching(/^signTransaction: its code could not be read: /),
    ]);
    expect(found.join()).not.toContain("secret");
  });
});
