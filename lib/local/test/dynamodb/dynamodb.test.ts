import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, it, vi } from "vitest";
import { openClient } from "../../src/dynamodb/dynamodb.ts";
import { startDynamoDbProxy } from "../../src/dynamodb/proxy.ts";
import { atEnd } from "../support/clean-up.ts";

/** Answers the first request of each connection and closes the connection at the second. */
async function closingDatabase(): Promise<Server> {
  const used = new WeakSet<object>();
  const server = createServer((request, response) => {
    if (used.has(request.socket)) return request.socket.destroy();
    used.add(request.socket);
    return response.end(JSON.stringify({ TableNames: ["T"] }));
  });
  await once(server.listen(0, "127.0.0.1"), "listening");
  atEnd(() => void server.close());
  return server;
}

describe("openClient", () => {
  it("retries a call if the database has closed the idle connection", async () => {
    const { port } = (await closingDatabase()).address() as AddressInfo;
    const client = openClient(`http://127.0.0.1:${port}`, { accessKeyId: "any", secretAccessKey: "any" });
    atEnd(() => client.destroy());

    await client.send(new ListTablesCommand({}));

    expect((await client.send(new ListTablesCommand({}))).TableNames).toEqual(["T"]);
  });
});

describe("startDynamoDbProxy", () => {
  it("answers with a DynamoDB error and logs nothing if the database closes the connection", async () => {
    const { port } = (await closingDatabase()).address() as AddressInfo;
    const onFault = vi.fn();
    const endpoint = `http://127.0.0.1:${port}`;
    const proxy = await startDynamoDbProxy({ endpoint, conflicts: false, onFault });
    atEnd(() => proxy.stop());
    const credentials = { accessKeyId: "any", secretAccessKey: "any" };
    const client = openClient(proxy.endpoint, credentials, { maxAttempts: 1 });
    atEnd(() => client.destroy());

    await client.send(new ListTablesCommand({}));

    await expect(client.send(new ListTablesCommand({}))).rejects.toThrow(
      expect.objectContaining({ name: "InternalServerError" }),
    );
    expect(onFault).not.toHaveBeenCalled();
  });
});
