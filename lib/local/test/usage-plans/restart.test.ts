import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  CreateApiKeyCommand,
  CreateUsagePlanCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  GetApiKeyCommand,
  GetApiKeysCommand,
  GetUsagePlanCommand,
  GetUsagePlanKeysCommand,
  UpdateApiKeyCommand,
  UpdateUsagePlanCommand,
} from "@aws-sdk/client-api-gateway";
import { beforeEach, describe, expect, test } from "vitest";
import type { ResolvedResource } from "../../src/cloudformation/resource.ts";
import { fileStore, type Store } from "../../src/storage/store.ts";
import { createUsage } from "../../src/usage-plans/usage.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { START, secretOf } from "./fixture.ts";
import { servedControlPlane } from "./sdk.ts";

const { send, serve } = servedControlPlane();

const resource = (type: string, logicalId: string, properties: Record<string, unknown> = {}) => ({
  logicalId,
  type: `AWS::ApiGateway::${type}`,
  properties,
});
const stage = resource("Stage", "Stage", { RestApiId: "Api", StageName: "live" });
const ApiStages = [{ ApiId: "Api", Stage: "live" }];
const plan = (id: string) =>
  resource("UsagePlan", id, { ApiStages, Throttle: { RateLimit: 1, BurstLimit: 2 } });
const generated = resource("ApiKey", "Generated", { Enabled: true });
const template = [stage, plan("Standard"), plan("Pro"), generated];

let folder: string;
let lines: string[];
let now: number;

beforeEach(() => {
  folder = temporaryFolder();
  lines = [];
  now = START;
});

/** Starts, or starts again, with a template. */
function start(resources: readonly ResolvedResource[] = template, store: Store = fileStore(folder)) {
  now += 60_000;
  const usage = createUsage(resources, { store, report: (line) => lines.push(line), now: () => now });
  serve(usage.controlPlane);
  return (apiKey: string) => {
    return usage.plans.admit({ apiId: "Api", stage: "live", method: "/pets/GET", apiKey: { value: apiKey } });
  };
}

const create = async (value: string) =>
  (await send(new CreateApiKeyCommand({ value, enabled: true }))).id ?? "";
const attach = (usagePlanId: string, keyId: string) =>
  send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: "API_KEY" }));
const keysOf = async (usagePlanId: string) => {
  const { items = [] } = await send(new GetUsagePlanKeysCommand({ usagePlanId }));
  return items.map(({ id }) => id);
};

describe("a restart keeps", () => {
  test("keys and plans that programs have made, and which key is in which plan", async () => {
    start();
    const [alice, bob] = [await create(secretOf("alice")), await create(secretOf("bob"))];
    const custom = await send(
      new CreateUsagePlanCommand({ name: "Custom", apiStages: [{ apiId: "Api", stage: "live" }] }),
    );
    await attach("Standard", alice);
    await attach(custom.id ?? "", bob);
    const before = await send(new GetApiKeysCommand({ includeValues: true }));

    const admit = start();
    expect((await send(new GetApiKeysCommand({ includeValues: true }))).items).toEqual(before.items);
    expect(await send(new GetUsagePlanCommand({ usagePlanId: custom.id }))).toMatchObject({
      name: "Custom",
      apiStages: [{ apiId: "Api", stage: "live" }],
    });
    expect([await keysOf("Standard"), await keysOf(custom.id ?? "")]).toEqual([[alice], [bob]]);
    expect([alice, bob].map((id, at) => [id, admit(secretOf(["alice", "bob"][at] ?? ""))])).toEqual([
      [alice, { admitted: true, apiKeyId: alice }],
      [bob, { admitted: true, apiKeyId: bob }],
    ]);
    expect(lines).toEqual([]);
  });

  test("the value that was generated for a key of the template, and when it was made", async () => {
    const read = () => send(new GetApiKeyCommand({ apiKey: "Generated", includeValue: true }));
    start();
    const { value, createdDate } = await read();
    expect(value).toMatch(/^[0-9A-Za-z]{40}$/);
    start();
    expect(await read()).toMatchObject({ value, createdDate });
  });

  test("what is left after something was deleted", async () => {
    start();
    const alice = await create(secretOf("alice"));
    await attach("Standard", alice);
    await send(new DeleteApiKeyCommand({ apiKey: alice }));
    start();
    expect(await keysOf("Standard")).toEqual([]);
    expect((await send(new GetApiKeysCommand({}))).items).toMatchObject([{ id: "Generated" }]);
  });
});

