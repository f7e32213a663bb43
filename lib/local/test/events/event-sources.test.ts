import { fork } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DynamoDBClient, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Runner, start } from "../../src/start.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { descendants, survivors } from "../fixtures/processes.ts";
import { synthesizeEventSources } from "./assembly.ts";
import { eventually } from "./eventually.ts";

type Place = Pick<Runner, "outputs" | "endpoints" | "credentials">;

const dataDir = join(temporaryFolder(), "data");
const script = fileURLToPath(import.meta.resolve("../fixtures/runner.ts"));
const lines: { source: string; line: string }[] = [];
let heardWhileSeeding: string[] = [];
let runner: Runner;

const linesOf = (wanted: string) => lines.filter(({ source }) => source === wanted).map(({ line }) => line);
const messagesOf = (source: string) => linesOf(source).map((line) => JSON.parse(line).message);

/** Ids that the listener was given, in order. */
const heard = (): string[] => messagesOf("listener").flatMap((message) => message.heard ?? []);

async function put({ outputs, endpoints, credentials }: Place, id: string): Promise<void> {
  const client = new DynamoDBClient({ endpoint: endpoints.dynamodb, region: "us-east-1", credentials });
  const Item = { PK: { S: id }, secret: { S: "0xfeed" } };
  await client.send(new PutItemCommand({ TableName: String(outputs.TableName), Item }));
  client.destroy();
}

async function placeAt(baseUrl: string): Promise<Place> {
  return (await fetch(`${baseUrl}/_local/outputs`)).json() as Promise<Place>;
}

// A runner that is killed in the middle of its work, and another one after it.
beforeAll(async () => {
  const assembly = synthesizeEventSources();
  const first = fork(script, [assembly, dataDir], { stdio: ["ignore", "ignore", "inherit", "ipc"] });
  process.once("exit", () => first.kill("SIGKILL"));
  const [{ baseUrl }] = (await once(first, "message")) as [{ baseUrl: string }];
  const place = await placeAt(baseUrl);
  await put(place, "endless");
  const log = join(dataDir, "logs", "listener.log");
  await vi.waitFor(() => expect(readFileSync(log, "utf8")).toContain("endless"), { timeout: 20_000 });
  const ended = once(first, "exit");
  first.kill("SIGKILL");
  // Only then is the data directory free.
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
      heardWhileSeeding = heard();
    },
  });
});

afterAll(() => runner?.stop());

test("what a killed runner had not handled to its end comes again, and what was written since", async () => {
  await eventually(heard).toContain("endless");
  await eventually(() => heard().filter((id) => id.startsWith("seed-")).length).toBe(20);
});

test("nothing is handed over before the data is in", () => {
  expect(heardWhileSeeding).toEqual([]);
});

test("a change reaches the function", async () => {
  await put(runner, "new");
  await eventually(heard).toContain("new");
});

test("what could not be handled goes to the queue, and the log names queue and function alone", async () => {
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

test("an event that nobody waits for is tried as often as the function's configuration says", async () => {
  const { endpoints, credentials } = runner;
  const client = new LambdaClient({ endpoint: endpoints.lambda, region: "us-east-1", credentials });
  const FunctionName = "failing";
  const command = new InvokeCommand({ FunctionName, InvocationType: "Event", Payload: '{"n":7}' });
  expect((await client.send(command)).StatusCode).toBe(202);
  await eventually(() => runner.messages("failed")).toContainEqual(
    expect.objectContaining({
      requestContext: expect.objectContaining({ condition: "RetriesExhausted", approximateInvokeCount: 1 }),
      requestPayload: { n: 7 },
      responsePayload: expect.objectContaining({ errorMessage: "never" }),
    }),
  );
  const tooMuch = new InvokeCommand({
    FunctionName,
    InvocationType: "Event",
    Payload: `"${"x".repeat(1024 * 1024)}"`,
  });
  await expect(client.send(tooMuch)).rejects.toMatchObject({ name: "RequestTooLargeException" });
});

test("a schedule runs its functions right after the start", async () => {
  const runs = () => messagesOf("feed").map(({ run }) => run);
  await eventually(runs).toHaveLength(2);
  expect(runs()).toContainEqual({ own: "input" });
  expect(runs()).toContainEqual(
    expect.objectContaining({
      "detail-type": "Scheduled Event",
      resources: ["arn:aws:events:us-east-1:000000000000:rule/each-hour"],
    }),
  );
  expect(messagesOf("events")).toEqual([
    expect.stringMatching(/rule\/forbidden has no permission to invoke .*function:feed$/),
  ]);
});

test("a stop waits for no function, and leaves no process", async () => {
  await eventually(heard).toContain("endless");
  const children = descendants(process.pid);
  await runner.stop();
  expect(await survivors(children)).toEqual([]);
  const { length } = runner.messages("failed");
  await runner.stop();
  expect(runner.messages("failed")).toHaveLength(length);
});
