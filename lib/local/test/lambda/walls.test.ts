import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { constants } from "node:os";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runCode } from "./functions.ts";

const code = `
import childProcess from "node:child_process";
import dgram from "node:dgram";
import dns, { lookup } from "node:dns";
import { Resolver, resolve4 } from "node:dns/promises";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import http2 from "node:http2";
import net, { Socket } from "node:net";
import tls from "node:tls";
import { Worker } from "node:worker_threads";

const failure = async (emitter) => { throw (await once(emitter, "error"))[0]; };
/** Gets Node's internal object for connections. */
const handle = () => {
  const socket = new Socket();
  socket.connect({ host: "none", port: 1, lookup: () => {} });
  return socket._handle;
};
const ways = {
  fetch: async ({ url }) => (await fetch(url)).text(),
  http: ({ url }) => failure(http.get(url)),
  http2: ({ url }) => failure(http2.connect(url)),
  net: ({ port }) => failure(net.connect({ port, host: "127.0.0.1" })),
  "net to IPv6": ({ port }) => failure(net.connect({ port, host: "::1" })),
  tls: ({ port }) => failure(tls.connect({ port, host: "127.0.0.1" })),
  path: () => failure(net.connect({ path: "/run/secret.sock" })),
  websocket: ({ url }) => new Promise((_, reject) => {
    new WebSocket(url.replace("http", "ws")).onerror = ({ error }) => reject(error);
  }),
  name: ({ port }) => failure(net.connect({ port, host: "key.example.com" })),
  localhost: ({ port }) => failure(net.connect({ port, host: "localhost" })),
  lookup: () => new Promise((_, reject) => lookup("key.example.com", reject)),
  "dns.promises": () => dns.promises.lookup("key.example.com"),
  resolve4: () => resolve4("key.example.com"),
  resolver: () => new Resolver().resolveTxt("key.example.com"),
  "resolver with callback": () => new Promise((_, reject) => new dns.Resolver().resolve("key.example.com", reject)),
  datagram: () => new Promise((_, reject) => dgram.createSocket("udp4").send("key", 53, "127.0.0.1", reject)),
  listen: () => failure(net.createServer().listen(0)),
  process: () => failure(childProcess.spawn("curl", ["http://127.0.0.1"])),
  thread: () => failure(new Worker("fetch('http://127.0.0.1')", { eval: true })),
  internals: () => process.binding("tcp_wrap"),
  "write a file": () => fs.writeFileSync("/tmp/key", "key"),
  "read a file": () => fs.readFileSync("/etc/hosts", "utf8"),
  "replace a method": ({ port }) => {
    const tcp = Object.getPrototypeOf(handle());
    for (const name of ["connect", "connect6"]) {
      try { tcp[name] = () => 0; } catch {}
      try { Object.defineProperty(tcp, name, { value: () => 0 }); } catch {}
      try { delete tcp[name]; } catch {}
    }
    return failure(net.connect({ port, host: "127.0.0.1" }));
  },
  "replace builtins": ({ port }) => {
    const tcp = handle();
    const address = "127.0.0.1:" + port;
    const replaced = [
      [Set.prototype, "has"],
      [Function.prototype, "call"],
      [Function.prototype, "apply"],
      [Reflect, "apply"],
    ].map(([holder, name]) => ({ holder, name, before: holder[name] }));
    for (const { holder, name } of replaced) holder[name] = () => true;
    Object.prototype[address] = true;
    try { return { status: tcp.connect({}, "127.0.0.1", port) }; }
    finally {
      for (const { holder, name, before } of replaced) holder[name] = before;
      delete Object.prototype[address];
    }
  },
};
export const handler = async (event) => {
  try { return { got: await ways[event.way](event) }; }
  catch (error) { return { code: error?.cause?.code ?? error?.code ?? String(error) }; }
};`;

let open: Server;
let shut: Server;
let connections = 0;
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

beforeAll(async () => {
  open = createServer((_, response) => response.end("reached"));
  shut = createServer((_, response) => response.end("reached"));
  shut.on("connection", () => connections++);
  for (const server of [open, shut]) await once(server.listen(0, "127.0.0.1"), "listening");
});

afterAll(() => {
  for (const server of [open, shut]) {
    server.closeAllConnections();
    server.close();
  }
});

describe("a function in a VPC", () => {
  const { run, log } = runCode(
    code,
    {},
    {
      concurrency: 1,
      reachableFrom: () => [new URL(urlOf(open)).host],
    },
  );
  const way = async (name: string, server = shut) => {
    const url = urlOf(server);
    return (await run({ way: name, url, port: Number(new URL(url).port) })).answer;
  };

  it("lets a function in a VPC reach its endpoints", async () => {
    expect(await way("fetch", open)).toEqual({ got: "reached" });
  });

  it.each(["fetch", "http", "http2", "net", "net to IPv6", "tls", "path", "datagram", "listen"])(
    "opens no other socket by %s",
    async (name) => {
      expect(await way(name)).toEqual({ code: "ENETUNREACH" });
    },
  );

  it.each(["name", "localhost", "lookup", "dns.promises", "resolve4", "resolver", "resolver with callback"])(
    "resolves no name by %s",
    async (name) => {
      expect(await way(name)).toEqual({ code: "ENOTFOUND" });
    },
  );

  it.each(["process", "thread", "internals", "write a file", "read a file"])(
    "prevents an escape from the walls by %s",
    async (name) => {
      expect(await way(name)).toEqual({ code: "ERR_ACCESS_DENIED" });
    },
  );

  it("opens no WebSocket and logs the refused connection", async () => {
    await way("websocket");
    const { host } = new URL(urlOf(shut));
    expect(JSON.parse(log.at(-1)?.line ?? "")).toMatchObject({
      level: "ERROR",
      message: `Refused a connection to ${host}: this function is in a VPC and can only reach the endpoints there.`,
    });
  });

  it("prevents a function from removing its walls", async () => {
    expect(await way("replace a method")).toEqual({ code: "ENETUNREACH" });
    expect(await way("replace builtins")).toEqual({ got: { status: -constants.errno.ENETUNREACH } });
    expect(connections).toBe(0);
  });
});

describe("a function outside of a VPC", () => {
  const { run } = runCode(code, {}, { concurrency: 1 });

  it("lets a function outside a VPC reach any address", async () => {
    expect((await run({ way: "fetch", url: urlOf(shut) })).answer).toEqual({ got: "reached" });
  });
});
