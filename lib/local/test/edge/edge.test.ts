import { describe, expect, it } from "vitest";
import { createEdge } from "../../src/edge/edge.ts";
import { EDGE_ADDRESS } from "../../src/edge/origin-request.ts";
import { type GatewayRequest, type GatewayResponse, header, json } from "../../src/http/messages.ts";
import { gateway, guarded } from "../rest-api/fixture.ts";
import { behavior, bucket, cachingOptimized, config, distribution, request } from "./fixture.ts";

/** Creates a distribution in front of an API that gives these answers in turn and repeats the last one. */
function edge(changes: object = {}, answers: GatewayResponse[] = [json(200, {})], now = () => 0) {
  const seen: GatewayRequest[] = [];
  const answer = async (request: GatewayRequest) => {
    seen.push(request);
    return (answers.length > 1 ? answers.shift() : answers[0]) as GatewayResponse;
  };
  const servers = [
    { domainName: "rest.example", stage: "live", opensSockets: false, answer },
    { domainName: "socket.example", stage: "stream", opensSockets: true, answer: async () => json(426, {}) },
    bucket(() => json(200, {})),
  ];
  const properties = { DistributionConfig: { ...config, ...changes } };
  return { ...createEdge({ distribution: { ...distribution, properties }, servers, now }), seen };
}

const typeOf = (answer: GatewayResponse) => header(answer, "content-type");
const html = (status: number) => ({
  status,
  headers: expect.arrayContaining([["Content-Type", "text/html"]]),
});

describe("an edge", () => {
  it("sends requests to the origin of the first matching behavior", async () => {
    const { answer, seen } = edge();
    expect((await answer(request("/orders/1?limit=2"))).status).toBe(200);
    // Removes the API's stage again.
    expect(seen.map(({ target }) => target)).toEqual(["/orders/1?limit=2"]);
    expect((await answer(request("/stream?x=1"))).status).toBe(426);
    await Promise.all(["/stream/", "/streams", "/Stream", "/a/stream"].map((path) => answer(request(path))));
    expect(seen).toHaveLength(5);
  });

  it("matches stars and question marks in patterns", async () => {
    const CacheBehaviors = [{ ...behavior, TargetOriginId: "socket", PathPattern: "/a?c/*.json" }];
    const origins = { ...config, CacheBehaviors };
    const { opensSocketsAt } = edge(origins);
    expect(["/abc/x/y.json", "/ac/x.json", "/abc/xjson"].map(opensSocketsAt)).toEqual([true, false, false]);
  });

  it("forwards the viewer's request with its address and the origin's headers added", async () => {
    const { answer, seen } = edge();
    await answer(
      request("/orders", {
        method: "POST",
        headers: [
          ["Host", "api.localhost"],
          ["Authorization", "Bearer x"],
          ["Cookie", "a=b"],
          ["If-Match", '"1"'],
          ["X-Origin-Key", "guessed"],
          ["X-Forwarded-For", "10.0.0.1"],
          ["X-Forwarded-Proto", "http"],
          ["X-Edge-Location", "x"],
          ["X-Real-IP", "x"],
          ["Connection", "keep-alive"],
          ["TE", "trailers"],
          ["Via", "1.1 proxy"],
        ],
        body: Buffer.from("{}"),
      }),
    );
    expect(seen[0]?.body.toString()).toBe("{}");
    expect(seen[0]?.sourceIp).toBe(EDGE_ADDRESS);
    expect(seen[0]?.headers).toEqual([
      ["Authorization", "Bearer x"],
      ["Cookie", "a=b"],
      ["If-Match", '"1"'],
      ["Host", "rest.example"],
      ["Via", "1.1 proxy, 1.1 edge.cloudfront.net (CloudFront)"],
      ["X-Forwarded-For", "10.0.0.1, 127.0.0.1"],
      ["X-Amz-Cf-Id", expect.any(String)],
      ["x-origin-key", "secret"],
    ]);
  });

  it("forwards a WebSocket handshake to an origin that accepts it", () => {
    const headers = [
      ["Connection", "Upgrade"],
      ["Upgrade", "websocket"],
      ["Sec-WebSocket-Protocol", "access_token, x"],
    ] as const;
    const { forward } = edge();
    const found = forward(request("/stream?a=b", { headers }));
    expect(found).toMatchObject({
      request: { target: "/?a=b", headers: expect.arrayContaining([...headers]) },
    });
    const plain = forward(request("/orders", { headers }));
    expect(plain).not.toMatchObject({ request: { headers: expect.arrayContaining([headers[1]]) } });
  });

  it.each([
    ["an unsupported method", request("/orders", { method: "TRACE" }), 403],
    ["a method that the behavior does not allow", request("/stream", { method: "POST" }), 403],
    ["a GET with a body", request("/orders", { body: Buffer.from("{}") }), 403],
    ["a URL that is too long", request(`/${"x".repeat(8192)}`), 414],
  ])("answers %s with its own error page", async (_, refused, status) => {
    const { answer, seen } = edge();
    expect(await answer(refused)).toMatchObject(html(status));
    expect(seen).toEqual([]);
  });

  it("refuses headers that become too large with CloudFront's own", async () => {
    const { answer, forward, seen } = edge();
    const withHeader = (bytes: number) => request("/orders", { headers: [["X-Large", "x".repeat(bytes)]] });
    expect((await answer(withHeader(9900))).status).toBe(200);
    expect((await answer(withHeader(10_100))).status).toBe(431);
    expect(forward(withHeader(10_100))).toMatchObject({ refusal: { status: 431 } });
    expect(seen).toHaveLength(1);
  });

  it("accepts a DELETE with a body, and a URL of 8,192 bytes", async () => {
    const { answer } = edge();
    expect((await answer(request("/a", { method: "DELETE", body: Buffer.from("{}") }))).status).toBe(200);
    expect((await answer(request(`/${"x".repeat(8191)}`))).status).toBe(200);
  });

  it("answers like API Gateway if the origin's path is outside the stage", async () => {
    const Origins = config.Origins.map((origin) => ({ ...origin, OriginPath: "/other" }));
    const answer = await edge({ Origins }).answer(request("/orders"));
    expect({ status: answer.status, type: typeOf(answer) }).toEqual({
      status: 403,
      type: "application/json",
    });
  });
});

