import { connect } from "node:net";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { LogEntry } from "../../src/lambda/lambda.ts";
import { type Runner, start } from "../../src/start.ts";
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

/** What the runner says of itself. */
async function description(baseUrl: string): Promise<Pick<Runner, "outputs" | "endpoints">> {
  const answer = await fetch(`${baseUrl}/_local/outputs`);
  return answer.json() as Promise<Pick<Runner, "outputs" | "endpoints">>;
}

/** What the function has logged. */
const logged = () =>
  log.filter(({ source }) => source === "streamer").map(({ line }) => JSON.parse(line).message);

test("the stream URL is that of this machine, wherever it is told", async () => {
  expect(streamUrl()).toMatch(/^ws:\/\/127\.0\.0\.1:\d+$/);
  expect(runner.outputs.StreamUrl).toBe(runner.streamUrl);
  const { outputs, endpoints } = await description(runner.baseUrl);
  expect(outputs).toMatchObject({ StreamUrl: runner.streamUrl, DomainName: "stream.example" });
  expect(endpoints.apigatewaymanagementapi).toBe(runner.endpoints.apigatewaymanagementapi);
});

test("nobody is let in before the data is", () => {
  expect(whileStarting).toEqual([503]);
});

test("a client is let in by functions, heard by them and pushed to", async () => {
  const { socket, messages, say } = await join(streamUrl(), ["access_token", "alice"]);
  expect(socket.protocol).toBe("access_token");
  say({ type: "push" });
  await eventually(() => messages).toHaveLength(2);
  // The template's own address stays where it stands; the SDK goes to the one of this machine.
  const callback = runner.outputs.ApiEndpoint?.toString().replace("wss:", "https:");
  expect(messages).toEqual(["pushed", `push for alice at ${callback}/live`]);
  socket.close(1000);
  await eventually(logged).toEqual(
    expect.arrayContaining(["CONNECT $connect", "MESSAGE push", "DISCONNECT 1000"]),
  );
});

test("and a stranger is not", async () => {
  expect(await refusal(streamUrl())).toMatchObject({ status: 401, body: { message: "Unauthorized" } });
});

test("nothing that a client sends is in the gateway's log", async () => {
  const token = "a-secret-token";
  await expect(join(`${streamUrl()}/a-secret-path`, ["access_token", token])).rejects.toThrow("403");
  const { say, messages } = await join(streamUrl(), ["access_token", token]);
  say({ type: "unknown", secret: "a-secret-body" });
  say({ type: "ping" });
  await eventually(() => messages).toHaveLength(1);
  const gateway = log.filter(({ source }) => source === "api-gateway").map(({ line }) => line);
  expect(gateway.join("\n")).not.toContain("secret");
});

test("a stop ends the connections, tells the function, and leaves nobody listening", async () => {
  const before = logged().length;
  const { closed } = await join(streamUrl(), ["access_token", "bob"]);
  await runner.stop();
  expect(await closed).toEqual({ code: 1001, reason: "Going away" });
  expect(logged().slice(before)).toContain("DISCONNECT 1001");
  const socket = connect(Number(new URL(streamUrl()).port), "127.0.0.1");
  const [error] = await new Promise<[Error]>((resolve) =>
    socket.once("error", (...refused) => resolve(refused)),
  );
  expect(error).toMatchObject({ code: "ECONNREFUSED" });
});
