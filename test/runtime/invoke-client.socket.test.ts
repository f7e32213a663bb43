import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import * as sdk from "@aws-sdk/client-lambda";
import type { HttpRequest } from "@smithy/core/protocols";
import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import * as own from "../../lib/runtime/invoke-client.ts";

const credentials = { accessKeyId: "AKID", secretAccessKey: "a/b+c", sessionToken: "a session" };
const region = "eu-west-1";
const arn = "arn:aws:lambda:eu-west-1:000000000000:function:signTransaction";

type Received = { method: string | undefined; path: string; headers: IncomingHttpHeaders; body: string };
type Answer = { status: number; headers?: Record<string, string>; body?: string } | "closes" | "is silent";

let received: Received[] = [];
let answers: readonly Answer[] = [];
const server = createServer(async (request, response) => {
  const { method, url = "", headers } = request;
  received.push({ method, path: url, headers, body: await text(request) });
  const answer = answers[received.length - 1] ?? answers.at(-1);
  if (answer === "closes") request.socket.destroy();
  else if (typeof answer === "object")
    response.writeHead(answer.status, { "x-amzn-RequestId": "r1", ...answer.headers }).end(answer.body);
});

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  const { port } = server.address() as AddressInfo;
  const variables = {
    AWS_ENDPOINT_URL_LAMBDA: `http://127.0.0.1:${port}`,
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_SESSION_TOKEN: credentials.sessionToken,
    AWS_LAMBDA_FUNCTION_NAME: "placeOrder",
    _X_AMZN_TRACE_ID: "Root=1-67891233-abcdef012345678912345678;Lineage=2:5ad8:1",
  };
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value);
});
afterAll(() => {
  vi.unstubAllEnvs();
  server.closeAllConnections();
  server.close();
});

type Input = ConstructorParameters<typeof own.InvokeCommand>[0];

const metadata = ({ httpStatusCode, requestId, attempts }: sdk.InvokeCommandOutput["$metadata"] = {}) => ({
  httpStatusCode,
  requestId,
  attempts,
});

/** Calls the server with one of the clients. Returns the requests, and the result or the error. */
async function outcomeOf({ LambdaClient, InvokeCommand }: typeof own | typeof sdk, input: Input) {
  received = [];
  // Lets calls time out only if the service never answers, because other services may be slow on a busy machine.
  const requestTimeout = answers.includes("is silent") ? 100 : 30_000;
  const requestHandler = { connectionTimeout: 30_000, requestTimeout, throwOnRequestTimeout: true };
  const client = new LambdaClient({ requestHandler, maxAttempts: 2 });
  const command = new InvokeCommand(input);
  const abortSignal = AbortSignal.timeout(60_000);
  const outcome = await (client as own.LambdaClient).send(command as own.InvokeCommand, { abortSignal }).then(
    ({ $metadata, StatusCode, FunctionError, Payload }) => ({
      StatusCode,
      FunctionError,
      payload: Payload?.transformToString(),
      ...metadata($metadata),
    }),
    ({ $metadata, name, message, code, $fault }) => ({ name, message, code, $fault, ...metadata($metadata) }),
  );
  return { outcome, requests: received };
}

/** Removes headers that vary or that name the client. */
const comparable = ({ headers, ...request }: Received) => {
  const {
    authorization: _,
    "x-amz-date": __,
    "user-agent": ___,
    "x-amz-user-agent": ____,
    "amz-sdk-invocation-id": invocationId,
    ...others
  } = headers;
  return { ...request, headers: { ...others, "amz-sdk-invocation-id": typeof invocationId } };
};

const call = { FunctionName: arn, Payload: '{"name":"Zürich"}' };
const start = { ...call, FunctionName: "readChains", InvocationType: "Event" } as const;
const failure = (status: number, type: string) => ({
  status,
  headers: { "x-amzn-ErrorType": `${type}:http://internal.amazon.com/coral/` },
  body: `{"Message":"no","Type":"User"}`,
});

describe("the client that invokes functions", () => {
  it.each<[string, Input, readonly Answer[]]>([
    ["a call", call, [{ status: 200, body: '{"later":"soon"}' }]],
    ["a start", start, [{ status: 202 }]],
    [
      "a function that fails",
      call,
      [{ status: 200, headers: { "x-amz-function-error": "Unhandled" }, body: '{"errorMessage":"no"}' }],
    ],
    [
      "a throttle, then an answer",
      call,
      [failure(429, "TooManyRequestsException"), { status: 200, body: "1" }],
    ],
    ["an internal error", call, [failure(500, "ServiceException")]],
    ["a denied call", call, [failure(403, "AccessDeniedException")]],
    ["an unknown function", call, [failure(404, "ResourceNotFoundException")]],
    ["an error without a type", call, [{ status: 503 }]],
    ["a closed connection, then an answer", call, ["closes", { status: 200, body: "1" }]],
    ["a service that does not answer", call, ["is silent"]],
  ])("behaves like the SDK's client for %s", async (_, input, given) => {
    answers = given;
    const theirs = await outcomeOf(sdk, input);
    const ours = await outcomeOf(own, input);
    expect(ours.requests.map(comparable)).toEqual(theirs.requests.map(comparable));
    expect(ours.outcome).toEqual(theirs.outcome);
  });

  it("signs each attempt for the function's role", async () => {
    answers = [failure(500, "ServiceException")];
    const signer = new SignatureV4({
      credentials,
      region,
      service: "lambda",
      sha256: Hash.bind(null, "sha256"),
    });
    for (const client of [sdk, own]) {
      const { requests } = await outcomeOf(client, call);
      expect(requests).toHaveLength(2);
      for (const { headers, path, body } of requests) {
        const { authorization = "", "x-amz-date": date } = headers;
        const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1]?.split(";") ?? [];
        const request = {
          method: "POST",
          protocol: "http:",
          hostname: "127.0.0.1",
          path,
          headers: Object.fromEntries(names.map((name) => [name, String(headers[name])])),
          body,
        };
        const signingDate = new Date(String(date).replace(/(..)(..)(T..)(..)/, "-$1-$2$3:$4:"));
        const signed = await signer.sign(request, { signingDate });
        expect(authorization).toBe(signed.headers.authorization);
      }
    }
  });

  it.each(["eu-west-1", "cn-north-1", "us-gov-west-1"])("calls the SDK's endpoint in %s", async (name) => {
    vi.stubEnv("AWS_ENDPOINT_URL_LAMBDA", undefined);
    vi.stubEnv("AWS_REGION", name);
    const called: string[] = [];
    const handle = async ({ protocol, hostname, port, path }: HttpRequest) => {
      called.push(`${protocol}//${hostname}:${port}${path}`);
      throw new Error("no network");
    };
    for (const { LambdaClient, InvokeCommand } of [sdk, own] as (typeof own)[]) {
      const client = new LambdaClient({ requestHandler: { handle } as object, maxAttempts: 1 });
      await expect(client.send(new InvokeCommand(call))).rejects.toThrow("no network");
    }
    expect(called[1]).toBe(called[0]);
  });
});
