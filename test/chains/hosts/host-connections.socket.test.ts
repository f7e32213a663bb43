import { createServer, type Server } from "node:http";
import { constants, createSecureServer, type ServerHttp2Session, type Settings } from "node:http2";
import { type AddressInfo, connect, createServer as listen, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fetchFromHost } from "../../../lib/chains/hosts/host-connections.ts";

/** A certificate of localhost, and its key, which protect nothing. */
const certificate = `-----BEGIN CERTIFICATE-----
MIIBmjCCAUGgAwIBAgIUP2JWDhn5MZhy+knQP+dzWxpkBmUwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyOTA1MDYxMloYDzIxMjYxMTA1
MDUwNjEyWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATlr/zOIYglUPB2F3qoNPz38YVTLzzZOKDjAEEmnTUtWdCNMmsozmV7
JR64gqmeFlLAkdgCx8kCVyrNXfH1MY5eo28wbTAdBgNVHQ4EFgQUPkuPNv9MOaGv
NmV+S4R6bGq3lFswHwYDVR0jBBgwFoAUPkuPNv9MOaGvNmV+S4R6bGq3lFswDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDRwAwRAIgCX1v0XBBIJWzMqmx40tGfTX54IywdKWZlANj5YRu6xgCIEV3
3oZ0oW0ZCSOg61jt7kRPBlhRvpf/yuLDE/+a6Rc5
-----END CERTIFICATE-----`;
const certificateKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQge4JEj56FnEOmSyu+
zzBqG5Uf9tcNcxtnVzLFpZmPE4uhRANCAATlr/zOIYglUPB2F3qoNPz38YVTLzzZ
OKDjAEEmnTUtWdCNMmsozmV7JR64gqmeFlLAkdgCx8kCVyrNXfH1MY5e
-----END PRIVATE KEY-----`;

setDefaultCACertificates([...getCACertificates("default"), certificate]);

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

type Received = {
  /** Number of connections that were opened. */
  connections: number;
  requests: number;
};

/** Listens, and counts connections and requests. A server gives no hint for how long it keeps connections. */
async function urlOf(server: Server): Promise<string> {
  server.keepAliveTimeout = 0;
  closers.push(() => server.close().closeAllConnections());
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** Answers a request by its number on its connection, or by its number on all connections. */
function host(answers: (onConnection: number, request: number) => "answers" | "closes") {
  const received: Received = { connections: 0, requests: 0 };
  const requests = new WeakMap<Socket, number>();
  const server = createServer(({ socket }, response) => {
    const number = (requests.get(socket) ?? 0) + 1;
    requests.set(socket, number);
    if (answers(number, ++received.requests) === "closes") socket.resetAndDestroy();
    else response.end("{}");
  });
  server.on("connection", () => received.connections++);
  return { received, server };
}

/** Accepts connections at an HTTPS URL, and never answers. */
async function silentHost(): Promise<string> {
  const sockets: Socket[] = [];
  const server = listen((socket) => void sockets.push(socket));
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

const ask = async (url: string, signal: AbortSignal = AbortSignal.timeout(5000)) => {
  const response = await fetchFromHost(url, { method: "POST", body: "[1]", signal });
  return { status: response.status, text: await response.text() };
};

describe("a connection", () => {
  it("stays open for longer than the four seconds of Node", async () => {
    const { received, server } = host(() => "answers");
    const url = await urlOf(server);
    await ask(url);
    await setTimeout(5500);
    await ask(url);
    expect(received).toEqual({ connections: 1, requests: 2 });
  });

  it("is replaced, and its request repeated, if the host has closed it", async () => {
    const { received, server } = host((onConnection) => (onConnection === 2 ? "closes" : "answers"));
    const url = await urlOf(server);
    await ask(url);
    expect(await ask(url)).toEqual({ status: 200, text: "{}" });
    expect(received).toEqual({ connections: 2, requests: 3 });
  });

  it("is replaced once, and then the fault is the host's", async () => {
    const { received, server } = host((_, request) => (request === 1 ? "answers" : "closes"));
    const url = await urlOf(server);
    await ask(url);
    await expect(ask(url)).rejects.toThrow("fetch failed");
    expect(received.requests).toBe(3);
  });

  it("is not replaced if it was the first", async () => {
    const { received, server } = host(() => "closes");
    await expect(ask(await urlOf(server))).rejects.toThrow("fetch failed");
    expect(received.requests).toBe(1);
  });

  it("is not replaced if the time is up", async () => {
    const { received, server } = host(() => "answers");
    const url = await urlOf(server);
    await ask(url);
    server.removeAllListeners("request").on("request", () => received.requests++);
    await expect(ask(url, AbortSignal.timeout(50))).rejects.toThrow("aborted due to timeout");
    expect(received.requests).toBe(2);
  });
});

/** Serves HTTP/2 over TLS, and HTTP/1.1 to clients that offer no other. */
async function secureHost(
  onSession: (session: ServerHttp2Session) => void = () => {},
  {
    delayMs = () => 20,
    settings = {},
  }: { delayMs?: (version: string) => number | undefined; settings?: Settings } = {},
) {
  const received = { connections: 0, requests: [] as string[], atOnce: 0 };
  let open = 0;
  const server = createSecureServer({
    key: certificateKey,
    cert: certificate,
    allowHTTP1: true,
    settings,
  });
  const sockets = new Set<Socket>();
  server.on("secureConnection", (socket) => {
    sockets.add(socket);
    received.connections++;
  });
  server.on("session", onSession);
  server.on("request", async (request, response) => {
    received.requests.push(request.httpVersion);
    const ms = delayMs(request.httpVersion);
    if (ms === undefined) return;
    received.atOnce = Math.max(received.atOnce, ++open);
    const body = await text(request).catch(() => "broken off");
    await setTimeout(ms);
    open--;
    response.end(body);
  });
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return { received, url: `https://localhost:${(server.address() as AddressInfo).port}` };
}

