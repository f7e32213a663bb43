import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { start } from "../../src/start.ts";
import type { Runner } from "../../src/start-options.ts";
import { assemblyFolder } from "../fixtures/assemblies.ts";
import { eventually } from "../fixtures/eventually.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { descendants, survivors } from "../fixtures/processes.ts";

type Place = Pick<Runner, "outputs" | "endpoints" | "credentials">;

const dataDir = join(temporaryFolder(), "data");
const script = fileURLToPath(import.meta.resolve("../fixtures/runner.ts"));
const lines: { source: string; line: string }[] = [];
let receivedWhileSeeding: string[] = [];
let runner: Runner;

const linesOf = (wanted: string) => lines.filter(({ source }) => source === wanted).map(({ line }) => line);
const messagesOf = (source: string) => linesOf(source).map((line) => JSON.parse(line).message);

/** Collects the ids that reached the listener, in order. */
const received = (): string[] => messagesOf("listener").flatMap((message) => message.received ?? []);

async function put({ outputs, endpoints, credentials }: Place, id: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint: endpoints.dynamodb, region: "us-east-1", credentials });
  const Item = { PK: { S: id }, secret: { S: "0xfeed" } };
  await client.send(new PutItemCommand({ TableName: String(outputs.TableName), Item }));
  client.destroy();
}

async function placeAt(baseUrl: string): Promise<Place> {
  return (await fetch(`${baseUrl}/_local/outputs`)).json() as Promise<Place>;
}

// Kills one runner in the middle of its work and then starts another one.
beforeAll(async () => {
  const assembly = assemblyFolder("event-sources");
  const first = fork(script, [assembly, dataDir], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  process.once("exit", () => first.kill("SIGKILL"));
  const [{ baseUrl }] = (await once(first, "message")) as [{ baseUrl: string }];
  const place = await placeAt(baseUrl);
  await put(place, "endless");
  const log = join(dataDir, "logs", "listener.log");
  await vi.waitFor(() => expect(readFileSync(log, "utf8")).toContain("endless"), { timeout: 20_000 });
  const ended = once(first, "exit");
  first.kill("SIGKILL");
  // Waits for the first runner to end, because it locks the data directory.
  await ended;

  runner = await start({
    audience: "local",
    assembly,
    dataDir,
    port: 0,
    onLog: (entry) => lines.push(entry),
    async seed(port) {
      const seeded = await placeAt(`http://127.0.0.1:${port}`);
      for (let n = 0; n < 20; n++) await put(seeded, `seed-${n}`);
      receivedWhileSeeding = received();
    },
  });
});

afterAll(() => runner?.stop());

describe("the event sources of a runner", () => {
  it("handles changes that a killed runner had not finished, and changes written since", async () => {
    await eventually(received).toContain("endless");
    await eventually(() => received().filter((id) => id.startsWith("seed-")).length).toBe(20);
  });

  it("handles no change before the seed is complete", () => {
    expect(receivedWhileSeeding).toEqual([]);
  });

  it("passes a change to the function", async () => {
    await put(runner, "new");
    await eventually(received).toContain("new");
  });

  it("sends the place of a failed change to the queue and logs only the names of queue and function", async () => {
    await put(runner, "poison");
    await eventually(() => runner.messages("failed")).toContainEqual(
      expect.objectContaining({
        requestContext: expect.objectContaining({ condition: "RetryAttemptsExhausted" }),
        DDBStreamBatchInfo: expect.objectContaining({ batchSize: 1 }),
      }),
    );
    expect(messagesOf("sqs")).toContain("A message about listener went to the queue failed");
    expect([...linesOf("sqs"), ...linesOf("lambda")].join()).not.toMatch(/0xfeed|poison|stack/i);
  });

  it("retries an asynchronous event as often as the function's configuration allows", async () => {
    const { endpoints, credentials } = runner;
    const client = new LambdaClient({ endpoint: endpoints.lambda, region: "us-east-1", credentials });
    const FunctionName = "failing";
    const command = new InvokeCommand({ FunctionName, InvocationType: "Event", Payload: '{"n":7}' });
    expect((await client.send(command)).StatusCode).toBe(202);
    const gaveUp = "failing did not handle an asynchronous event; giving up: RetriesExhausted";
    await eventually(() => messagesOf("lambda")).toContain(gaveUp);
    expect(messagesOf("failing")).toEqual([expect.objectContaining({ errorMessage: "never" })]);
    const tooMuch = new InvokeCommand({
      FunctionName,
      InvocationType: "Event",
      Payload: `"${"x".repeat(1024 * 1024)}"`,
    });
    await expect(client.send(tooMuch)).rejects.toMatchObject({ name: "RequestTooLargeException" });
  });

  it("runs a schedule right after the start", async () => {
    const runs = () => messagesOf("feed").map(({ run }) => run);
    await eventually(runs).toEqual([
      expect.objectContaining({
        "detail-type": "Scheduled Event",
        resources: ["arn:aws:events:us-east-1:000000000000:rule/each-hour"],
      }),
    ]);
    expect(messagesOf("events")).toEqual([
      expect.stringMatching(/rule\/forbidden has no permission to invoke .*function:feed$/),
    ]);
  });

  it("stops without waiting for functions and leaves no process behind", async () => {
    await eventually(received).toContain("endless");
    const children = descendants(process.pid);
    await runner.stop();
    expect(await survivors(children)).toEqual([]);
    const { length } = runner.messages("failed");
    await runner.stop();
    expect(runner.messages("failed")).toHaveLength(length);
  });
});
