import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { APIGatewayClient, CreateApiKeyCommand, GetApiKeysCommand } from "@aws-sdk/client-api-gateway";
import {
  DescribeTableCommand,
  DescribeTimeToLiveCommand,
  DynamoDBClient,
  ListTablesCommand,
} from "@aws-sdk/client-dynamodb";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { freePort } from "../src/http/server.ts";
import { start } from "../src/start.ts";
import type { Runner } from "../src/start-options.ts";
import { assemblyFolder, functionFolder } from "./fixtures/assemblies.ts";
import { temporaryFolder } from "./fixtures/folder.ts";
import { descendants, survivors } from "./fixtures/processes.ts";

const dataDir = join(temporaryFolder(), "data");
const lines: { source: string; line: string }[] = [];
const steps: string[] = [];
let assembly: string;
let streamPort: number;
let runner: Runner;

beforeAll(async () => {
  assembly = assemblyFolder("worker");
  streamPort = await freePort();
  runner = await start({
    assembly,
    dataDir,
    port: 0,
    streamPort,
    conflicts: true,
    faults: true,
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

describe("start", () => {
  it("lets a function reach the table and the key that its environment names", async () => {
    expect(await work("does=write&id=one")).toBe("one");
    expect(await work("does=read&id=one")).toBe("one");
    expect(await work("does=key")).toMatch(/^[0-9a-f]{64}$/);
  });

  it("lets a function do only what its role allows", async () => {
    const { payload } = await runner.invoke("worker", { does: "write", id: "SIGNED#1" });
    expect(JSON.parse(payload)).toMatchObject({
      errorType: "AccessDeniedException",
      errorMessage: expect.stringMatching(
        /^User: arn:aws:sts::000000000000:assumed-role\/\S+\/worker is not authorized to perform: dynamodb:PutItem on resource: \S+ with an explicit deny in an identity-based policy$/,
      ),
    });
    const { payload: described } = await runner.invoke("worker", { does: "describeKey" });
    expect(JSON.parse(described)).toMatchObject({
      errorType: "AccessDeniedException",
      errorMessage: expect.stringMatching(
        /because no identity-based policy allows the kms:DescribeKey action$/,
      ),
    });
  });

  it("lets a function in a VPC reach only services with an endpoint there", async () => {
    const walled = async (does: string, id?: string) =>
      JSON.parse((await runner.invoke("walled", { does, id })).payload);
    expect(await walled("write", "walled")).toEqual({});
    expect(await work("does=read&id=walled")).toBe("walled");
    expect(await walled("key")).toMatchObject({ KeyId: runner.outputs.KeyId });
    const { AWS_ENDPOINT_URL_LAMBDA: others } = await walled("environment");
    for (const url of [runner.baseUrl, others, "https://example.com"])
      expect(await walled("fetch", url)).toMatchObject({ errorMessage: "fetch failed" });
    const { payload } = await runner.invoke("worker", { does: "fetch", id: `${runner.baseUrl}/none` });
    expect(payload).toBe("403");
  });

  it("gives a function only the variables of its template, of Lambda and of the local services", async () => {
    const { apigateway, apigatewaymanagementapi, eventbridge, kms, lambda, sqs, ssm } = runner.endpoints;
    const environment = (await work("does=environment")) as Record<string, string>;
    expect(environment).toEqual({
      TABLE_NAME: runner.outputs.TableName,
      KEY_ID: runner.outputs.KeyId,
      AWS_ACCESS_KEY_ID: expect.stringMatching(/^[0-9a-f]{32}$/),
      AWS_SECRET_ACCESS_KEY: expect.stringMatching(/^[0-9a-f]{40}$/),
      AWS_ENDPOINT_URL: lambda,
      AWS_ENDPOINT_URL_API_GATEWAY: apigateway,
      AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI: apigatewaymanagementapi,
      AWS_ENDPOINT_URL_DYNAMODB: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      AWS_ENDPOINT_URL_KMS: kms,
      AWS_ENDPOINT_URL_LAMBDA: lambda,
      AWS_ENDPOINT_URL_EVENTBRIDGE: eventbridge,
      AWS_ENDPOINT_URL_SQS: sqs,
      AWS_ENDPOINT_URL_SSM: ssm,
      AWS_EXECUTION_ENV: "AWS_Lambda_nodejs24.x",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "256",
      AWS_LAMBDA_FUNCTION_NAME: "worker",
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_REGION: "us-east-1",
      AWS_LAMBDA_RUNTIME_API: "local",
      AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
      LAMBDA_TASK_ROOT: functionFolder("worker"),
      TZ: ":UTC",
      _HANDLER: "index.handler",
    });
    expect(environment.AWS_ACCESS_KEY_ID).not.toBe(runner.credentials.accessKeyId);
  });

  it("injects the configured faults", async () => {
    const set = (rates: object) =>
      fetch(`${runner.baseUrl}/_local/faults`, {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify(rates),
      });
    for (const [name, does] of [
      ["dynamodb.failed", "read&id=one"],
      ["dynamodb.conflicting", "write&id=one"],
      ["kms.failed", "key"],
      ["lambda.killed", "process"],
    ]) {
      await set({ [name as string]: 1 });
      expect((await fetch(`${runner.baseUrl}/work?does=${does}`)).status, name).toBe(502);
    }
    await set({});
    expect(await work("does=read&id=one")).toBe("one");
  });

  it("invokes functions by ARN", async () => {
    const { payload } = await runner.invoke("arn:aws:lambda:us-east-1:000000000000:function:worker", {
      does: "read",
      id: "absent",
    });
    expect(payload).toBe("null");
  });

  it("creates the table as the template describes it", async () => {
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

  it("shows no table to clients with another access key", async () => {
    expect((await dynamodb("stranger").send(new ListTablesCommand({}))).TableNames).toEqual([]);
  });

  it("serves its outputs, endpoints and credentials at /_local/outputs, with its own URL", async () => {
    const answer = await fetch(`${runner.baseUrl}/_local/outputs`);
    expect(await answer.json()).toEqual({
      outputs: expect.objectContaining({
        TableName: expect.stringMatching(/^Data-Table/),
        KeyId: expect.stringMatching(/^arn:aws:kms:us-east-1:000000000000:key\//),
        BaseUrl: runner.baseUrl,
      }),
      endpoints: runner.endpoints,
      restUrl: runner.restUrl,
      region: "us-east-1",
      credentials: runner.credentials,
    });
    expect(runner.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it("passes function logs to the listener and to a private file", async () => {
    await work("does=read&id=logged");
    const logged = lines.filter(({ line }) => JSON.parse(line).message === "asked to read");
    expect(logged.length).toBeGreaterThan(0);
    expect(logged.every(({ source }) => source === "worker")).toBe(true);
    expect(readFileSync(join(dataDir, "logs", "worker.log"), "utf8")).toContain(logged[0]?.line);
  });

  it("makes the data dir and its secrets readable only by their owner", () => {
    const mode = (...path: string[]) => (statSync(join(dataDir, ...path)).mode & 0o777).toString(8);
    expect(mode()).toBe("700");
    for (const folder of ["dynamodb", "logs"]) expect(mode(folder)).toBe("700");
    const files = ["credentials.json", "issuer.json", "kms.json", "stacks.json"];
    expect(readdirSync(dataDir).filter((name) => name.endsWith(".json"))).toEqual(files);
    for (const file of [...files, "logs/worker.log"]) expect(mode(file)).toBe("600");
  });

  it("leaves the stream port closed without a WebSocket API", async () => {
    expect(runner.streamUrl).toBeUndefined();
    expect(runner.outputs).not.toHaveProperty("StreamUrl");
    await expect(fetch(`http://127.0.0.1:${streamPort}`)).rejects.toMatchObject({
      cause: { code: "ECONNREFUSED" },
    });
  });

  it("reports the steps of the start", () => {
    expect(steps[0]).toBe("Preparing the stacks and starting DynamoDB Local");
    expect(steps.length).toBeGreaterThan(2);
  });

  it("refuses a resource that is not emulated, and leaves no process behind", async () => {
    const before = descendants(process.pid);
    const unknown = assemblyFolder("worker", "AWS::SNS::Topic");
    await expect(start({ assembly: unknown, port: 0 })).rejects.toThrow(
      "Data: AWS::SNS::Topic (Unknown) is not emulated",
    );
    const started = descendants(process.pid).filter(({ pid }) => !before.some((old) => old.pid === pid));
    expect(await survivors(started)).toEqual([]);
  });

  it("creates API keys at the endpoint in the environment, and stores them in a private file", async () => {
    const { credentials, endpoints } = runner;
    const client = new APIGatewayClient({ endpoint: endpoints.apigateway, region: "us-east-1", credentials });
    const { id } = await client.send(new CreateApiKeyCommand({ name: "made" }));
    expect((await client.send(new GetApiKeysCommand({}))).items).toMatchObject([{ id, name: "made" }]);
    expect((statSync(join(dataDir, "usage.json")).mode & 0o777).toString(8)).toBe("600");
  });

  it("replaces a function's code while it runs", async () => {
    const { codeFolder = "" } = runner.functions.find(({ name }) => name === "worker") ?? {};
    const replacement = temporaryFolder();
    const answer =
      'export const handler = async () => ({ statusCode: 200, body: JSON.stringify("replaced") });';
    writeFileSync(join(replacement, "index.mjs"), answer);
    await runner.replaceCode("worker", replacement);
    expect(await work("does=read&id=one")).toBe("replaced");
    await runner.replaceCode("worker", codeFolder);
    expect(await work("does=read&id=one")).toBe("one");
    await expect(runner.replaceCode("absent", replacement)).rejects.toThrow("Function not found: absent");
  });

  it("opens the API after the seed and, without a data dir, leaves neither files nor processes behind", async () => {
    const temporary = temporaryFolder();
    vi.stubEnv("TMPDIR", temporary);
    const before = descendants(process.pid);
    const statuses: number[] = [];
    const inMemory = await start({
      assembly,
      port: 0,
      async seed(port) {
        for (const path of ["_local/outputs", "work"])
          statuses.push((await fetch(`http://127.0.0.1:${port}/${path}`)).status);
      },
    });
    vi.unstubAllEnvs();
    expect(statuses).toEqual([200, 503]);
    expect((await inMemory.invoke("worker", { does: "write", id: "x" })).payload).toBe('"x"');
    expect(inMemory.outputs.KeyId).not.toBe(runner.outputs.KeyId);
    expect(readdirSync(temporary)).toHaveLength(1);
    // Library that Java unpacks and would leave behind.
    expect(readdirSync(temporary, { recursive: true }).join()).toContain("sqlite");
    const started = descendants(process.pid).filter(({ pid }) => !before.some((old) => old.pid === pid));
    expect(started.length).toBeGreaterThan(2);
    await inMemory.stop();
    expect(readdirSync(temporary)).toEqual([]);
    expect(await survivors(started)).toEqual([]);
    await expect(fetch(inMemory.baseUrl)).rejects.toThrow();
  });
});

describe("two runners at once", () => {
  it("refuses a data dir that another runner uses", async () => {
    await expect(start({ assembly, dataDir, port: 0 })).rejects.toThrow(
      /^Another runner uses the data directory/,
    );
  });

  it.each([
    ["port", "--port"],
    ["stream port", "--stream-port"],
  ])("refuses a %s that another runner uses and leaves no process behind", async (which, option) => {
    const before = descendants(process.pid);
    const taken = Number(new URL(runner.baseUrl).port);
    const ports = which === "port" ? { port: taken } : { port: 0, streamPort: taken };
    await expect(start({ assembly, ...ports })).rejects.toThrow(
      `Port ${taken} is in use; stop what listens on it, or choose another with ${option}.`,
    );
    const started = descendants(process.pid).filter(({ pid }) => !before.some((old) => old.pid === pid));
    expect(await survivors(started)).toEqual([]);
  });
});
