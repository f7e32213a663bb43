import { describe, expect, it } from "vitest";
import { createAsyncInvocations } from "../../src/lambda/async-invocations.ts";
import type { InvokeResult } from "../../src/lambda/invoke.ts";
import { type InvokeConfig, readInvokeConfigs } from "../../src/lambda/invoke-config.ts";
import { functionArn, resourcesOf } from "../cloudformation/stack.ts";
import { testClock } from "../fixtures/clock.ts";

const ok: InvokeResult = { payload: "null" };
const threw: InvokeResult = { payload: '{"errorType":"TypeError"}', functionError: "Unhandled" };

const exhausted = "deliver did not handle an asynchronous event; giving up: RetriesExhausted";
const tooOld = "deliver did not handle an asynchronous event; giving up: EventAgeExceeded";

function open(
  config: Partial<InvokeConfig>,
  invoke: (event: unknown) => Promise<InvokeResult>,
  { concurrency = 4, queueMs = 0 } = {},
) {
  const { clock, advance } = testClock();
  const begin = clock.now();
  const ending = new AbortController();
  const tries: { at: number; name: string; event: unknown }[] = [];
  const lines: string[] = [];
  const invokeLater = createAsyncInvocations({
    invoke: (name, event) => {
      tries.push({ at: clock.now() - begin, name, event });
      return invoke(event);
    },
    configOf: () => ({ maximumRetries: 2, maximumAgeMs: 3600_000, ...config }),
    clock,
    signal: ending.signal,
    report: (line) => lines.push(line),
    concurrency,
    queueMs,
  });
  return { invokeLater, advance, ending, tries, lines, times: () => tries.map(({ at }) => at) };
}

describe("an asynchronous event", () => {
  it("handles a successful event only once", async () => {
    const { invokeLater, advance, tries, lines } = open({}, async () => ok);
    invokeLater(functionArn("deliver"), { n: 1 });
    await advance(60_000);
    expect(tries).toEqual([{ at: 0, name: "deliver", event: { n: 1 } }]);
    expect(lines).toEqual([]);
  });

  it("delays an event only before its first attempt", async () => {
    const { invokeLater, advance, times } = open({}, async () => threw, { queueMs: 30 });
    invokeLater("deliver", {});
    await advance(60_000);
    expect(times()).toEqual([30, 1030, 3030]);
  });

  it("retries an event twice after growing pauses, then gives it up", async () => {
    const { invokeLater, advance, times, lines } = open({}, async () => threw);
    invokeLater("deliver", { n: 1 });
    await advance(60_000);
    expect(times()).toEqual([0, 1000, 3000]);
    expect(lines).toEqual([exhausted]);
  });

  it("keeps an event if a retry succeeds", async () => {
    let tried = 0;
    const { invokeLater, advance, tries, lines } = open({}, async () => (++tried === 1 ? threw : ok));
    invokeLater("deliver", {});
    await advance(60_000);
    expect([tries.length, lines.length]).toEqual([2, 0]);
  });

  it.each([0, 1])("retries an event %i times if configured", async (maximumRetries) => {
    const { invokeLater, advance, tries, lines } = open({ maximumRetries }, async () => threw);
    invokeLater("deliver", {});
    await advance(60_000);
    expect([tries.length, lines]).toEqual([maximumRetries + 1, [exhausted]]);
  });

  it("retries an event also if the function cannot be invoked", async () => {
    const { invokeLater, advance, tries, lines } = open({}, () => Promise.reject(new Error()));
    invokeLater("deliver", {});
    await advance(60_000);
    expect([tries.length, lines]).toEqual([3, [exhausted]]);
  });

  it("gives an event up at once if it would be too old for its retry", async () => {
    const { invokeLater, advance, tries, lines } = open({ maximumAgeMs: 2500 }, async () => threw);
    invokeLater("deliver", {});
    await advance(1000);
    expect([tries.length, lines]).toEqual([2, [tooOld]]);
  });

  it("never invokes the function with an event that has waited too long", async () => {
    const held = Promise.withResolvers<InvokeResult>();
    const { invokeLater, advance, tries, lines } = open({ maximumAgeMs: 60_000 }, () => held.promise, {
      concurrency: 1,
    });
    invokeLater("deliver", "held");
    invokeLater("deliver", "waiting");
    await advance(60_000);
    held.resolve(ok);
    await advance();
    expect(tries.map(({ event }) => event)).toEqual(["held"]);
    expect(lines).toEqual([tooOld]);
  });

  it("queues events in order while their function is busy", async () => {
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

  it("lets other events run during the pause before a retry", async () => {
    const { invokeLater, advance, tries } = open({}, async (event) => (event === "bad" ? threw : ok), {
      concurrency: 1,
    });
    invokeLater("deliver", "bad");
    invokeLater("deliver", "good");
    await advance(1000);
    expect(tries.map(({ event }) => event)).toEqual(["bad", "good", "bad"]);
  });

  it("starts, retries and gives up no event once the signal is aborted", async () => {
    const held = Promise.withResolvers<InvokeResult>();
    const { invokeLater, advance, ending, tries, lines } = open({ maximumRetries: 0 }, () => held.promise, {
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
    expect(lines).toEqual([]);
  });
});

describe("readInvokeConfigs", () => {
  const stated = {
    FunctionName: { Ref: "Function" },
    MaximumEventAgeInSeconds: 60,
    MaximumRetryAttempts: 0,
    Qualifier: "$LATEST",
  };

  function read(Properties: Record<string, unknown>) {
    const resources = resourcesOf({
      Function: { Type: "AWS::Lambda::Function", Properties: { FunctionName: "deliver" } },
      Config: { Type: "AWS::Lambda::EventInvokeConfig", Properties },
    });
    return readInvokeConfigs(resources, (name) => name === "deliver");
  }

  it("returns the function's configuration, and Lambda's defaults for other functions", () => {
    const configOf = read(stated);
    expect(configOf("deliver")).toEqual({ maximumRetries: 0, maximumAgeMs: 60_000 });
    expect(configOf("other")).toEqual({ maximumRetries: 2, maximumAgeMs: 21_600_000 });
  });

  it("fills in Lambda's defaults", () => {
    const configOf = read({ FunctionName: "deliver", Qualifier: "$LATEST" });
    expect(configOf("deliver")).toEqual(configOf("other"));
  });

  it.each<[string, object]>([
    ["MaximumRetryAttempts", { MaximumRetryAttempts: 3 }],
    ["MaximumEventAgeInSeconds", { MaximumEventAgeInSeconds: 59 }],
    ["Qualifier", { Qualifier: "live" }],
    ["DestinationConfig", { DestinationConfig: { OnFailure: { Destination: "x" } } }],
    ["FunctionName", { FunctionName: "absent" }],
  ])("rejects a value of %s that is not emulated", (property, change) => {
    expect(() => read({ ...stated, ...change })).toThrow(
      `Config (AWS::Lambda::EventInvokeConfig) has something that is not emulated: ${property}`,
    );
  });
});
