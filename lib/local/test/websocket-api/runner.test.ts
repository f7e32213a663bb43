import { connect } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { LogEntry } from "../../src/lambda/lambda.ts";
import { start } from "../../src/start.ts";
import type { Runner } from "../../src/start-options.ts";
import { synthesizeWebSocket } from "./assembly.ts";
import { eventually, join, refusal } from "./stream.ts";

const log: LogEntry[] = [];
const whileStarting: unknown[] = [];
let runner: Runner;

beforeAll(async () => {
  runner = await start({
    audience: "local",
    assembly: synthesizeWebSocket(),
    port: 0,
    onLog: (entry) => log.push(entry),
    async seed(port) {
      const { outputs } = await description(`http://127.0.0.1:${port}`);
      whileStarting.push((await refusal(`${outputs.StreamUrl}`)).status);
    },
  });
});

afterAll(() => runner.stop());

const streamUrl = () => runner.streamUrl ?? "";

/** Reads the runner's description of itself. */
async function description(baseUrl: string): Promise<Pick<Runner, "outputs" | "endpoints">> {
  const answer = await fetch(`${baseUrl}/_local/outputs`);
  return answer.json() as Promise<Pick<Runner, "outputs" | "endpoints">>;
}

/** Reads the messages logged by the function. */
const logged = () =>
  log.filter(({ source }) => source === "streamer").map(({ line }) => JSON.parse(line).message);

/** Headers that CloudFront adds to each answer. */
const seenByEdge = {
  via: expect.stringMatching(/cloudfront/),
  cache: "Error from cloudfront",
  pop: expect.any(String),
  cloudFrontId: expect.any(String),
};

describe("a runner with a WebSocket API", () => {
  it("lists a local stream URL in its outputs", async () => {
    expect(streamUrl()).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
    expect(runner.outputs.StreamUrl).toBe(runner.streamUrl);
    const { outputs, endpoints } = await description(runner.baseUrl);
    expect(outputs).toMatchObject({ StreamUrl: runner.streamUrl, DomainName: "stream.example" });
    expect(endpoints.apigatewaymanagementapi).toBe(runner.endpoints.apigatewaymanagementapi);
  });

  it("answers with a 503 until the data is seeded", () => {
    expect(whileStarting).toEqual([503]);
  });

  it("connects clients to functions, which answer and push", async () => {
    const { socket, messages, say } = await join(streamUrl(), ["access_token", "alice"]);
    expect(socket.protocol).toBe("access_token");
    say({ type: "push" });
    await eventually(() => messages).toHaveLength(2);
    // Keeps AWS's address in the environment; the SDK uses the local one.
    const callback = runner.outputs.ApiEndpoint?.toString().replace("wss:", "https:");
    expect(messages).toEqual(["pushed", `push for alice at ${callback}/live`]);
    socket.close(1000);
    await eventually(logged).toEqual(
      expect.arrayContaining(["CONNECT $connect", "MESSAGE push", "DISCONNECT 1000"]),
    );
  });

  it("connects clients through the distribution at the base URL's port and the stage's path", async () => {
    const edgeUrl = runner.baseUrl.replace("http:", "ws:");
    const { messages, say } = await join(`${edgeUrl}/live`, ["access_token", "carol"]);
    say({ type: "ping" });
    await eventually(() => messages).toHaveLength(1);
    expect(messages[0]).toMatch(/^ping for carol/);
    await eventually(logged).toContain("CONNECT $connect by the edge");
    expect(await refusal(`${edgeUrl}/live`)).toMatchObject({ status: 401, ...seenByEdge });
    expect(await refusal(`${edgeUrl}/other`)).toMatchObject({
      status: 403,
      ...seenByEdge,
      body: { message: "Forbidden" },
    });
    expect((await fetch(`${runner.baseUrl}/live`)).status).toBe(426);
  });

  it("refuses clients without a token", async () => {
    const refused = await refusal(streamUrl());
    expect(refused).toMatchObject({ status: 401, body: { message: "Unauthorized" } });
    expect(refused.cache).toBeUndefined();
  });

  it("logs nothing that a client sends", async () => {
    const token = "a-secret-token";
    await expect(join(`${streamUrl()}/a-secret-path`, ["access_token", token])).rejects.toThrow("403");
    const { say, messages } = await join(streamUrl(), ["access_token", token]);
    say({ type: "unknown", secret: "a-secret-body" });
    say({ type: "ping" });
    await eventually(() => messages).toHaveLength(1);
    const gateway = log.filter(({ source }) => source === "api-gateway").map(({ line }) => line);
    expect(gateway.join("\n")).not.toContain("secret");
  });

  it("closes connections, invokes $disconnect and stops listening when it stops", async () => {
    const before = logged().length;
    const { closed } = await join(streamUrl(), ["access_token", "bob"]);
    const edgeUrl = runner.baseUrl.replace("http:", "ws:");
    const { closed: closedAtEdge } = await join(`${edgeUrl}/live`, ["access_token", "bob"]);
    await runner.stop();
    for (const end of [closed, closedAtEdge]) expect(await end).toEqual({ code: 1001, reason: "Going away" });
    expect(logged().slice(before)).toContain("DISCONNECT 1001");
    const socket = connect(Number(new URL(streamUrl()).port), "127.0.0.1");
    const [error] = await new Promise<[Error]>((resolve) =>
      socket.once("error", (...refused) => resolve(refused)),
    );
    expect(error).toMatchObject({ code: "ECONNREFUSED" });
  });
});
