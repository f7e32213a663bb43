import { describe, expect, it } from "vitest";
import { EventTooLargeError } from "../../src/lambda/invoke.ts";
import { functionArn, gateway, readable, route, throwing } from "./fixture.ts";

const json = { "Content-Type": "application/json" };
const ids = {
  "x-amzn-RequestId": "00112233-4455-6677-8899-aabbccddeeff",
  "x-amz-apigw-id": "ABEiM0RVZneImao=",
};
const trace = { "X-Amzn-Trace-Id": "Root=1-6b0160d8-00112233445566778899aabb" };

async function answerTo(answer: unknown) {
  const { send, reports } = gateway(route("GET /pets"), { function: answer });
  return { ...readable(await send("GET /pets")), reports };
}

describe("a function's answer", () => {
  // Starts with thirteen recorded answers of AWS.
  it.each<[answer: unknown, status: number, headers: object, body: string]>([
    [{ statusCode: 200 }, 200, json, ""],
    [{}, 200, json, ""],
    [{ headers: { "test-header": "value" } }, 200, { ...json, "test-header": "value" }, ""],
    [{ statusCode: 200, headers: { "header-bool": true } }, 200, { ...json, "header-bool": "true" }, ""],
    [{ statusCode: 200, headers: null }, 200, json, ""],
    [{ statusCode: "201" }, 201, json, ""],
    [{ body: "dGVzdC1kYXRh", isBase64Encoded: true }, 200, json, "dGVzdC1kYXRh"],
    [{ body: "dGVzdC1kYXRh" }, 200, json, "dGVzdC1kYXRh"],
    [{ multiValueHeaders: { "x-multi": ["v1", "v2"] } }, 200, { ...json, "x-multi": ["v1", "v2"] }, ""],
    [
      { multiValueHeaders: { "x-multi": ["multi"] }, headers: { "x-multi": "solo" } },
      200,
      { ...json, "x-multi": ["multi", "solo"] },
      "",
    ],
    [
      { multiValueHeaders: { "x-Multi": ["multi"] }, headers: { "X-multi": "solo" } },
      200,
      { ...json, "x-Multi": ["multi", "solo"] },
      "",
    ],
    [
      { headers: { connection: "x", "CONTENT-LENGTH": "9", Date: "today", server: "me" } },
      200,
      {
        ...json,
        "x-amzn-Remapped-Connection": "x",
        "x-amzn-Remapped-Content-Length": "9",
        "x-amzn-Remapped-Date": "today",
        "x-amzn-Remapped-Server": "me",
      },
      "",
    ],
    [{ headers: { "transfer-encoding": "chunked" } }, 200, json, ""],
    [
      { multiValueHeaders: { "x-multi": ["a", "b"] }, headers: { "x-multi": "b" } },
      200,
      { ...json, "x-multi": ["a", "b"] },
      "",
    ],
    [
      { headers: { "content-type": "text/plain" }, body: "é\0" },
      200,
      { "content-type": "text/plain" },
      "é\0",
    ],
    [{ headers: { "Retry-After": 60 } }, 200, { ...json, "Retry-After": "60" }, ""],
    [{ headers: { "X-Name": "Zoë 🐈" } }, 200, { ...json, "X-Name": "Zoë 🐈" }, ""],
    [
      { multiValueHeaders: { "Set-Cookie": ["a=1", "b=2"] } },
      200,
      { ...json, "Set-Cookie": ["a=1", "b=2"] },
      "",
    ],
    [{ multiValueHeaders: { "X-None": [] } }, 200, json, ""],
    [{ statusCode: null, multiValueHeaders: null, body: null, isBase64Encoded: null }, 200, json, ""],
    [{ statusCode: 599, body: "" }, 599, json, ""],
  ])(
    "converts the function's answer %j to a response with status %d",
    async (answer, status, headers, body) => {
      expect(await answerTo(answer)).toStrictEqual({
        status,
        headers: { ...headers, ...ids, ...trace },
        body,
        reports: [],
      });
    },
  );

  // Starts with six recorded answers of AWS.
  it.each<[answer: unknown, where: string]>([
    [{ statusCode: 200, wrongValue: "value" }, "wrongValue"],
    [{ statusCode: "test" }, "statusCode"],
    ["justAString", "its top"],
    [{ multiValueHeaders: { "x-multi": "value" } }, "multiValueHeaders.x-multi"],
    [{ headers: "x" }, "headers"],
    [{ headers: ["x"] }, "headers"],
    [null, "its top"],
    [[], "its top"],
    [{ statusCode: 200.5 }, "statusCode"],
    [{ statusCode: 101 }, "statusCode"],
    [{ statusCode: 600 }, "statusCode"],
    [{ statusCode: true }, "statusCode"],
    [{ body: { a: 1 } }, "body"],
    [{ body: 1 }, "body"],
    [{ isBase64Encoded: "true" }, "isBase64Encoded"],
    [{ headers: { a: { b: 1 } } }, "headers.a"],
    [{ headers: { a: null } }, "headers.a"],
    [{ headers: { a: "b\r\nSet-Cookie: stolen" } }, "the value of a"],
    [{ headers: { "a b": "c" } }, "headers.a b"],
    [{ statusCode: 200, cookies: ["a=1"] }, "cookies"],
    [() => ({ payload: "not JSON" }), "its top"],
    [() => ({ payload: "" }), "its top"],
  ])(
    "answers with a 502 without a reason if the function's answer is malformed: %j",
    async (answer, where) => {
      expect(await answerTo(answer)).toStrictEqual({
        status: 502,
        headers: { ...json, "x-amzn-ErrorType": "InternalServerErrorException", ...ids },
        body: '{"message": "Internal server error"}',
        reports: [`GET /pets: the function's answer is malformed at ${where}`],
      });
    },
  );

  it("answers with a 502 without a message if the function throws", async () => {
    const answer = await answerTo(throwing("the key is 0xdeadbeef"));
    expect(answer).toMatchObject({
      status: 502,
      body: '{"message": "Internal server error"}',
      reports: ["GET /pets: the function failed"],
    });
    expect(JSON.stringify(answer)).not.toContain("0xdeadbeef");
  });

  it("passes a body on as text even in base64, since there are no binary media types", async () => {
    expect(await answerTo({ body: "iVBORw==", isBase64Encoded: true })).toMatchObject({ body: "iVBORw==" });
  });
});

