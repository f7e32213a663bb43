import { describe, expect, it } from "vitest";
import type { GatewayRequest, Pair } from "../../src/http/messages.ts";
import { gateway, resource, route } from "./fixture.ts";

const host: Pair = ["Host", "127.0.0.1:3000"];

async function eventOf(line: string, request: Partial<GatewayRequest> = {}) {
  const { send, events } = gateway([...route("ANY /{proxy+}"), ...route("ANY /hardcoded")]);
  const { status } = await send(line, request);
  expect(status).toBe(200);
  const [event] = events;
  if (!event) throw new Error("The function was not invoked");
  return event;
}

describe("a proxy event", () => {
  it("sets an absent query, path parameter and body to null", async () => {
    const { send, events } = gateway(route("GET /pets"));
    await send("GET /pets", { headers: [host, ["User-Agent", "curl/8"]] });

    const headers = {
      Host: "127.0.0.1:3000",
      "User-Agent": "curl/8",
      "X-Amzn-Trace-Id": "Root=1-6b0160d8-00112233445566778899aabb",
      "X-Forwarded-For": "127.0.0.1",
      "X-Forwarded-Port": "443",
      "X-Forwarded-Proto": "https",
    };
    expect(events).toStrictEqual([
      {
        resource: "/pets",
        path: "/pets",
        httpMethod: "GET",
        headers,
        multiValueHeaders: Object.fromEntries(
          Object.entries(headers).map(([name, value]) => [name, [value]]),
        ),
        queryStringParameters: null,
        multiValueQueryStringParameters: null,
        pathParameters: null,
        stageVariables: null,
        requestContext: {
          accountId: "000000000000",
          apiId: "Api",
          deploymentId: "Deployment",
          domainName: "127.0.0.1:3000",
          domainPrefix: "127",
          extendedRequestId: "ABEiM0RVZneImao=",
          httpMethod: "GET",
          identity: {
            accessKey: null,
            accountId: null,
            caller: null,
            cognitoAuthenticationProvider: null,
            cognitoAuthenticationType: null,
            cognitoIdentityId: null,
            cognitoIdentityPoolId: null,
            principalOrgId: null,
            sourceIp: "127.0.0.1",
            user: null,
            userAgent: "curl/8",
            userArn: null,
          },
          path: "/v1/pets",
          protocol: "HTTP/1.1",
          requestId: "00112233-4455-6677-8899-aabbccddeeff",
          requestTime: "21/Nov/2026:09:14:00 +0000",
          requestTimeEpoch: 1795252440123,
          resourceId: "/pets",
          resourcePath: "/pets",
          stage: "v1",
        },
        body: null,
        isBase64Encoded: false,
      },
    ]);
  });

  // Starts with eight recorded answers of AWS.
  it.each([
    ["/proxy-value", "/proxy-value", "proxy-value", "/v1/proxy-value"],
    ["/proxy-value/", "/proxy-value/", "proxy-value", "/v1/proxy-value/"],
    ["/proxy-value//double", "/proxy-value//double", "proxy-value//double", "/v1/proxy-value//double"],
    ["//proxy-value", "/proxy-value", "proxy-value", "/v1//proxy-value"],
    ["/a/test%2Balias@x.io", "/a/test%2Balias@x.io", "a/test%2Balias@x.io", "/v1/a/test%2Balias@x.io"],
    ["/a/test+alias@x.io", "/a/test+alias@x.io", "a/test+alias@x.io", "/v1/a/test+alias@x.io"],
    ["/proxy-value?urlparam=test", "/proxy-value", "proxy-value", "/v1/proxy-value"],
    ["/proxy-value/?urlparam=test", "/proxy-value/", "proxy-value", "/v1/proxy-value/"],
    ["/caf%C3%A9", "/caf%C3%A9", "caf%C3%A9", "/v1/caf%C3%A9"],
    ["/a/../b/./c", "/a/../b/./c", "a/../b/./c", "/v1/a/../b/./c"],
    ["/a%00b", "/a%00b", "a%00b", "/v1/a%00b"],
    ["http://127.0.0.1:3000/a?x=1", "/a", "a", "/v1/a"],
  ])("converts the target %s to the path %s", async (target, path, proxy, contextPath) => {
    const event = await eventOf(`GET ${target}`);
    expect(event).toMatchObject({ path, pathParameters: { proxy }, resource: "/{proxy+}" });
    expect(event.requestContext).toMatchObject({ path: contextPath, resourcePath: "/{proxy+}" });
  });

  it("keeps one leading slash even if more were sent (recorded)", async () => {
    const event = await eventOf("GET //hardcoded");
    expect(event).toMatchObject({ path: "/hardcoded", pathParameters: null, resource: "/hardcoded" });
    expect(event.requestContext.path).toBe("/v1//hardcoded");
  });

  // Starts with six recorded answers of AWS.
  it.each<[query: string, all: Record<string, string[]>]>([
    [
      "category=electronics&category=books&price=10&price=20",
      { category: ["electronics", "books"], price: ["10", "20"] },
    ],
    ["time=2023-06-12T18:05:10.123456+00:00", { time: ["2023-06-12T18:05:10.123456 00:00"] }],
    ["email=test%2Balias@x.io", { email: ["test+alias@x.io"] }],
    ["plus=test+alias@x.io", { plus: ["test alias@x.io"] }],
    ["url=https://www.example.com/", { url: ["https://www.example.com/"] }],
    ["whitespace=foo%20bar", { whitespace: ["foo bar"] }],
    ["a=&b&a=", { a: ["", ""], b: [""] }],
    ["a=1=2?b", { a: ["1=2?b"] }],
    ["?a=1", { "?a": ["1"] }],
    ["caf%C3%A9=%F0%9F%90%88", { café: ["🐈"] }],
    ["a=%00&a=%FF", { a: ["\0", "\uFFFD"] }],
    ["a[]=1&A[]=2", { "a[]": ["1"], "A[]": ["2"] }],
  ])("reads the parameters of the query %s", async (query, all) => {
    const event = await eventOf(`GET /pets?${query}`);
    expect(event.multiValueQueryStringParameters).toStrictEqual(all);
    expect(event.queryStringParameters).toStrictEqual(
      Object.fromEntries(Object.entries(all).map(([name, values]) => [name, values.at(-1)])),
    );
  });

  it("accepts query parameters with the names of built-in properties", async () => {
    const { queryStringParameters } = await eventOf("GET /pets?__proto__=x&constructor=y");
    expect(JSON.stringify(queryStringParameters)).toBe('{"__proto__":"x","constructor":"y"}');
  });

  it.each(["?", ""])("sets the empty query %j to null", async (query) => {
    const event = await eventOf(`GET /pets${query}`);
    expect(event).toMatchObject({ queryStringParameters: null, multiValueQueryStringParameters: null });
  });
});

