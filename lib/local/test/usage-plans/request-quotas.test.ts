import {
  CreateApiKeyCommand,
  DeleteApiKeyCommand,
  GetApiKeysCommand,
  GetRestApisCommand,
  ImportApiKeysCommand,
  LimitExceededException,
  TooManyRequestsException,
  UpdateUsagePlanCommand,
} from "@aws-sdk/client-api-gateway";
import { beforeEach, describe, expect, test } from "vitest";
import { API_KEYS_PER_ACCOUNT } from "../../src/usage-plans/control-plane/control-plane.ts";
import { key, plan, usage } from "./fixture.ts";
import { failure, servedControlPlane } from "./sdk.ts";

const { send, reset, pass } = servedControlPlane();

const create = () => send(new CreateApiKeyCommand({}));
const list = () => send(new GetApiKeysCommand({ limit: 1 }));
const update = () => send(new UpdateUsagePlanCommand({ usagePlanId: "P" }));
const times = (count: number) => Array.from({ length: count });

/** How many of so many calls in a row succeed. */
async function accepted(count: number, call: (at: number) => Promise<unknown>): Promise<number> {
  const results = [];
  for (const at of times(count).keys()) results.push(await call(at).then(...both));
  return results.filter(Boolean).length;
}

const both = [() => true, () => false] as const;

describe("throttled as AWS throttles an account", () => {
  const keys = times(12).map((_, at) => key(`key${at}`));
  beforeEach(() => reset(usage(keys, [plan("P")], {}), { throttled: true }));

  test("CreateApiKey is 5 a second", async () => {
    expect(await accepted(8, create)).toBe(5);
    pass(1_000);
    expect(await accepted(8, create)).toBe(5);
  });

  test("DeleteApiKey is 5 a second, beside CreateApiKey", async () => {
    expect(await accepted(5, create)).toBe(5);
    expect(await accepted(8, (at) => send(new DeleteApiKeyCommand({ apiKey: `key${at}` })))).toBe(5);
  });

  test("UpdateUsagePlan is one in 20 s, and the answer says when to come back", async () => {
    await update();
    pass(7_500);
    const refused = await update().catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(TooManyRequestsException);
    expect(refused).toMatchObject({ retryAfterSeconds: "13", $metadata: { httpStatusCode: 429 } });
    pass(12_500);
    await update();
  });

  test("all together are 10 a second after 40", async () => {
    expect(await accepted(45, list)).toBe(40);
    pass(500);
    expect(await accepted(8, list)).toBe(5);
  });

  test("what an operation's own quota refuses is not counted with the rest", async () => {
    expect(await accepted(20, create)).toBe(5);
    expect(await accepted(45, list)).toBe(35);
  });
});

test("without that nothing is throttled", async () => {
  reset(usage([], [plan("P")], {}));
  expect(await accepted(60, create)).toBe(60);
  expect(await accepted(3, update)).toBe(3);
});

test("an account has no more keys than it may", async () => {
  const keys = times(API_KEYS_PER_ACCOUNT - 1).map((_, at) => key(`key${at}`));
  reset(usage(keys, [], {}), { maxKeys: API_KEYS_PER_ACCOUNT });
  await create();
  await expect(create()).rejects.toBeInstanceOf(LimitExceededException);
  await send(new DeleteApiKeyCommand({ apiKey: "key0" }));
  await create();
});

describe("everything else of API Gateway's API", () => {
  test("is refused by name", async () => {
    await expect(send(new GetRestApisCommand({}))).rejects.toThrow("GET /restapis is not emulated");
  });

  test("is not taken for something that it is not", async () => {
    reset();
    const csv = Buffer.from('{"name":"x"}');
    expect(await failure(send(new ImportApiKeysCommand({ body: csv, format: "csv" })))).toBe(
      "BadRequestException: format is not emulated",
    );
  });
});