test("what programs have changed of the template's own is as the template has it again", async () => {
  start();
  await send(
    new UpdateUsagePlanCommand({
      usagePlanId: "Pro",
      patchOperations: [{ op: "replace", path: "/throttle/rateLimit", value: "7" }],
    }),
  );
  const disable = [{ op: "replace" as const, path: "/enabled", value: "false" }];
  await send(new UpdateApiKeyCommand({ apiKey: "Generated", patchOperations: disable }));
  start();
  expect(await send(new GetUsagePlanCommand({ usagePlanId: "Pro" }))).toMatchObject({
    throttle: { rateLimit: 1, burstLimit: 2 },
  });
  expect(await send(new GetApiKeyCommand({ apiKey: "Generated" }))).toMatchObject({ enabled: true });
});

describe("what has no place any more is dropped, and told", () => {
  test("a key's membership of a plan that is gone, though not the key", async () => {
    start();
    const alice = await create(secretOf("alice"));
    await attach("Pro", alice);
    const admit = start([stage, plan("Standard"), generated]);
    expect(lines).toEqual([`the API key ${alice} is no longer in the usage plan Pro, which is gone`]);
    expect(admit(secretOf("alice"))).toMatchObject({ refusal: "INVALID_API_KEY" });
    await attach("Standard", alice);
    start([stage, plan("Standard")]);
    expect(await keysOf("Standard")).toEqual([alice]);
    expect(lines).toHaveLength(1);
  });

  test("a stage that is gone from a plan that a program has made", async () => {
    start();
    const apiStages = [{ apiId: "Api", stage: "live" }];
    const { id } = await send(new CreateUsagePlanCommand({ name: "Custom", apiStages }));
    start([]);
    expect(lines).toEqual([`the usage plan ${id} is no longer of Api:live, which is gone`]);
    expect(await send(new GetUsagePlanCommand({ usagePlanId: id }))).toMatchObject({ apiStages: [] });
  });

  test("a key whose value the template gives to its own, and its membership", async () => {
    start();
    const alice = await create(secretOf("alice"));
    await attach("Pro", alice);
    start([...template, resource("ApiKey", "Own", { Value: secretOf("alice") })]);
    expect(lines).toEqual([
      `the API key ${alice} is gone, as the template has one of its value`,
      `the API key ${alice} is no longer in the usage plan Pro, as there is no such key`,
    ]);
  });

  test("a membership beside the template's of the same stage", async () => {
    start();
    await attach("Pro", "Generated");
    const inStandard = { KeyId: "Generated", UsagePlanId: "Standard", KeyType: "API_KEY" };
    start([...template, resource("UsagePlanKey", "Member", inStandard)]);
    expect([await keysOf("Standard"), await keysOf("Pro")]).toEqual([["Generated"], []]);
    expect(lines).toEqual([
      "the API key Generated is no longer in the usage plan Pro, as it is in another of Api:live",
    ]);
    lines = [];
    const inPro = { KeyId: "Generated", UsagePlanId: "Pro", KeyType: "API_KEY" };
    start([...template, resource("UsagePlanKey", "Member", inPro)]);
    expect([await keysOf("Standard"), await keysOf("Pro")]).toEqual([[], ["Generated"]]);
  });
});

test("what cannot be saved did not happen", async () => {
  let full = false;
  const store = fileStore(folder);
  const fragile: Store = {
    load: store.load,
    save: (...what) => {
      if (full) throw new Error("disk full");
      store.save(...what);
    },
  };
  const usage = createUsage(template, { store: fragile, report: () => {}, now: () => now });
  full = true;
  const body = Buffer.from('{"name":"x"}');
  const request = { method: "POST", target: "/apikeys", headers: [], body, sourceIp: "127.0.0.1" };
  await expect(usage.controlPlane(request)).rejects.toThrow("disk full");
  serve(usage.controlPlane);
  expect((await send(new GetApiKeysCommand({}))).items).toHaveLength(1);
});

test("nothing is kept of nothing", () => {
  start([stage]);
  expect(existsSync(join(folder, "usage.json"))).toBe(false);
});