describe("headers of a proxy event", () => {
  const added = ["X-Amzn-Trace-Id", "X-Forwarded-For", "X-Forwarded-Port", "X-Forwarded-Proto"];

  async function headersOf(...headers: Pair[]) {
    const { headers: single, multiValueHeaders: multi } = await eventOf("GET /pets", { headers });
    expect(Object.keys(multi)).toStrictEqual(Object.keys(single));
    return { single, multi };
  }

  it("keeps the case of headers, except three (recorded)", async () => {
    const { single } = await headersOf(
      ["tEsT-HEADeR", "aValUE"],
      ["aUThorization", "Bearer token123;API key456"],
      ["user-agent", "curl/8"],
      ["host", "localhost"],
      ["cookie", "a=1; b=2"],
    );
    expect(Object.keys(single)).toStrictEqual([
      "tEsT-HEADeR",
      "Authorization",
      "User-Agent",
      "Host",
      "cookie",
      ...added,
    ]);
    expect(single).toMatchObject({ "tEsT-HEADeR": "aValUE", Authorization: "Bearer token123;API key456" });
  });

  it("passes the last of repeated header values, and a list of all", async () => {
    const { single, multi } = await headersOf(
      ["X-Tag", "a"],
      ["Accept", "*/*"],
      ["x-tag", "b"],
      ["X-Tag", ""],
    );
    expect(single).toMatchObject({ "X-Tag": "", Accept: "*/*" });
    expect(multi).toMatchObject({ "X-Tag": ["a", "b", ""], Accept: ["*/*"] });
    expect(single).not.toHaveProperty("x-tag");
  });

  it.each([
    "Connection",
    "content-length",
    "Content-MD5",
    "Expect",
    "Max-Forwards",
    "Proxy-Authenticate",
    "Server",
    "te",
    "Transfer-Encoding",
    "Trailer",
    "Upgrade",
    "WWW-Authenticate",
  ])("omits the headers %s (recorded)", async (name) => {
    const { single } = await headersOf([name, "x"]);
    expect(Object.keys(single)).toStrictEqual(added);
  });

  it("passes API Gateway's port and protocol, an extended X-Forwarded-For and the client's trace id", async () => {
    const { single, multi } = await headersOf(
      ["x-forwarded-for", "203.0.113.7, 198.51.100.2"],
      ["x-forwarded-proto", "http"],
      ["X-Forwarded-Port", "80"],
      ["x-amzn-trace-id", "Root=1-5759e988-bd862e3fe1be46a994272793"],
    );
    expect(single).toStrictEqual({
      "X-Amzn-Trace-Id": "Root=1-5759e988-bd862e3fe1be46a994272793",
      "X-Forwarded-For": "203.0.113.7, 198.51.100.2, 127.0.0.1",
      "X-Forwarded-Port": "443",
      "X-Forwarded-Proto": "https",
    });
    expect(multi["X-Forwarded-For"]).toStrictEqual(["203.0.113.7, 198.51.100.2, 127.0.0.1"]);
  });

  it("leaves context values empty without Host and User-Agent", async () => {
    const { requestContext } = await eventOf("GET /pets", { headers: [] });
    expect(requestContext).toMatchObject({ domainName: "", domainPrefix: "", identity: { userAgent: null } });
  });
});

