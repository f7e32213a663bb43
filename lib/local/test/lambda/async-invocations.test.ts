import { describe, expect, test } from "vitest";
import { createAsyncInvocations } from "../../src/lambda/async-invocations.ts";
import type { InvokeResult } from "../../src/lambda/invoke.ts";
import { type InvokeConfig, readInvokeConfigs } from "../../src/lambda/invoke-config.ts";
import { attribute, functionArn, queueArn, resourcesOf } from "../cloudformation/stack.ts";
import { testClock } from "../events/test-clock.ts";

const ok: InvokeResult = { payload: "null" };
const threw: InvokeResult = { payload: '{"errorType":"TypeError"}', functionError: "Unhandled" };

function open(
  config: Partial<InvokeConfig>,
  invoke: (event: unknown) => Promise<InvokeResult>,
  { concurrency = 4 } = {},
) {
  const { clock, advance } = testClock();
  const begin = clock.now();
  const ending = new AbortController();
  const tries: { at: number; name: string; event: unknown }[] = [];
  const told: { queue: string; failing: string; message: unknown }[] = [];
  const lines: string[] = [];
  const invokeLater = createAsyncInvocations({
    invoke: (name, event) => {
      tries.push({ at: clock.now() - begin, name, event });
      return invoke(event);
    },
    configOf: () => ({ maximumRetries: 2, maximumAge: 3600_000, onFailure: queueArn("failed"), ...config }),
    queues: { send: (queue, failing, message) => told.push({ queue, failing, message }) },
    clock,
    signal: ending.signal,
    report: (line) => lines.push(line),
    concurrency,
  });
  return { invokeLater, advance, ending, tries, told, lines, times: () => tries.map(({ at }) => at) };
}

test("an event is handled once when that goes well", async () => {
  const { invokeLater, advance, tries, told } = open({}, async () => ok);
  invokeLater(functionArn("deliver"), { n: 1 });
  await advance(60_000);
  expect(tries).toEqual([{ at: 0, name: "deliver", event: { n: 1 } }]);
  expect(told).toEqual([]);
});

test("an event that fails is tried again twice, after a pause that doubles, and then given up", async () => {
  const { invokeLater, advance, times, told, lines } = open({}, async () => threw);
  invokeLater("deliver", { n: 1 });
  await advance(60_000);
  expect(times()).toEqual([0, 1000, 3000]);
  expect(told).toEqual([
    {
      queue: queueArn("failed"),
      failing: "deliver",
      message: {
        version: "1.0",
        timestamp: "2026-01-01T00:00:03.000Z",
        requestContext: {
          requestId: expect.stringMatching(/^[\da-f-]{36}$/),
          functionArn: `${functionArn("deliver")}:$LATEST`,
          condition: "RetriesExhausted",
          approximateInvokeCount: 3,
        },
        requestPayload: { n: 1 },
        responseContext: { statusCode: 200, executedVersion: "$LATEST", functionError: "Unhandled" },
        responsePayload: { errorType: "TypeError" },
      },
    },
  ]);
  expect(lines).toEqual([
    "deliver has not handled an event that nobody waits for, given up for RetriesExhausted",
  ]);
});

test("an event that is handled at the second try is not given up", async () => {
  let tried = 0;
  const { invokeLater, advance, tries, told } = open({}, async () => (++tried === 1 ? threw : ok));
  invokeLater("deliver", {});
  await advance(60_000);
  expect([tries.length, told.length]).toEqual([2, 0]);
});

test.each([0, 1])("with %i retries there are no more", async (maximumRetries) => {
  const { invokeLater, advance, tries, told } = open({ maximumRetries }, async () => threw);
  invokeLater("deliver", {});
  await advance(60_000);
  expect([tries.length, told.length]).toEqual([maximumRetries + 1, 1]);
});

test("a function that cannot be invoked has failed", async () => {
  const { invokeLater, advance, tries, told } = open({}, async () =>
    Promise.reject(new RangeError("too large")),
  );
  invokeLater("deliver", {});
  await advance(60_000);
  expect(tries).toHaveLength(3);
  expect(told).toMatchObject([
    { message: { responsePayload: { errorType: "RangeError", errorMessage: "too large" } } },
  ]);
});

test("without a queue for it, an event that is given up is only told of", async () => {
  const { invokeLater, advance, told, lines } = open({ onFailure: undefined }, async () => threw);
  invokeLater("deliver", {});
  await advance(60_000);
  expect([told.length, lines.length]).toEqual([0, 1]);
});

