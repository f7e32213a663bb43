import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, it } from "vitest";
import { postToDevice } from "../../lib/devices/post.ts";
import type { FindAddresses } from "../../lib/devices/public-address.ts";

let requests: string[] = [];
const answers: Record<string, RequestListener> = {
  "/ok": (_, response) => response.writeHead(204).end(),
  "/gone": (_, response) => response.writeHead(410).end(),
  "/endless": (_, response) => response.writeHead(200).write("more"),
  "/slow": () => {},
  "/switch": (_, response) => response.writeHead(101, { Connection: "upgrade", Upgrade: "x" }).end(),
  "/hints": (_, response) => response.writeEarlyHints({ link: "</a>; rel=preload" }),
  "/redirect": (_, response) => response.writeHead(302, { Location: "/ok" }).end(),
  "/metadata": (_, response) => response.writeHead(307, { Location: "http://169.254.169.254/latest/" }).end(),
};
const server = createServer((request, response) => {
  requests.push(request.url ?? "");
  answers[request.url ?? ""]?.(request, response);
});
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});
const { port } = server.address() as AddressInfo;

const isLocal = (address: string) => address === "127.0.0.1";
const post = (path: string, find?: FindAddresses, host = "127.0.0.1") => {
  requests = [];
  return postToDevice(
    { url: `http://${host}:${port}${path}`, headers: { "Content-Type": "text/plain" }, body: "hello" },
    { isAllowed: isLocal, isPlainAllowed: true, timeoutMs: 300, ...(find && { find }) },
  );
};

describe("postToDevice", () => {
  it("returns the status, and does not wait for the body", async () => {
    expect(await post("/ok")).toEqual({ status: 204 });
    expect(await post("/gone")).toEqual({ status: 410 });
    expect(await post("/endless")).toEqual({ status: 200 });
  });

  it.each(["/slow", "/hints", "/switch"])(
    "gives up a device that does not end its answer: %s",
    async (path) => {
      expect(await post(path)).toEqual({ fault: "TOO_SLOW" });
    },
  );

  it.each(["/redirect", "/metadata"])("follows no redirect of %s", async (path) => {
    expect(await post(path)).toEqual({ status: expect.toBeOneOf([302, 307]) });
    expect(requests).toEqual([path]);
  });

  it("connects to the address that it has checked, and does not ask DNS again", async () => {
    const asked: string[] = [];
    const changing: FindAddresses = async (host) => {
      asked.push(host);
      return [{ address: asked.length === 1 ? "127.0.0.1" : "169.254.169.254", family: 4 }];
    };
    expect(await post("/ok", changing, "hooks.example")).toEqual({ status: 204 });
    expect(asked).toEqual(["hooks.example"]);
    expect(await post("/ok", changing, "hooks.example")).toEqual({ fault: "PRIVATE_ADDRESS" });
    expect(requests).toEqual([]);
  });

  it("sends nothing to a private address, nor without TLS", async () => {
    requests = [];
    const request = { url: `http://127.0.0.1:${port}/ok`, headers: {}, body: "" };
    for (const rules of [
      { isAllowed: () => false, isPlainAllowed: true },
      { isAllowed: isLocal, isPlainAllowed: false },
    ])
      expect(await postToDevice(request, rules)).toEqual({ fault: "PRIVATE_ADDRESS" });
    expect(requests).toEqual([]);
  });

  it("reports a device that cannot be reached", async () => {
    const closed = { url: "http://127.0.0.1:1/", headers: {}, body: "" };
    expect(await postToDevice(closed, { isAllowed: isLocal, isPlainAllowed: true })).toEqual({
      fault: "UNREACHABLE",
    });
  });
});
