import "./environment.ts";
import { createServer, type Socket } from "node:net";
import type { Context } from "aws-lambda";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { quietConsole } from "../support/console.ts";
import { restEvent } from "../support/events.ts";
import { newEvmKey } from "../support/keys.ts";

/** Accepts connections and never answers. */
const sockets = new Set<Socket>();
const silent = createServer((socket) => sockets.add(socket));
const logged = quietConsole();
let storeWallet: typeof import("../../functions/storeWallet/handler.ts")["handler"];

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as { port: number };
  process.env.AWS_ENDPOINT_URL_DYNAMODB = `http://127.0.0.1:${port}`;
  // The handler opens its table at load.
  storeWallet = (await import("../../functions/storeWallet/handler.ts")).handler;
});
afterAll(() => {
  delete process.env.AWS_ENDPOINT_URL_DYNAMODB;
  for (const socket of sockets) socket.destroy();
  silent.close();
});

describe("storeWallet", () => {
  it("answers with its own 500, while there is time to, if the table hangs", async () => {
    const { network, privateKey } = newEvmKey();
    const context = { getRemainingTimeInMillis: () => 2000 } as Context;
    const before = performance.now();
    const { statusCode, body } = await storeWallet(restEvent({ body: { network, privateKey } }), context);
    expect([statusCode, JSON.parse(body)]).toEqual([500, { message: "Internal server error" }]);
    expect(performance.now() - before).toBeLessThan(2000);
    expect(logged()).toEqual([
      expect.objectContaining({ operation: "storeWallet", error: "DeadlineExceeded" }),
    ]);
  });
});
