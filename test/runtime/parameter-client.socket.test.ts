import * as sdk from "@aws-sdk/client-ssm";
import { listen } from "cdk-local-runner/testing";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as own from "../../lib/runtime/parameter-client.ts";

type Answer = { status: number; type?: string; body: string };

let received: object[] = [];
let answers: readonly Answer[] = [];
const server = await listen(
  0,
  async ({ method, target, headers, body }) => {
    const { "x-amz-target": operation, "content-type": type } = Object.fromEntries(headers);
    received.push({ method, target, operation, type, body: body.toString() });
    const answer = (answers[received.length - 1] ?? answers.at(-1)) as Answer;
    return {
      status: answer.status,
      headers: [
        ["x-amzn-RequestId", "r1"],
        ...(answer.type ? [["x-amzn-ErrorType", answer.type] as const] : []),
      ],
      body: Buffer.from(answer.body),
    };
  },
  () => {},
);

beforeAll(() => {
  const variables = {
    AWS_ENDPOINT_URL_SSM: server.url,
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "AKID",
    AWS_SECRET_ACCESS_KEY: "secret",
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await server.close();
});

/** Calls the server with one of the clients. Returns the requests, and the parameter or the error. */
async function outcomeOf({ SSMClient, GetParameterCommand }: typeof own | typeof sdk) {
  received = [];
  const client = new SSMClient({
    maxAttempts: 2,
    requestHandler: { requestTimeout: 30_000 },
  }) as own.SSMClient;
  const command = new GetParameterCommand({
    Name: "/a/keys",
    WithDecryption: true,
  }) as own.GetParameterCommand;
  const outcome = await client.send(command).then(
    ({ Parameter }) => Parameter,
    ({ name, message, $fault }) => ({ name, message, $fault }),
  );
  return { outcome, requests: received };
}

const found = {
  status: 200,
  body: '{"Parameter":{"Name":"/a/keys","Type":"SecureString","Value":"v","Version":3}}',
};
const failure = (type: string, status = 400) => ({
  status,
  type,
  body: `{"__type":"${type}","message":"no"}`,
});

describe("the client that reads parameters", () => {
  it.each<[string, readonly Answer[]]>([
    ["a parameter", [found]],
    ["a throttle, then an answer", [failure("ThrottlingException"), found]],
    ["an internal error", [failure("InternalServerError", 500)]],
    ["an unknown parameter", [failure("ParameterNotFound")]],
    ["a denied call", [failure("AccessDeniedException")]],
  ])("behaves like the SDK's client for %s", async (_, given) => {
    answers = given;
    expect(await outcomeOf(own)).toEqual(await outcomeOf(sdk));
  });
});
