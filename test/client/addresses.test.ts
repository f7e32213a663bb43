import { createTerminal, type SocketConstructor } from "trading-terminal-client";
import { afterEach, describe, expect, it, vi } from "vitest";
import { WebSocket as WebSocketOfNode } from "ws";
import { envelope, scripted } from "./support/fake-service.ts";
import { silent } from "./support/silent-service.ts";

afterEach(() => {
  vi.unstubAllGlobals();
});

/** Returns the addresses that requests and the stream use for a base URL. */
async function addresses(baseUrl: string) {
  const { terminal, sent, end } = scripted([envelope({})], { baseUrl });
  await end(terminal.listOrders());
  const { socket } = await silent({}, { baseUrl });
  return [sent[0]?.url, socket().url];
}

describe("createTerminal", () => {
  it.each([
    ["", "https://page.example", "wss://page.example/stream"],
    ["/", "https://page.example", "wss://page.example/stream"],
    ["/live", "https://page.example/live", "wss://page.example/live/stream"],
    ["http://host:1/", "http://host:1", "ws://host:1/stream"],
    ["http://host:1/live/", "http://host:1/live", "ws://host:1/live/stream"],
  ])("resolves the address %j against the page's origin", async (baseUrl, rest, stream) => {
    const { origin, href } = new URL("https://page.example/wallets/list.html?page=2");
    vi.stubGlobal("location", { origin, href });
    expect(await addresses(baseUrl)).toEqual([`${rest}/api/v2/orders`, stream]);
  });

  it.each(["", "/live", "host"])("rejects the address %j outside a page", (baseUrl) => {
    expect(() => createTerminal({ baseUrl })).toThrow("baseUrl is");
  });

  it("accepts the WebSocket types of browsers and of Node", () => {
    const constructors: (SocketConstructor | undefined)[] = [WebSocketOfNode, globalThis.WebSocket];
    for (const WebSocket of constructors)
      if (WebSocket !== undefined) createTerminal({ baseUrl: "http://service", WebSocket });
  });
});
