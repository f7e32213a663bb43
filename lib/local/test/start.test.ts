import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { APIGatewayClient, CreateApiKeyCommand, GetApiKeysCommand } from "@aws-sdk/client-api-gateway";
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTablesCommand,
} from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { freePort } from "../src/http/server.ts";
import { type Runner, start } from "../src/start.ts";
import { synthesizeFixture } from "./fixtures/assembly.ts";
import { temporaryFolder } from "./fixtures/folder.ts";
import { descendants, survivors } from "./fixtures/processes.ts";

const dataDir = join(temporaryFolder(), "data");
const lines: { source: string; line: string }[] = [];
const steps: string[] = [];
let assembly: string;
let streamPort: number;
let runner: Runner;

beforeAll(async () => {
  assembly = synthesizeFixture();
  streamPort = await freePort();
  runner = await start({
    audience: "local",
    assembly,
    dataDir,
    port: 0,
    streamPort,
    onLog: (entry) => lines.push(entry),
    onStep: (step) => steps.push(step),
  });
});

afterAll(() => runner.stop());

async function work(query: string): Promise<unknown> {
  const answer = await fetch(`${runner.baseUrl}/work?${query}`);
  expect(answer.status).toBe(200);
  return answer.json();
}

function dynamodb(accessKeyId = runner.credentials.accessKeyId): DynamoDBClient {
  return new DynamoDBClient({
    endpoint: runner.endpoints.dynamodb,
    region: "us-east-1",
    credentials: { accessKeyId, secretAccessKey: "any" },
  });
}

test("a function reaches the table and the key with what its environment says", async () => {
  expect(await work("does=write&id=one")).toBe("one");
  expect(await work("does=read&id=one")).toBe("one");
  expect(await work("does=key")).toMatch(/^[0-9a-f]{64}$/);
});

test("a function's environment is its template's, Lambda's and the local services', and no more", async () => {
  const { apigateway, apigatewaymanagementapi, dynamodb, kms, lambda } = runner.endpoints;
  expect(await work("does=environment")).toEqual({
    TABLE_NAME: runner.outputs.TableName,
    KEY_ID: runner.outputs.KeyId,
    AWS_ACCESS_KEY_ID: runner.credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: runner.credentials.secretAccessKey,
    AWS_ENDPOINT_URL: lambda,
    AWS_ENDPOINT_URL_API_GATEWAY: apigateway,
    AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: apigatewaymanagementapi,
    AWS_ENDPOINT_URL_DYNAMODB: dynamodb,
    AWS_ENDPOINT_URL_KMS: kms,
    AWS_ENDPOINT_URL_LAMBDA: lambda,
    AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
    AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "256",
    AWS_LAMBDA_FUNCTION_NAME: "worker",
    AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
    AWS_REGION: "us-east-1",
    LAMBDA_TASK_ROOT: expect.stringContaining(assembly),
    TZ: ":UTC",
    _HANDLER: "index.handler",
  });
});

test("the runner invokes functions by ARN", async () => {
  const { payload } = await runner.invoke("arn:aws:lambda:us-east-1:000000000000:function:worker", {
    does: "read",
    id: "absent",
  });
  expect(payload).toBe("null");
});