describe("the authorizer of a gateway behind an edge", () => {
  const api = gateway(guarded("GET /pets"), {
    authorizer: {
      principalId: "rex",
      policyDocument: { Statement: [{ Effect: "Allow", Action: "*", Resource: "*" }] },
    },
  });
  const { answer } = createEdge({
    distribution: { ...distribution, properties: { DistributionConfig: config } },
    servers: [
      {
        domainName: "rest.example",
        stage: "live",
        opensSockets: false,
        answer: ({ method, target, ...rest }) => api.send(`${method} ${target}`, rest),
      },
      {
        domainName: "socket.example",
        stage: "stream",
        opensSockets: true,
        answer: async () => json(426, {}),
      },
      bucket(() => json(200, {})),
    ],
  });
  const lies: GatewayRequest["headers"] = [
    ["X-Origin-Key", "guessed"],
    ["x-origin-key", "secret"],
    ["X-Forwarded-For", "192.0.2.1, 192.0.2.2"],
  ];

  it("gives an authorizer only the edge's key, and the viewer's address as the second-last one", async () => {
    expect((await answer(request("/pets", { headers: lies, sourceIp: "203.0.113.7" }))).status).toBe(200);
    const { multiValueHeaders } = api.authorizerEvents.at(-1) ?? {};
    const keys = Object.entries(multiValueHeaders ?? {}).filter(([name]) => /origin-key/i.test(name));
    expect(keys).toEqual([["x-origin-key", ["secret"]]]);
    const [forwarded, ...others] = multiValueHeaders?.["X-Forwarded-For"] ?? [];
    expect(others).toEqual([]);
    expect(forwarded).toBe(`192.0.2.1, 192.0.2.2, 203.0.113.7, ${EDGE_ADDRESS}`);
  });
});

describe("errors at the edge", () => {
  const missing = json(404, { error: "Not found" });
  const found = json(200, { ok: true });

  it("caches errors for 10 seconds for all users, regardless of the query", async () => {
    let now = 0;
    const { answer } = edge({}, [missing, found], () => now);
    expect((await answer(request("/orders/1"))).status).toBe(404);
    now = 9_999;
    const kept = await answer(request("/orders/1?x=1", { headers: [["Authorization", "Bearer other"]] }));
    expect({ status: kept.status, age: header(kept, "age") }).toEqual({ status: 404, age: "9" });
    now = 10_000;
    expect((await answer(request("/orders/1"))).status).toBe(200);
  });

  it.each([404, 500, 501, 502, 503, 504])(
    "caches no errors with status %i if the template disables it",
    async (status) => {
      const CustomErrorResponses = [{ ErrorCode: status, ErrorCachingMinTTL: 0 }];
      const { answer } = edge({ CustomErrorResponses }, [json(status, {}), found]);
      await answer(request("/orders/1"));
      expect((await answer(request("/orders/1"))).status).toBe(200);
    },
  );

  it("caches errors only for GET and HEAD, and only with some statuses", async () => {
    const posts = edge({}, [missing, found]);
    await posts.answer(request("/orders/1", { method: "POST" }));
    expect((await posts.answer(request("/orders/1", { method: "POST" }))).status).toBe(200);
    const refused = edge({}, [json(403, {}), found]);
    await refused.answer(request("/orders/1"));
    expect((await refused.answer(request("/orders/1"))).status).toBe(200);
  });
});

describe("a distribution that is not emulated", () => {
  it.each([
    [
      "an origin that is no API or bucket",
      { Origins: [{ ...config.Origins[0], DomainName: "s3.example" }] },
      /s3\.example/,
    ],
    [
      "another cache policy",
      { DefaultCacheBehavior: { ...config.DefaultCacheBehavior, CachePolicyId: "x" } },
      /CachePolicyId: only the managed policies CachingDisabled and CachingOptimized/,
    ],
    [
      "a cache in front of an API",
      { DefaultCacheBehavior: { ...config.DefaultCacheBehavior, CachePolicyId: cachingOptimized } },
      /\*: a cache in front of an API/,
    ],
    [
      "compression of an API's answers",
      { DefaultCacheBehavior: { ...config.DefaultCacheBehavior, Compress: true } },
      /compression of an API's answers/,
    ],
    [
      "a bucket without a cache",
      { CacheBehaviors: [{ ...behavior, TargetOriginId: "files", PathPattern: "*" }] },
      /a bucket without CachingOptimized alone/,
    ],
    [
      "a page for errors",
      { CustomErrorResponses: [{ ErrorCode: 404, ResponsePagePath: "/x" }] },
      /ResponsePagePath/,
    ],
    ["a web ACL", { WebACLId: "arn" }, /WebACLId/],
    [
      "a behavior without an origin",
      { CacheBehaviors: [{ ...behavior, TargetOriginId: "x", PathPattern: "*" }] },
      /x/,
    ],
  ])("stops the runner for a distribution with %s", (_, changes, message) => {
    expect(() => edge(changes)).toThrow(message);
  });
});
