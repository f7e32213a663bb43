import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { Hash } from "@smithy/core/serde";
import { SignatureV4 } from "@smithy/signature-v4";
import { freePort } from "cdk-local-runner/testing";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fanOutHandler } from "../../lib/aws/fan-out-http.ts";
import { Post } from "../../lib/aws/post.ts";
import { openPusher, type Pusher } from "../../lib/aws/push.ts";
import { isTransient } from "../../lib/table/transient.ts";

type Received = { path: string; headers: IncomingHttpHeaders; body: string };

let received: Received[] = [];
let sockets = 0;
let answer: { status: number; type?: string; body?: string };
const server = createServer(async (request, response) => {
  received.push({ path: request.url ?? "", headers: request.headers, body: await text(request) });
  const { status, type, body } = answer;
  response.writeHead(status, { "x-amzn-RequestId": `r${status}`, ...(type && { "x-amzn-ErrorType": type }) });
  response.end(body);
});
server.on("connection", () => sockets++);

const credentials = { accessKeyId: "AKID", secretAccessKey: "a/b+c", sessionToken: "a session" };
const region = "eu-west-1";
let endpoint: string;

beforeAll(async () => {
  await once(server.listen(0, "127.0.0.1"), "listening");
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/live`;
});
beforeEach(() => {
  received = [];
  sockets = 0;
  answer = { status: 200 };
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const handlers = [
  ["the SDK's HTTP handler", () => ({})],
  ["the HTTP handler for a fan-out", () => ({ requestHandler: fanOutHandler(2) })],
] as const;

describe.each(handlers)("Post through %s", (_, config) => {
  let pusher: Pusher;
  beforeEach(() => {
    pusher = openPusher({ endpoint, region, credentials, ...config() });
    return () => pusher.destroy();
  });
  const post = (ConnectionId: string, Data = "hello") => pusher.send(new Post({ ConnectionId, Data }));

  it("signs each request like the SDK's own signer", async () => {
    for (const [connectionId, message] of [
      ["c1=", "Zürich"],
      ["c2=", "Zürich"],
      ["a/b?c#d ü'", "東京 🚀"],
    ] as const)
      await post(connectionId, message);
    expect(received.map(({ body }) => body)).toEqual(["Zürich", "Zürich", "東京 🚀"]);
    const sha256 = Hash.bind(null, "sha256");
    const signer = new SignatureV4({ credentials, region, service: "execute-api", sha256 });
    for (const { path, headers, body } of received) {
      const { host = "", "x-amz-date": date } = headers;
      const request = {
        method: "POST",
        protocol: "http:",
        hostname: "127.0.0.1",
        path,
        headers: { host },
        body,
      };
      const signingDate = new Date(String(date).replace(/(..)(..)(T..)(..)/, "-$1-$2$3:$4:"));
      const signed = await signer.sign(request, { signingDate });
      expect(headers).toMatchObject(signed.headers);
    }
  });

  it.each([
    [410, "GoneException", "GoneException"],
    [429, "LimitExceededException", "LimitExceededException"],
    [403, "ForbiddenException", "ForbiddenException"],
    [413, "PayloadTooLargeException", "PayloadTooLargeException"],
    [400, "InvalidSignatureException", "InvalidSignatureException"],
  ])("throws the SDK's error for a response with status %i", async (status, type, name) => {
    answer = { status, type, body: '{"message":"secret"}' };
    await expect(post("c1")).rejects.toMatchObject({
      name,
      $metadata: { httpStatusCode: status, requestId: `r${status}`, attempts: 1 },
    });
    expect(received).toHaveLength(1);
  });

  it("throws an error without a status if the service is unreachable", async () => {
    const nowhere = `http://127.0.0.1:${await freePort()}`;
    const other = openPusher({ endpoint: nowhere, region, credentials, ...config() });
    const error = await other
      .send(new Post({ ConnectionId: "c1", Data: "secret" }))
      .catch((thrown) => thrown);
    other.destroy();
    expect(error).toMatchObject({ code: "ECONNREFUSED", $metadata: { attempts: 1 } });
    expect(isTransient(error)).toBe(true);
  });
});

describe("fanOutHandler", () => {
  it("keeps its sockets open, and opens no more than its limit", async () => {
    const pusher = openPusher({ endpoint, region, credentials, requestHandler: fanOutHandler(2) });
    const postAll = () =>
      Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          pusher.send(new Post({ ConnectionId: `c${index}`, Data: "hello" })),
        ),
      );
    await postAll();
    await postAll();
    pusher.destroy();
    expect(received).toHaveLength(40);
    expect(sockets).toBe(2);
  });
});
