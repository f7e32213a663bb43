import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, expect, it, vi } from "vitest";

const lambda = mockClient(LambdaClient);
const events = () =>
  lambda.commandCalls(InvokeCommand).map(({ args }) => JSON.parse(String(args[0].input.Payload)));

let loads = 0;

/** Loads the module again, as in a process that started for this reason. */
function loadedFor(reason: string): Promise<typeof import("../../lib/runtime/start-execution.ts")> {
  loads++;
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("EXECUTE_ORDERS_FUNCTION", "executeOrders");
  vi.stubEnv("AWS_LAMBDA_INITIALIZATION_TYPE", reason);
  return import(`../../lib/runtime/start-execution.ts?load=${loads}`);
}

beforeEach(() => lambda.reset());
afterEach(() => vi.unstubAllEnvs());

it("announces an order while it loads for a request, and the next one once executeOrders has started", async () => {
  const { promise, resolve } = Promise.withResolvers<object>();
  lambda
    .on(InvokeCommand)
    .resolvesOnce(promise as never)
    .resolves({});
  const { announceOrder } = await loadedFor("on-demand");
  expect(events()).toEqual([{ prepare: "any" }]);
  announceOrder("eth");
  expect(events()).toHaveLength(1);
  resolve({});
  await vi.waitFor(() => {
    announceOrder("sol");
    expect(events().at(-1)).toEqual({ prepare: "sol" });
  });
});

it("announces later orders after a throttled announcement", async () => {
  lambda.on(InvokeCommand).rejects(new Error("throttled"));
  const { announceOrder } = await loadedFor("on-demand");
  await vi.waitFor(() => {
    announceOrder("eth");
    expect(events()).toContainEqual({ prepare: "eth" });
  });
  expect(events()[0]).toEqual({ prepare: "any" });
});

it("announces nothing in a process that waits for requests", async () => {
  const { announceOrder } = await loadedFor("provisioned-concurrency");
  expect(events()).toEqual([]);
  announceOrder("eth");
  expect(events()).toEqual([{ prepare: "eth" }]);
});