/** Listens before a host, and can swallow all bytes of the connections that are open, without closing them. */
async function behindRouter(url: string) {
  const open: Socket[] = [];
  const server = listen((client) => {
    const onward = connect(Number(new URL(url).port), "127.0.0.1");
    for (const socket of [client, onward]) socket.on("error", () => {});
    open.push(client, onward);
    client.pipe(onward).pipe(client);
  });
  closers.push(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return {
    url: `https://localhost:${(server.address() as AddressInfo).port}`,
    forget() {
      for (const socket of open) socket.unpipe();
    },
  };
}

const askSevenTimes = (url: string) => Promise.all(Array.from({ length: 7 }, () => ask(url)));
const sevenAnswers = Array(7).fill({ status: 200, text: "[1]" });

describe("a host that speaks HTTP/2", () => {
  it("answers the concurrent requests of one connection, also the very first ones", async () => {
    const { received, url } = await secureHost();
    expect(await askSevenTimes(url)).toEqual(sevenAnswers);
    expect(received).toMatchObject({ connections: 1, requests: Array(7).fill("2.0") });
    expect(received.atOnce).toBeGreaterThan(1);
  });

  it("is asked over HTTP/1.1 after it broke off HTTP/2", async () => {
    let isBroken = false;
    const { received, url } = await secureHost((session) => {
      session.on("stream", () => isBroken && session.destroy());
    });
    await ask(url);
    isBroken = true;
    expect(await ask(url)).toEqual({ status: 200, text: "[1]" });
    expect(await ask(url)).toEqual({ status: 200, text: "[1]" });
    expect(received.requests.slice(-2)).toEqual(["1.1", "1.1"]);
  });

  it("is asked over HTTP/2 again after it ended a connection in order", async () => {
    const sessions: ServerHttp2Session[] = [];
    const { received, url } = await secureHost((session) => void sessions.push(session));
    await ask(url);
    const during = ask(url);
    sessions[0]?.close();
    expect(await during).toEqual({ status: 200, text: "[1]" });
    expect(await askSevenTimes(url)).toEqual(sevenAnswers);
    expect(received).toMatchObject({ connections: 2, requests: Array(9).fill("2.0") });
  });

  it("gets requests over HTTP/1.1 that two connections broke off, although these answered others", async () => {
    let isBroken = false;
    let left = 0;
    const { received, url } = await secureHost(
      (session) => {
        left = 1;
        session.on("stream", (stream) => stream.on("close", () => isBroken && session.destroy()));
      },
      { delayMs: (version) => (version === "2.0" && isBroken && left-- <= 0 ? 500 : 20) },
    );
    await ask(url);
    isBroken = true;
    left = 1;
    expect(await askSevenTimes(url)).toEqual(sevenAnswers);
    expect(received.requests.slice(-5)).toEqual(Array(5).fill("1.1"));
  });

  it("lets requests wait for its first connection only as long as their time allows", async () => {
    const url = await silentHost();
    const asked = [AbortSignal.timeout(100), AbortSignal.timeout(30)].map((signal) => ask(url, signal));
    const ends = asked.map((each) => each.catch((error: Error) => error.name));
    expect(await Promise.all(ends)).toEqual(["TimeoutError", "TimeoutError"]);
  });

  it("delays no request whose time is up by its first connection", async () => {
    const url = await silentHost();
    const first = ask(url, AbortSignal.timeout(300)).catch(() => "first");
    const late = ask(url, AbortSignal.abort()).catch(() => "late");
    expect(await Promise.race([first, late])).toBe("late");
    await first;
  });

  it("is asked over a new connection after one no longer answers", async () => {
    const { received, url } = await secureHost();
    const router = await behindRouter(url);
    await ask(router.url);
    router.forget();
    await expect(ask(router.url, AbortSignal.timeout(100))).rejects.toThrow("aborted due to timeout");
    expect(await askSevenTimes(router.url)).toEqual(sevenAnswers);
    expect(received).toMatchObject({ connections: 2, requests: Array(8).fill("2.0") });
  });

  it("is asked over a new connection after a minute without requests, by the clock", async () => {
    const { received, url } = await secureHost();
    const router = await behindRouter(url);
    await ask(router.url);
    router.forget();
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
    closers.push(vi.useRealTimers);
    expect(await askSevenTimes(router.url)).toEqual(sevenAnswers);
    expect(received).toMatchObject({ connections: 2, requests: Array(8).fill("2.0") });
  });

  it("is asked over HTTP/1.1 if it never answers over HTTP/2", async () => {
    const { received, url } = await secureHost(undefined, {
      delayMs: (version) => (version === "2.0" ? undefined : 20),
    });
    await expect(ask(url, AbortSignal.timeout(200))).rejects.toThrow("aborted due to timeout");
    expect(await ask(url)).toEqual({ status: 200, text: "[1]" });
    expect(received.requests).toEqual(["2.0", "1.1"]);
  });

  it("is asked over the same connection after a request whose time ended while the process was frozen", async () => {
    const { received, url } = await secureHost(undefined, { delayMs: () => 1000 });
    const asked = ask(url, AbortSignal.timeout(500));
    await vi.waitFor(() => expect(received.requests).toHaveLength(1));
    vi.useFakeTimers({ now: Date.now() + 5001, toFake: ["Date"] });
    closers.push(vi.useRealTimers);
    await expect(asked).rejects.toThrow("aborted due to timeout");
    expect(await ask(url)).toEqual({ status: 200, text: "[1]" });
    expect(received).toMatchObject({ connections: 1, requests: ["2.0", "2.0"] });
  });

  it("answers over the same connection after one of several requests took too long", async () => {
    let ms = 20;
    const { received, url } = await secureHost(undefined, { delayMs: () => ms });
    await ask(url);
    ms = 500;
    const slow = ask(url, AbortSignal.timeout(200)).catch((error: Error) => error.name);
    await setTimeout(50);
    ms = 20;
    await ask(url);
    expect(await slow).toBe("TimeoutError");
    await ask(url);
    expect(received.connections).toBe(1);
  });

  it("may still answer over a connection after another has replaced it", async () => {
    let ms = 20;
    const { received, url } = await secureHost(undefined, { delayMs: () => ms });
    await ask(url);
    ms = 400;
    const slow = ask(url);
    await expect(ask(url, AbortSignal.timeout(100))).rejects.toThrow("aborted due to timeout");
    ms = 20;
    await ask(url);
    expect(received.connections).toBe(2);
    expect(await slow).toEqual({ status: 200, text: "[1]" });
  });

  it("answers all requests one after another if it allows one at a time", async () => {
    const { received, url } = await secureHost(undefined, { settings: { maxConcurrentStreams: 1 } });
    await ask(url);
    expect(await askSevenTimes(url)).toEqual(sevenAnswers);
    expect(received.connections).toBe(1);
  });

  it.each([
    ["a session", (session: ServerHttp2Session) => session.destroy()],
    ["a session with a word", (session: ServerHttp2Session) => session.goaway(constants.NGHTTP2_NO_ERROR)],
  ])("gets all requests again, over HTTP/1.1, after it ended %s", async (_, end) => {
    let isBroken = false;
    const { received, url } = await secureHost((session) => {
      session.on("stream", () => isBroken && end(session));
    });
    await ask(url);
    isBroken = true;
    expect(await askSevenTimes(url)).toEqual(sevenAnswers);
    expect(received.requests.filter((version) => version === "1.1")).toHaveLength(7);
  });

  it.each([constants.NGHTTP2_CANCEL, constants.NGHTTP2_REFUSED_STREAM, constants.NGHTTP2_INTERNAL_ERROR])(
    "gets a request again whose stream it ended with code %i",
    async (code) => {
      let isBroken = false;
      const { url } = await secureHost((session) => {
        session.on("stream", (stream) => isBroken && stream.close(code));
      });
      await ask(url);
      isBroken = true;
      const signal = AbortSignal.timeout(1000);
      expect(await ask(url, signal)).toEqual({ status: 200, text: "[1]" });
    },
  );
});