describe("the body of a proxy event", () => {
  const binary = Buffer.from([0xff, 0xfe, 0x00, 0x41]);
  it.each([
    ["JSON", '{"a":"é"}', "application/json"],
    ["text with NUL bytes", "a\0b", "text/plain"],
    ["text without a type", "a=1", undefined],
  ])("passes a body of %s unchanged", async (_, body, type) => {
    const event = await eventOf("POST /pets", {
      body: Buffer.from(body),
      headers: type ? [["content-type", type]] : [],
    });
    expect(event).toMatchObject({ body, isBase64Encoded: false });
  });

  it("replaces bytes of a body that are not UTF-8 with replacement characters", async () => {
    const event = await eventOf("POST /pets", { body: binary, headers: [["Content-Type", "image/png"]] });
    expect(event).toMatchObject({ body: "\uFFFD\uFFFD\0A", isBase64Encoded: false });
  });

  it("sets an empty body to null, regardless of its type", async () => {
    const event = await eventOf("POST /pets", { headers: [["Content-Type", "image/png"]] });
    expect(event).toMatchObject({ body: null, isBase64Encoded: false });
  });
});

describe("the method of a proxy event", () => {
  it.each(["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"])(
    "accepts the method %s behind ANY",
    async (method) => {
      const event = await eventOf(`${method} /hardcoded`);
      expect(event).toMatchObject({ httpMethod: method, requestContext: { httpMethod: method } });
    },
  );

  it("prefers a method's own definition over ANY", async () => {
    const other = resource("Method", "other", {
      HttpMethod: "GET",
      ResourceId: "/pets",
      AuthorizationType: "NONE",
      Integration: { Type: "MOCK" },
    });
    const { send, events } = gateway([...route("ANY /pets"), other]);
    await send("GET /pets");
    await send("PUT /pets");
    expect(events.map(({ httpMethod }) => httpMethod)).toStrictEqual(["PUT"]);
  });

  it.each(["TRACE /hardcoded", "get /hardcoded", "PROPFIND /hardcoded"])(
    "refuses the method %s behind ANY",
    async (line) => {
      const { send, events } = gateway(route("ANY /hardcoded"));
      expect(await send(line)).toMatchObject({ status: 403 });
      expect(events).toStrictEqual([]);
    },
  );
});