test("the table is as the template has it", async () => {
  const TableName = String(runner.outputs.TableName);
  const client = dynamodb();
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  expect(Table).toMatchObject({
    KeySchema: [
      { AttributeName: "PK", KeyType: "HASH" },
      { AttributeName: "SK", KeyType: "RANGE" },
    ],
    StreamSpecification: { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" },
  });
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  expect(TimeToLiveDescription).toEqual({ AttributeName: "expiresAt", TimeToLiveStatus: "ENABLED" });
});

test("who does not know the access key finds no table", async () => {
  expect((await dynamodb("stranger").send(new ListTablesCommand({}))).TableNames).toEqual([]);
});

test("what programs need to know is served, with the runner's own URL", async () => {
  const answer = await fetch(`${runner.baseUrl}/_local/outputs`);
  expect(await answer.json()).toEqual({
    outputs: expect.objectContaining({
      TableName: expect.stringMatching(/^Data-Table/),
      KeyId: expect.stringMatching(/^arn:aws:kms:us-east-1:000000000000:key\//),
      BaseUrl: runner.baseUrl,
    }),
    endpoints: runner.endpoints,
    region: "us-east-1",
    credentials: runner.credentials,
  });
  expect(runner.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
});

test("function logs reach the listener and a private file", async () => {
  await work("does=read&id=logged");
  const logged = lines.filter(({ line }) => JSON.parse(line).message === "asked to read");
  expect(logged.length).toBeGreaterThan(0);
  expect(logged.every(({ source }) => source === "worker")).toBe(true);
  expect(readFileSync(join(dataDir, "logs", "worker.log"), "utf8")).toContain(logged[0]?.line);
});

test("the data directory and what is secret in it are the owner's alone", () => {
  const mode = (...path: string[]) => (statSync(join(dataDir, ...path)).mode & 0o777).toString(8);
  expect(mode()).toBe("700");
  for (const folder of ["dynamodb", "logs"]) expect(mode(folder)).toBe("700");
  const files = ["credentials.json", "issuer.json", "kms.json"];
  expect(readdirSync(dataDir).filter((name) => name.endsWith(".json"))).toEqual(files);
  for (const file of [...files, "logs/worker.log"]) expect(mode(file)).toBe("600");
});

test("the API opens only when the data is in, and the runner's own paths before", async () => {
  const seen: number[] = [];
  const seeded = await start({
    audience: "local",
    assembly,
    port: 0,
    async seed(port) {
      for (const path of ["_local/outputs", "work"]) {
        seen.push((await fetch(`http://127.0.0.1:${port}/${path}`)).status);
      }
    },
  });
  await seeded.stop();
  expect(seen).toEqual([200, 503]);
});

test("stacks without a WebSocket API have no stream, and nothing listens for it", async () => {
  expect(runner.streamUrl).toBeUndefined();
  expect(runner.outputs).not.toHaveProperty("StreamUrl");
  await expect(fetch(`http://127.0.0.1:${streamPort}`)).rejects.toMatchObject({
    cause: { code: "ECONNREFUSED" },
  });
});

test("boot is told step by step", () => {
  expect(steps[0]).toBe("Synthesizing the stacks and starting DynamoDB Local");
  expect(steps.length).toBeGreaterThan(2);
});

describe("a second runner", () => {
  test("on the same data directory is refused", async () => {
    await expect(start({ assembly, audience: "local", dataDir, port: 0 })).rejects.toThrow(
      /^Another runner uses the data directory/,
    );
  });

  test.each([
    ["port", "--port"],
    ["stream port", "--stream-port"],
  ])("on the same %s is refused, and leaves nothing behind", async (which, option) => {
    const before = descendants(process.pid);
    const taken = Number(new URL(runner.baseUrl).port);
    const ports = which === "port" ? { port: taken } : { port: 0, streamPort: taken };
    await expect(start({ assembly, audience: "local", ...ports })).rejects.toThrow(
      `Port ${taken} is in use; stop what listens on it, or choose another with ${option}.`,
    );
    const started = descendants(process.pid).filter(({ pid }) => !before.some((old) => old.pid === pid));
    expect(await survivors(started)).toEqual([]);
  });
});

test("a template that is not emulated stops the start, and leaves nothing behind", async () => {
  const before = descendants(process.pid);
  const unknown = synthesizeFixture("AWS::S3::Bucket");
  await expect(start({ assembly: unknown, audience: "local", port: 0 })).rejects.toThrow(
    "Service: AWS::S3::Bucket (Unknown) is not emulated",
  );
  const started = descendants(process.pid).filter(({ pid }) => !before.some((old) => old.pid === pid));
  expect(await survivors(started)).toEqual([]);
});

test("API keys are made where the environment says, and kept in a private file", async () => {
  const { credentials, endpoints } = runner;
  const client = new APIGatewayClient({ endpoint: endpoints.apigateway, region: "us-east-1", credentials });
  const { id } = await client.send(new CreateApiKeyCommand({ name: "made" }));
  expect((await client.send(new GetApiKeysCommand({}))).items).toMatchObject([{ id, name: "made" }]);
  expect((statSync(join(dataDir, "usage.json")).mode & 0o777).toString(8)).toBe("600");
});

test("a restart finds everything as it was, and a stop leaves no process", async () => {
  const before = { outputs: runner.outputs, credentials: runner.credentials };
  await work("does=write&id=kept");
  const children = descendants(process.pid);
  expect(children.length).toBeGreaterThan(2);
  await runner.stop();
  expect(await survivors(children)).toEqual([]);
  await expect(fetch(runner.baseUrl)).rejects.toThrow();

  runner = await start({ assembly, audience: "local", dataDir, port: 0 });
  expect(await work("does=read&id=kept")).toBe("kept");
  expect(runner.credentials).toEqual(before.credentials);
  expect(runner.outputs).toEqual({ ...before.outputs, BaseUrl: runner.baseUrl });
});

test("in memory nothing is kept", async () => {
  const temporary = temporaryFolder();
  vi.stubEnv("TMPDIR", temporary);
  const inMemory = await start({ assembly, audience: "local", port: 0 });
  vi.unstubAllEnvs();
  expect((await inMemory.invoke("worker", { does: "write", id: "x" })).payload).toBe('"x"');
  expect(inMemory.outputs.KeyId).not.toBe(runner.outputs.KeyId);
  expect(readdirSync(temporary)).toHaveLength(1);
  // What Java unpacks, which it would leave behind.
  expect(readdirSync(temporary, { recursive: true }).join()).toContain("sqlite");
  await inMemory.stop();
  expect(readdirSync(temporary)).toEqual([]);
});
