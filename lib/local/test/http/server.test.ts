import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import type { GatewayRequest, GatewayResponse } from "../../src/http/messages.ts";
import { type Listener, listen } from "../../src/http/server.ts";
import { StartupError } from "../../src/startup-error.ts";

const MB = 1024 * 1024;

let server: Listener;
let port: number;
let requests: GatewayRequest[];
let faults: unknown[];

async function serve(response: Partial<GatewayResponse> | (() => Promise<GatewayResponse>) = {}) {
  requests = [];
  faults = [];
  server = await listen(
    0,
    async (request) => {
      requests.push(request);
      if (typeof response === "function") return response();
      return {
        status: 200,
        headers: [["Content-Type", "text/plain"]],
        body: Buffer.from("hello"),
        ...response,
      };
    },
    (fault) => faults.push(fault),
  );
  ({ port } = server);
}

afterEach(() => server.close());

/** Sends bytes unchanged, and resolves to all bytes received until the connection ends. */
async function raw(...chunks: (string | Buffer)[]): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  for (const chunk of chunks) socket.write(chunk);
  return text(socket.setEncoding("latin1"));
}

const request = (line: string, headers: string[] = []) =>
  [line, "Host: 127.0.0.1", "Connection: close", ...headers, "", ""].join("\r\n");

describe("requests to the HTTP server", () => {
  it("keeps a request's headers as sent", async () => {
    await serve();
    await raw(
      request("POST /a//../b%2F?x=1&x=%zz HTTP/1.1", [
        "tEsT: 1",
        "test: 2",
        "Cookie: a=1; b=2",
        "Content-Length: 3",
      ]),
      "a\0b",
    );
    expect(requests).toStrictEqual([
      {
        method: "POST",
        target: "/a//../b%2F?x=1&x=%zz",
        headers: [
          ["Host", "127.0.0.1"],
          ["Connection", "close"],
          ["tEsT", "1"],
          ["test", "2"],
          ["Cookie", "a=1; b=2"],
          ["Content-Length", "3"],
        ],
        body: Buffer.from("a\0b"),
        sourceIp: "127.0.0.1",
      },
    ]);
  });

  it("accepts header values in UTF-8", async () => {
    await serve();
    await raw(Buffer.from(request("GET / HTTP/1.1", ["X-Name: Zoë 🐈"])));
    expect(requests[0]?.headers).toContainEqual(["X-Name", "Zoë 🐈"]);
  });

  it("accepts a target in absolute form", async () => {
    await serve();
    await raw(request("GET http://127.0.0.1/a?b=1 HTTP/1.1"));
    expect(requests[0]?.target).toBe("http://127.0.0.1/a?b=1");
  });

  it("accepts a chunked body", async () => {
    await serve();
    await raw(request("PUT / HTTP/1.1", ["Transfer-Encoding: chunked"]), "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
    expect(requests[0]?.body.toString()).toBe("abcde");
  });
});

describe("responses of the HTTP server", () => {
  it("keeps repeated response headers, their case and their UTF-8", async () => {
    await serve({
      status: 201,
      headers: [
        ["sEt-Cookie", "a=1"],
        ["sEt-Cookie", "b=2"],
        ["X-Name", "Zoë 🐈"],
      ],
      body: Buffer.from("é"),
    });
    const answer = Buffer.from(await raw(request("GET / HTTP/1.1")), "latin1").toString();
    expect(answer).toMatch(/^HTTP\/1\.1 201 Created\r\n/);
    expect(answer).toContain(
      "\r\nsEt-Cookie: a=1\r\nsEt-Cookie: b=2\r\nX-Name: Zoë 🐈\r\nContent-Length: 2\r\n",
    );
    expect(answer).toMatch(/\r\n\r\né$/);
  });

  it.each([204, 304])("sends neither body nor length with status %d", async (status) => {
    await serve({ status });
    const answer = await raw(request("GET / HTTP/1.1"));
    expect(answer).toContain(` ${status} `);
    expect(answer).not.toMatch(/content-length|transfer-encoding|hello/i);
  });

  it("sends no body in answer to HEAD", async () => {
    await serve();
    const answer = await raw(request("HEAD / HTTP/1.1"));
    expect(answer).toMatch(/Content-Length: 5\r\n.*\r\n\r\n$/s);
  });

  it("keeps the connection open for the next request", async () => {
    await serve();
    const answer = await raw("GET /1 HTTP/1.1\r\nHost: localhost\r\n\r\n", request("GET /2 HTTP/1.1"));
    expect(answer.match(/hello/g)).toHaveLength(2);
    expect(requests.map(({ target }) => target)).toStrictEqual(["/1", "/2"]);
  });
});

describe("the Host header", () => {
  it.each([
    "127.0.0.1",
    "127.0.0.1:3000",
    "api.terminal.localhost:3000",
    "localhost",
    "LOCALHOST:80",
    "[::1]:3000",
    "[::1]",
  ])("accepts %s as the Host header", async (host) => {
    await serve();
    expect(await raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toContain(" 200 ");
  });

  it.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example:3000",
    "localhost:3000.evil.example",
    "evil.example:127.0.0.1",
    "0.0.0.0",
    "",
    "localhost@evil.example",
    "evillocalhost",
    "evil.example.localhost.",
  ])("refuses the Host header %j", async (host) => {
    await serve();
    expect(await raw(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)).toContain(" 403 ");
    expect(requests).toStrictEqual([]);
  });

  it("refuses a missing or repeated Host header", async () => {
    await serve();
    expect(await raw(request("GET / HTTP/1.1", ["Host: evil.example"]))).toMatch(/ (400|403) /);
    expect(await raw("GET / HTTP/1.0\r\n\r\n")).toContain(" 403 ");
    expect(requests).toStrictEqual([]);
  });
});

