import {
  CreateApiKeyCommand,
  DeleteApiKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetApiKeyCommand,
  GetApiKeysCommand,
  GetRestApisCommand,
  GetTagsCommand,
  ImportApiKeysCommand,
  LimitExceededException,
  TooManyRequestsException,
  UpdateApiKeyCommand,
  UpdateUsagePlanCommand,
} from "@aws-sdk/client-api-gateway";
import { beforeEach, describe, expect, it } from "vitest";
import { API_KEYS_PER_ACCOUNT } from "../../src/usage-plans/control-plane/control-plane.ts";
import { key, plan, usage } from "./fixture.ts";
import { failure, servedControlPlane } from "./sdk.ts";

const { send, reset, pass } = servedControlPlane();

const create = () => send(new CreateApiKeyCommand({}));
const list = () => send(new GetApiKeysCommand({ limit: 1 }));
const update = () => send(new UpdateUsagePlanCommand({ usagePlanId: "P" }));
const times = (count: number) => Array.from({ length: count });

/** Counts how many of these consecutive calls succeed. */
async function accepted(count: number, call: (at: number) => Promise<unknown>): Promise<number> {
  const results = [];
  for (const at of times(count).keys()) results.push(await call(at).then(...both));
  return results.filter(Boolean).length;
}

const both = [() => true, () => false] as const;

describe("a throttled control plane", () => {
  const keys = times(12).map((_, at) => key(`key${at}`));
  beforeEach(() => reset(usage(keys, [plan("P")], {}), { throttled: true }));

  it("accepts 5 CreateApiKey calls a second", async () => {
    expect(await accepted(8, create)).toBe(5);
    pass(1_000);
    expect(await accepted(8, create)).toBe(5);
  });

  it("counts DeleteApiKey calls separately, and accepts 5 a second", async () => {
    expect(await accepted(5, create)).toBe(5);
    expect(await accepted(8, (at) => send(new DeleteApiKeyCommand({ apiKey: `key${at}` })))).toBe(5);
  });

  it("accepts one UpdateUsagePlan call in 20 s, and returns the time until a retry", async () => {
    await update();
    pass(7_500);
    const refused = await update().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TooManyRequestsException);
    expect(refused).toMatchObject({ retryAfterSeconds: "13", $metadata: { httpStatusCode: 429 } });
    pass(12_500);
    await update();
  });

  it("accepts 40 calls in total, and then 10 a second", async () => {
    expect(await accepted(45, list)).toBe(40);
    pass(500);
    expect(await accepted(8, list)).toBe(5);
  });

  it("ignores calls in the total that the operation's own quota refuses", async () => {
    expect(await accepted(20, create)).toBe(5);
    expect(await accepted(45, list)).toBe(35);
  });
});

describe("a control plane", () => {
  it("throttles nothing by default", async () => {
    reset(usage([], [plan("P")], {}));
    expect(await accepted(60, create)).toBe(60);
    expect(await accepted(3, update)).toBe(3);
  });

  it("refuses keys beyond the account's quota", async () => {
    const keys = times(API_KEYS_PER_ACCOUNT - 1).map((_, at) => key(`key${at}`));
    reset(usage(keys, [], {}), { maxKeys: API_KEYS_PER_ACCOUNT });
    await create();
    await expect(create()).rejects.toBeInstanceOf(LimitExceededException);
    await send(new DeleteApiKeyCommand({ apiKey: "key0" }));
    await create();
  });

  it.each<[call: string, command: () => Promise<unknown>]>([
    ["GET /restapis", () => send(new GetRestApisCommand({}))],
    ["GET /apikeys/a", () => send(new GetApiKeyCommand({ apiKey: "a" }))],
    ["PATCH /apikeys/a", () => send(new UpdateApiKeyCommand({ apiKey: "a" }))],
    [
      "DELETE /usageplans/P/keys/a",
      () => send(new DeleteUsagePlanKeyCommand({ usagePlanId: "P", keyId: "a" })),
    ],
    ["GET /tags/arn", () => send(new GetTagsCommand({ resourceArn: "arn" }))],
  ])("refuses %s by name", async (call, command) => {
    reset(usage([key("a")], [plan("P")], { P: ["a"] }));
    await expect(command()).rejects.toThrow(`${call} is not emulated`);
  });

  it("distinguishes an import of keys from the creation of one", async () => {
    reset();
    const csv = Buffer.from('{"name":"x"}');
    expect(await failure(send(new ImportApiKeysCommand({ body: csv, format: "csv" })))).toBe(
      "BadRequestException: format is not emulated",
    );
  });
});
