import { createServer, type Socket } from "node:net";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { withDeadline } from "../../lib/aws/deadline.ts";
import { hangUp, openPusher, pushTo } from "../../lib/aws/push.ts";
import { openTable } from "../../lib/aws/table.ts";
import { openVault, seal } from "../../lib/aws/vault.ts";

/** Accepts connections and never answers. */
const sockets = new Set<Socket>();
let connections = 0;
const silent = createServer((socket) => {
  sockets.add(socket);
  connections++;
});
let endpoint: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(silent.address() as { port: number }).port}`;
});
beforeEach(() => {
  connections = 0;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
});

const configuration = () => ({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
});
const read = new GetCommand({ TableName: "table", Key: { PK: "p", SK: "s" } });
const binding = { userID: "alice", walletID: "w1", network: "eth", address: "0x1" };

describe("withDeadline", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["the table", () => openTable("table", configuration()).client.send(read)],
    ["the vault", () => seal(openVault("key", configuration()), Buffer.from("x"), binding)],
    ["a connection", () => hangUp(openPusher(configuration()), "c1")],
    ["a push", () => pushTo(openPusher(configuration()), "c1", ["1", "2"])],
  ])("fails a call of %s at the deadline, though further attempts are left", async (_, call) => {
    const before = performance.now();
    await expect(withDeadline(300, call)).rejects.toMatchObject({ name: "DeadlineExceeded" });
    expect(performance.now() - before).toBeLessThan(2400);
    expect(connections).toBe(1);
  });

  it("applies to all calls together, and sends none after it", async () => {
    const { client } = openTable("table", { ...configuration(), maxAttempts: 1 });
    const calls = withDeadline(300, async () => {
      await client.send(read).catch(() => {});
      return client.send(read);
    });
    await expect(calls).rejects.toMatchObject({ name: "DeadlineExceeded" });
    expect(connections).toBe(1);
  });

  it("does not apply to other work of the same client", async () => {
    const { client } = openTable("table", { ...configuration(), maxAttempts: 1 });
    const [late, other] = await Promise.allSettled([
      withDeadline(100, () => client.send(read)),
      client.send(read),
    ]);
    expect(late).toMatchObject({ reason: { name: "DeadlineExceeded" } });
    expect(other).toMatchObject({ reason: { name: "TimeoutError" } });
  });
});