describe("age", () => {
  test("an event that would be too old at its retry is given up at once", async () => {
    const { invokeLater, advance, tries, told } = open({ maximumAge: 2500 }, async () => threw);
    invokeLater("deliver", {});
    await advance(1000);
    expect(tries).toHaveLength(2);
    expect(told).toMatchObject([
      { message: { requestContext: { condition: "EventAgeExceeded", approximateInvokeCount: 2 } } },
    ]);
  });

  test("an event that has waited too long never reaches the function", async () => {
    const held = Promise.withResolvers<InvokeResult>();
    const { invokeLater, advance, tries, told } = open({ maximumAge: 60_000 }, () => held.promise, {
      concurrency: 1,
    });
    invokeLater("deliver", "held");
    invokeLater("deliver", "waiting");
    await advance(60_000);
    held.resolve(ok);
    await advance();
    expect(tries.map(({ event }) => event)).toEqual(["held"]);
    expect(told).toMatchObject([
      {
        message: {
          requestContext: { condition: "EventAgeExceeded", approximateInvokeCount: 0 },
          requestPayload: "waiting",
        },
      },
    ]);
    expect(told[0]?.message).not.toHaveProperty("responsePayload");
  });
});

describe("concurrency", () => {
  test("is bounded for each function by itself, and keeps the order", async () => {
    const held: PromiseWithResolvers<InvokeResult>[] = [];
    const { invokeLater, advance, tries } = open(
      {},
      () => {
        const each = Promise.withResolvers<InvokeResult>();
        held.push(each);
        return each.promise;
      },
      { concurrency: 2 },
    );
    for (const n of [1, 2, 3, 4]) invokeLater("deliver", n);
    invokeLater("other", "x");
    await advance();
    expect(tries.map(({ event }) => event)).toEqual([1, 2, "x"]);
    held[0]?.resolve(ok);
    await advance();
    expect(tries.map(({ event }) => event)).toEqual([1, 2, "x", 3]);
  });

  test("an event that waits for its retry is in nobody's way", async () => {
    const { invokeLater, advance, tries } = open({}, async (event) => (event === "bad" ? threw : ok), {
      concurrency: 1,
    });
    invokeLater("deliver", "bad");
    invokeLater("deliver", "good");
    await advance(1000);
    expect(tries.map(({ event }) => event)).toEqual(["bad", "good", "bad"]);
  });
});

test("once everything ends, nothing is begun, tried again or given up", async () => {
  const held = Promise.withResolvers<InvokeResult>();
  const { invokeLater, advance, ending, tries, told } = open({ maximumRetries: 0 }, () => held.promise, {
    concurrency: 1,
  });
  invokeLater("deliver", 1);
  invokeLater("deliver", 2);
  await advance();
  ending.abort();
  held.resolve(threw);
  invokeLater("deliver", 3);
  await advance(60_000);
  expect(tries.map(({ event }) => event)).toEqual([1]);
  expect(told).toEqual([]);
});

describe("AWS::Lambda::EventInvokeConfig", () => {
  const stated = {
    DestinationConfig: { OnFailure: { Destination: attribute("Failed", "Arn") } },
    FunctionName: { Ref: "Function" },
    MaximumEventAgeInSeconds: 60,
    MaximumRetryAttempts: 0,
    Qualifier: "$LATEST",
  };

  function read(Properties: Record<string, unknown>) {
    const resources = resourcesOf({
      Function: { Type: "AWS::Lambda::Function", Properties: { FunctionName: "deliver" } },
      Failed: { Type: "AWS::SQS::Queue" },
      Config: { Type: "AWS::Lambda::EventInvokeConfig", Properties },
    });
    return readInvokeConfigs(resources, (name) => name === "deliver", {
      has: (arn) => arn === queueArn("S-Failed"),
    });
  }

  test("is for its function, and the others have what Lambda does by itself", () => {
    const configOf = read(stated);
    expect(configOf("deliver")).toEqual({
      maximumRetries: 0,
      maximumAge: 60_000,
      onFailure: queueArn("S-Failed"),
    });
    expect(configOf("other")).toEqual({ maximumRetries: 2, maximumAge: 21_600_000, onFailure: undefined });
  });

  test("leaves what it does not say as it is in Lambda", () => {
    const configOf = read({ FunctionName: "deliver", Qualifier: "$LATEST" });
    expect(configOf("deliver")).toEqual(configOf("other"));
  });

  test.each<[string, object]>([
    ["MaximumRetryAttempts", { MaximumRetryAttempts: 3 }],
    ["MaximumEventAgeInSeconds", { MaximumEventAgeInSeconds: 59 }],
    ["Qualifier", { Qualifier: "live" }],
    ["DestinationConfig.OnSuccess", { DestinationConfig: { OnSuccess: { Destination: "x" } } }],
    [
      "DestinationConfig.OnFailure.Destination",
      { DestinationConfig: { OnFailure: { Destination: "arn:aws:sns:x" } } },
    ],
    ["FunctionName", { FunctionName: "absent" }],
  ])("%s that is not emulated stops the runner", (property, change) => {
    expect(() => read({ ...stated, ...change })).toThrow(
      `Config (AWS::Lambda::EventInvokeConfig) has something that is not emulated: ${property}`,
    );
  });
});