describe("limits", () => {
  const tooLarge = "HTTP content length exceeded 10485760 bytes.";

  it("admits a body of 10 MB", async () => {
    await serve();
    const body = Buffer.alloc(10 * MB, "ab");
    const answer = await fetch(`http://127.0.0.1:${port}/`, { method: "POST", body });
    expect(answer.status).toBe(200);
    expect(requests[0]?.body.equals(body)).toBe(true);
  });

  it("refuses one more byte with a 413 in plain text", async () => {
    await serve();
    const answer = await fetch(`http://127.0.0.1:${port}/`, {
      method: "POST",
      body: Buffer.alloc(10 * MB + 1),
    });
    expect(answer.status).toBe(413);
    expect(answer.headers.get("content-type")).toBe("text/plain");
    expect(answer.headers.get("connection")).toBe("close");
    expect(await answer.text()).toBe(tooLarge);
    expect(requests).toStrictEqual([]);
  });

  it("refuses a body as soon as its Content-Length is too large", async () => {
    await serve();
    const answer = await raw(request("POST / HTTP/1.1", [`Content-Length: ${10 * MB + 1}`]));
    expect(answer).toContain(tooLarge);
  });

  it("refuses a body of unknown length as soon as it is too large", async () => {
    await serve();
    const chunk = Buffer.alloc(MB, "x");
    const frames = Array.from({ length: 12 }, () => [`${MB.toString(16)}\r\n`, chunk, "\r\n"]).flat();
    const answer = await raw(request("POST / HTTP/1.1", ["Transfer-Encoding: chunked"]), ...frames);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain(tooLarge);
    expect(requests).toStrictEqual([]);
  });

  it("admits headers of 10240 bytes and refuses one more byte with a 431", async () => {
    await serve();
    const base = "Host127.0.0.1ConnectioncloseX".length;
    const value = "x".repeat(10_240 - base);
    expect(await raw(request("GET / HTTP/1.1", [`X: ${value}`]))).toContain(" 200 ");
    expect(await raw(request("GET / HTTP/1.1", [`X: ${value}x`]))).toContain(" 431 ");
    expect(await raw(request("GET / HTTP/1.1", [`X: ${"x".repeat(50_000)}`]))).toContain(" 431 ");
    expect(requests).toHaveLength(1);
  });

  it("refuses malformed HTTP with a 400", async () => {
    await serve();
    expect(await raw("nonsense\r\n\r\n")).toContain(" 400 ");
    expect(await raw(request("GET / HTTP/1.1", ["X: a\0b"]))).toContain(" 400 ");
    expect(requests).toStrictEqual([]);
  });
});

describe("listen, when a request fails", () => {
  it("drops the request of a client that disconnects during its body and reports nothing", async () => {
    await serve();
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.write(request("POST / HTTP/1.1", ["Content-Length: 100"]));
    await new Promise((resolve) => socket.write("half", resolve));
    socket.destroy();
    await once(socket, "close");
    expect(await raw(request("GET /after HTTP/1.1"))).toContain(" 200 ");
    expect(requests.map(({ target }) => target)).toStrictEqual(["/after"]);
    expect(faults).toStrictEqual([]);
  });

  it("reports nothing if a client disconnects before its answer", async () => {
    const begun = Promise.withResolvers<void>();
    const answer = Promise.withResolvers<GatewayResponse>();
    await serve(() => {
      begun.resolve();
      return answer.promise;
    });
    const socket = connect(port, "127.0.0.1", () => socket.write(request("GET / HTTP/1.1")));
    await begun.promise;
    socket.destroy();
    await once(socket, "close");
    answer.resolve({ status: 200, headers: [], body: Buffer.from("late") });
    expect(await raw(request("GET / HTTP/1.1"))).toContain(" 200 ");
    expect(faults).toStrictEqual([]);
  });

  it("reports an error of the handler and answers with a 500 without its message", async () => {
    const fault = new Error("a secret");
    await serve(() => Promise.reject(fault));
    const answer = await raw(request("GET / HTTP/1.1"));
    expect(answer).toContain(" 500 ");
    expect(answer).not.toContain("secret");
    expect(faults).toStrictEqual([fault]);
  });
});

describe("listen", () => {
  it("throws a StartupError if the port is in use", async () => {
    await serve();
    const second = listen(
      port,
      () => Promise.reject(),
      () => {},
      { option: "--stream-port" },
    );
    await expect(second).rejects.toBeInstanceOf(StartupError);
    await expect(second).rejects.toThrow(/^Port \d+ is in use; .* --stream-port\.$/);
  });

  it("closes every connection, idle or in use", async () => {
    await serve(() => new Promise(() => {}));
    const idle = connect(port, "127.0.0.1");
    const busy = connect(port, "127.0.0.1", () => busy.write(request("GET / HTTP/1.1")));
    await once(idle, "connect");
    await expect.poll(() => requests).toHaveLength(1);
    const ended = Promise.all([idle, busy].map((socket) => once(socket.resume(), "close")));
    await server.close();
    await ended;
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow();
  });
});
