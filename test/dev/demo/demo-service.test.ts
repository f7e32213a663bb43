import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { StartupError } from "cdk-local-runner";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { DemoService } from "../../../lib/dev/demo/demo-service.ts";

type Reply = (response: ServerResponse) => void;

const replying =
  (status: number, body: unknown): Reply =>
  (response) =>
    void response.writeHead(status).end(typeof body === "string" ? body : JSON.stringify(body));

const hangingUp: Reply = (response) => void response.destroy();

const order = { orderId: "o-1" };
const placed = replying(200, { success: true, data: { order } });

/** A service that gives these answers one after the other, the last one for ever, and keeps what it was asked. */
async function serving(...replies: Reply[]) {
  const asked: { path: string | undefined; key: unknown; token: unknown; body: string }[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    const { "idempotency-key": key, authorization: token } = request.headers;
    asked.push({ path: request.url, key, token, body: await text(request) });
    (replies.length > 1 ? replies.shift() : replies[0])?.(response);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  let nowMs = 0;
  const patience = {
    ms: 10_000,
    nowMs: () => nowMs,
    pause: async (ms: number) => {
      nowMs += ms;
    },
  };
  const token = vi.fn(async () => `token ${token.mock.calls.length}`);
  const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { asked, patience, token, service: new DemoService({ baseUrl, token, patience }) };
}

const buy = {
  chain: "eth",
  wallet: "0x1",
  token: "0x2",
  validForSeconds: 600,
  side: "buy",
  amount: "0.5",
} as const;

describe("DemoService", () => {
  it("repeats an order with its key while the runner is away, and comes back", async () => {
    const { service, asked } = await serving(
      hangingUp,
      replying(502, "no JSON"),
      replying(503, { success: false, error: { code: "CHAIN_UNAVAILABLE", message: "later" } }),
      replying(429, { message: "Too Many Requests" }),
      replying(403, { message: "Forbidden" }),
      placed,
    );
    expect(await service.place(buy, "k-1")).toEqual(order);
    expect(asked).toHaveLength(6);
    expect(new Set(asked.map((each) => JSON.stringify(each))).size).toBe(1);
    expect(asked[0]).toMatchObject({ path: "/api/v2/orders", key: "k-1", token: "Bearer token 1" });
    expect(JSON.parse(asked[0]?.body ?? "")).toEqual({ type: "market", ...buy });
  });

  it("asks for another token when its own is refused", async () => {
    const { service, asked } = await serving(replying(401, { message: "Unauthorized" }), placed);
    await service.place(buy, "k-1");
    expect(asked.map(({ token }) => token)).toEqual(["Bearer token 1", "Bearer token 2"]);
  });

  it("waits for a runner that gives no token", async () => {
    const { service, token } = await serving(placed);
    token.mockRejectedValueOnce(new StartupError("No runner answers"));
    expect(await service.place(buy, "k-1")).toEqual(order);
  });

  it("ends with the code of a refusal", async () => {
    const { service, asked } = await serving(
      replying(403, { success: false, error: { code: "TRADING_DISABLED", message: "Trading is off" } }),
    );
    const refused = service.place(buy, "k-1");
    await expect(refused).rejects.toThrow(
      "The service answers /api/v2/orders with 403 TRADING_DISABLED Trading is off",
    );
    await expect(refused).rejects.toBeInstanceOf(StartupError);
    expect(asked).toHaveLength(1);
  });

  it("ends when the runner has been away for too long", async () => {
    const { service } = await serving(hangingUp);
    await expect(service.place(buy, "k-1")).rejects.toThrow(
      "The service does not answer /api/v2/orders, for 10 seconds",
    );
  });

  it("lists the orders once for all who ask at about the same time", async () => {
    const { service, asked, patience } = await serving(replying(200, { data: { orders: [order] } }));
    expect(await Promise.all([service.orders(), service.orders()])).toEqual([[order], [order]]);
    expect(asked).toHaveLength(1);
    await patience.pause(150);
    await service.orders();
    expect(asked).toHaveLength(2);
  });
});