describe("invocations of a function by API Gateway", () => {
  it("answers with a 504 at the integration's timeout and drops the late result", async () => {
    const late = Promise.withResolvers<never>();
    const { send } = gateway(
      route("GET /pets", {
        Integration: {
          Type: "AWS_PROXY",
          IntegrationHttpMethod: "POST",
          Uri: `arn:aws:apigateway:us-east-1:lambda:path/2015-03-31/functions/${functionArn}/invocations`,
          TimeoutInMillis: 50,
        },
      }),
      { function: () => late.promise },
    );
    expect(readable(await send("GET /pets"))).toStrictEqual({
      status: 504,
      headers: { ...json, "x-amzn-ErrorType": "InternalServerErrorException", ...ids },
      body: '{"message": "Endpoint request timed out"}',
    });
    late.reject(new Error("too late for anyone"));
  });

  it("leaves no timer behind if the function answers in time", async () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === "Timeout").length;
    const { send } = gateway(route("GET /pets"));
    const before = timers();
    await send("GET /pets");
    expect(timers()).toBe(before);
  });

  it("answers with a 500 if the function is unknown", async () => {
    const { send, reports } = gateway(route("GET /pets"), {
      function: () => Promise.reject(new Error("no such function")),
    });
    expect(await send("GET /pets")).toMatchObject({ status: 500 });
    expect(reports).toStrictEqual([
      `GET /pets: ${functionArn} could not be invoked: Error: no such function`,
    ]);
  });

  it("answers with a 413 if the event is too large for Lambda", async () => {
    const { send } = gateway(route("GET /pets"), {
      function: () => Promise.reject(new EventTooLargeError()),
    });
    expect(readable(await send("GET /pets"))).toMatchObject({
      status: 413,
      headers: { "x-amzn-ErrorType": "RequestTooLargeException" },
      body: '{"message":"Request Too Long"}',
    });
  });

  it("answers with a 500 and does not run the function without permission", async () => {
    const asked: string[][] = [];
    const { send, events, reports } = gateway(
      route("GET /pets/{id}"),
      {},
      {
        mayInvoke: (...pair) => {
          asked.push(pair);
          return false;
        },
      },
    );
    expect(readable(await send("GET /pets/7"))).toStrictEqual({
      status: 500,
      headers: { ...json, "x-amzn-ErrorType": "InternalServerErrorException", ...ids },
      body: '{"message": "Internal server error"}',
    });
    const source = "arn:aws:execute-api:us-east-1:000000000000:Api/v1/GET/pets/{id}";
    expect(asked).toStrictEqual([[functionArn, source]]);
    expect(events).toStrictEqual([]);
    expect(reports).toStrictEqual([`GET /pets/{id}: ${source} has no permission to invoke ${functionArn}`]);
  });
});

describe("the trace id of a request", () => {
  it("repeats the client's trace id in the answer", async () => {
    const { send } = gateway(route("GET /pets"));
    const answer = await send("GET /pets", { headers: [["x-amzn-trace-id", "Root=1-1-1"]] });
    expect(readable(answer).headers).toMatchObject({ "X-Amzn-Trace-Id": "Root=1-1-1" });
  });
});
