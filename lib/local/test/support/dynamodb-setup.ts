import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { type DynamoDb, startDynamoDb } from "../../src/dynamodb/dynamodb.ts";
import { startDynamoDbProxy } from "../../src/dynamodb/proxy.ts";
import { createReaper } from "../../src/processes.ts";

type Engine = { endpoint: string; readsFrom: string; stop(): Promise<void> };

/**
 * Gives all test files of a run one DynamoDB Local, in memory, whose transactions conflict as on AWS. It starts on the
 * first request, so a run without a database starts no Java.
 */
export default async function setUp(project: TestProject): Promise<() => Promise<void>> {
  let engine: Promise<Engine> | undefined;
  const starter = createServer((_, response) => {
    engine ??= startEngine();
    engine.then(
      ({ endpoint, readsFrom }) => response.end(JSON.stringify({ endpoint, readsFrom })),
      (error) => response.writeHead(500).end(String(error)),
    );
  });
  await once(starter.listen(0, "127.0.0.1"), "listening");
  project.provide("dynamodb", `http://127.0.0.1:${(starter.address() as AddressInfo).port}`);
  return async () => {
    starter.closeAllConnections();
    starter.close();
    await (await engine)?.stop();
  };
}

async function startEngine(): Promise<Engine> {
  const temporary = mkdtempSync(join(tmpdir(), "engine-"));
  const reaper = createReaper();
  const credentials = { accessKeyId: "setup", secretAccessKey: "local" };
  const dynamodb: DynamoDb = await startDynamoDb({ temporary, credentials, reaper });
  const faults: unknown[] = [];
  const proxy = await startDynamoDbProxy({
    endpoint: dynamodb.endpoint,
    conflicts: true,
    // Milliseconds to hold transactions. Shorter than in a runner, since most tests wait for one call after another.
    holdMs: [1, 10],
    onFault: (fault) => faults.push(fault),
  });
  return {
    endpoint: proxy.endpoint,
    readsFrom: dynamodb.endpoint,
    async stop() {
      await proxy.stop();
      await dynamodb.stop();
      await reaper.close();
      rmSync(temporary, { recursive: true });
      if (faults.length > 0) throw faults[0];
    },
  };
}
