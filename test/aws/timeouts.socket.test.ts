import { createServer, type Socket } from "node:net";
import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fanOutHandler } from "../../lib/aws/fan-out-http.ts";
import { Post } from "../../lib/aws/post.ts";
import { openPusher } from "../../lib/aws/push.ts";
import { maxAttempts, timeouts } from "../../lib/aws/timeouts.ts";
import { openVault } from "../../lib/aws/vault.ts";
import { operations } from "../../lib/operations/operations.ts";
import type { Operation } from "../../lib/operations/types.ts";
import { openTable } from "../../lib/table/table.ts";

/** Accepts connections and never responds. */
const sockets = new Set<Socket>();
const silent = createServer((socket) => sockets.add(socket));
let endpoint: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  endpoint = `http://127.0.0.1:${(silent.address() as { port: number }).port}`;
});
afterAll(() => {
  for (const socket of sockets) socket.destroy();
  silent.close();
});

describe("timeouts", () => {
  it("fits all attempts into the shortest timeout of a function", async () => {
    const shortest = Math.min(
      ...Object.values<Operation>(operations).map(({ timeoutSeconds }) => timeoutSeconds * 1000),
    );
    expect(maxAttempts * timeouts.requestTimeout).toBeLessThan(shortest - 1000);
    const clients = [
      openTable("table", { region: "us-east-1" }).client,
      openVault("key", { region: "us-east-1" }).client,
    ];
    for (const { config } of clients) expect(await config.maxAttempts()).toBe(maxAttempts);
  });

  it("ends an attempt if the service does not answer", async () => {
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    const config = { endpoint, region: "us-east-1", credentials, maxAttempts: 1 };
    const { client } = openTable("table", config);
    const message = { ConnectionId: "c1", Data: "hello" };
    const calls = [
      client.send(new GetCommand({ TableName: "table", Key: { PK: "p", SK: "s" } })),
      openPusher(config).send(new Post(message)),
      openPusher({ ...config, requestHandler: fanOutHandler(1) }).send(new Post(message)),
    ];
    for (const call of await Promise.allSettled(calls))
      expect(call).toMatchObject({ status: "rejected", reason: { name: "TimeoutError" } });
  });
});
