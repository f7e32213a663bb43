import { createServer, type Socket } from "node:net";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { withDeadline } from "../../lib/aws/deadline.ts";
import { hangUp, openPusher, pushTo } from "../../lib/aws/push.ts";
import { openVault, seal } from "../../lib/aws/vault.ts";
import { openTable } from "../../lib/table/table.ts";

/** Accepts connections and responds only when a test does so. */
const sockets = new Set<Socket>();
const silent = createServer((socket) => sockets.add(socket));
let endpoint: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(silent.address() as { port: number }).port}`;
});
afterEach(() => {
  vi.restoreAllMocks();
  for (const socket of sockets) socket.destroy();
  sockets.clear();
});
afterAll(() => void silent.close());

/** Disables the limits on attempts, so that only the deadline ends a call. */
const configuration = () => ({
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: "test", secretAccessKey: "test" },
  requestHandler: {},
});

/** Lets deadlines pass once this many calls have reached the server, regardless of time. */
async function passDeadlineAt(calls: number): Promise<void> {
  await expect.poll(() => sockets.size).toBe(calls);
  deadline.abort();
}
let deadline: AbortController;
beforeEach(() => {
  deadline = new AbortController();
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(deadline.signal);
});
const read = new GetCommand({ TableName: "table", Key: { PK: "p", SK: "s" } });
const binding = { userID: "alice", walletId: "w1", network: "eth", address: "0x1" };

describe("withDeadline", () => {
  it.each<[string, () => Promise<unknown>]>([
    ["the table", () => openTable("table", configuration()).client.send(read)],
    ["the vault", () => seal(openVault("key", configuration()), Buffer.from("x"), binding)],
    ["a connection", () => hangUp(openPusher(configuration()), "c1")],
    ["a push", () => pushTo(openPusher(configuration()), "c1", ["1", "2"])],
  ])("aborts a call of %s at the deadline, even though its attempt continues", async (_, call) => {
    const failed = expect(withDeadline(300, call)).rejects.toMatchObject({ name: "DeadlineExceeded" });
    await passDeadlineAt(1);
    await failed;
    expect(AbortSignal.timeout).toHaveBeenCalledExactlyOnceWith(300);
    expect(sockets.size).toBe(1);
  });

  it("shares one deadline among all calls, and sends no call after it", async () => {
    const { client } = openTable("table", configuration());
    const calls = withDeadline(300, async () => {
      await client.send(read).catch(() => {});
      return client.send(read);
    });
    const failed = expect(calls).rejects.toMatchObject({ name: "DeadlineExceeded" });
    await passDeadlineAt(1);
    await failed;
    expect(sockets.size).toBe(1);
  });

  it("does not limit calls that the same client makes outside of withDeadline", async () => {
    const { client } = openTable("table", configuration());
    const late = expect(withDeadline(300, () => client.send(read))).rejects.toThrow();
    const other = client.send(read);
    await passDeadlineAt(2);
    await late;
    for (const socket of sockets) socket.write("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    expect(await other).toMatchObject({ $metadata: { httpStatusCode: 200 } });
  });
});
