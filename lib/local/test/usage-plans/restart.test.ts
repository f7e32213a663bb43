import { existsSync } from "node:fs";
import { join } from "node:path";
import {
  CreateApiKeyCommand,
  CreateUsagePlanCommand,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  GetApiKeysCommand,
  GetUsagePlanCommand,
  GetUsagePlanKeyCommand,
  GetUsagePlanKeysCommand,
  UpdateUsagePlanCommand,
} from "@aws-sdk/client-api-gateway";
import { beforeEach, describe, expect, it } from "vitest";
import type { ResolvedResource } from "../../src/cloudformation/resource.ts";
import { fileStore, type Store } from "../../src/storage/store.ts";
import { createUsage } from "../../src/usage-plans/usage.ts";
import { temporaryFolder } from "../fixtures/folder.ts";
import { START, secretOf } from "./fixture.ts";
import { failure, servedControlPlane } from "./sdk.ts";

const { send, serve } = servedControlPlane();

const resource = (type: string, logicalId: string, properties: Record<string, unknown> = {}) => ({
  logicalId,
  type: `AWS::ApiGateway::${type}`,
  properties,
});
const stage = resource("Stage", "Stage", { RestApiId: "Api", StageName: "live" });
const ApiStages = [{ ApiId: "Api", Stage: "live" }];
const apiStages = [{ apiId: "Api", stage: "live" }];
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

/** Starts or restarts with a template. */
function start(resources: readonly ResolvedResource[] = template, store: Store = fileStore(folder)) {
  now += 60_000;
  const usage = createUsage(resources, { store, report: (line) => lines.push(line), now: () => now });
  serve(usage.controlPlane);
  return (apiKey: string) => usage.plans.admit({ apiId: "Api", stage: "live", apiKey: { value: apiKey } });
}

const create = async (value: string) =>
  (await send(new CreateApiKeyCommand({ value, enabled: true }))).id ?? "";
const attach = (usagePlanId: string, keyId: string) =>
  send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType: "API_KEY" }));
const keysOf = async (usagePlanId: string) => {
  const { items = [] } = await send(new GetUsagePlanKeysCommand({ usagePlanId }));
  return items.map(({ id }) => id);
};

describe("a restart with stored keys and plans", () => {
  it("keeps keys, plans and memberships that programs created", async () => {
    start();
    const [alice, bob] = [await create(secretOf("alice")), await create(secretOf("bob"))];
    const custom = await send(new CreateUsagePlanCommand({ name: "Custom", apiStages }));
    await attach("Standard", alice);
    await attach(custom.id ?? "", bob);
    const before = await send(new GetApiKeysCommand({}));

    const admit = start();
    expect((await send(new GetApiKeysCommand({}))).items).toEqual(before.items);
    expect(await send(new GetUsagePlanCommand({ usagePlanId: custom.id }))).toMatchObject({
      name: "Custom",
      apiStages,
    });
    expect([await keysOf("Standard"), await keysOf(custom.id ?? "")]).toEqual([[alice], [bob]]);
    expect(["alice", "bob"].map((name) => admit(secretOf(name)))).toEqual([
      { admitted: true },
      { admitted: true },
    ]);
    expect(lines).toEqual([]);
  });

  it("keeps the generated value and creation date of a template's key", async () => {
    const read = async () => {
      const { value } = await send(
        new GetUsagePlanKeyCommand({ usagePlanId: "Standard", keyId: "Generated" }),
      );
      const { items = [] } = await send(new GetApiKeysCommand({}));
      return { value, createdDate: items[0]?.createdDate };
    };
    start();
    await attach("Standard", "Generated");
    const before = await read();
    expect(before.value).toMatch(/^[0-9A-Za-z]{40}$/);
    expect(before.createdDate).toEqual(new Date(now));
    start();
    expect(await read()).toEqual(before);
  });

  it("restores no deleted key", async () => {
    start();
    const alice = await create(secretOf("alice"));
    await attach("Standard", alice);
    await send(new DeleteApiKeyCommand({ apiKey: alice }));
    start();
    expect(await keysOf("Standard")).toEqual([]);
    expect((await send(new GetApiKeysCommand({}))).items).toMatchObject([{ id: "Generated" }]);
  });

  it("undoes a program's changes to a template's plan", async () => {
    start();
    await send(
      new UpdateUsagePlanCommand({
        usagePlanId: "Pro",
        patchOperations: [{ op: "replace", path: "/throttle/rateLimit", value: "7" }],
      }),
    );
    start();
    expect(await send(new GetUsagePlanCommand({ usagePlanId: "Pro" }))).toMatchObject({
      throttle: { rateLimit: 1, burstLimit: 2 },
    });
  });
});

describe("a run", () => {
  it("allows five keys at once and then five a second, like AWS", async () => {
    start();
    const create = () => send(new CreateApiKeyCommand({ enabled: true }));
    for (let made = 0; made < 5; made++) await create();
    expect(await failure(create())).toMatch(/^TooManyRequestsException/);
    now += 200;
    await create();
    expect(await failure(create())).toMatch(/^TooManyRequestsException/);
  });
});

describe("a restart with another template", () => {
  it("keeps a key whose plan is gone and reports the lost membership", async () => {
    start();
    const alice = await create(secretOf("alice"));
    await attach("Pro", alice);
    const admit = start([stage, plan("Standard"), generated]);
    expect(lines).toEqual([`removed the API key ${alice} from the usage plan Pro: there is no such plan`]);
    expect(admit(secretOf("alice"))).toMatchObject({ refusal: "INVALID_API_KEY" });
    await attach("Standard", alice);
    start([stage, plan("Standard")]);
    expect(await keysOf("Standard")).toEqual([alice]);
    expect(lines).toHaveLength(1);
  });

  it("removes a stage that is gone from a program's plan and reports it", async () => {
    start();
    const { id } = await send(new CreateUsagePlanCommand({ name: "Custom", apiStages }));
    start([]);
    expect(lines).toEqual([`removed Api:live from the usage plan ${id}: there is no such stage`]);
    expect(await send(new GetUsagePlanCommand({ usagePlanId: id }))).toMatchObject({ apiStages: [] });
  });

  it("drops a program's key if a template's key has its value, and reports it", async () => {
    start();
    const alice = await create(secretOf("alice"));
    await attach("Pro", alice);
    start([...template, resource("ApiKey", "Own", { Value: secretOf("alice") })]);
    expect(lines).toEqual([
      `dropped the API key ${alice}: a key of the template has its value`,
      `removed the API key ${alice} from the usage plan Pro: there is no such key`,
    ]);
  });

  it("prefers the template's membership over a program's on the same stage", async () => {
    start();
    await attach("Pro", "Generated");
    const inStandard = { KeyId: "Generated", UsagePlanId: "Standard", KeyType: "API_KEY" };
    start([...template, resource("UsagePlanKey", "Member", inStandard)]);
    expect([await keysOf("Standard"), await keysOf("Pro")]).toEqual([["Generated"], []]);
    expect(lines).toEqual([
      "removed the API key Generated from the usage plan Pro: the key is in another plan of Api:live",
    ]);
    lines = [];
    const inPro = { KeyId: "Generated", UsagePlanId: "Pro", KeyType: "API_KEY" };
    start([...template, resource("UsagePlanKey", "Member", inPro)]);
    expect([await keysOf("Standard"), await keysOf("Pro")]).toEqual([[], ["Generated"]]);
  });
});

describe("the store of keys and plans", () => {
  it("saves a change before applying it, so that a failure to save undoes it", async () => {
    let full = false;
    const store = fileStore(folder);
    const fragile: Store = {
      load: store.load,
      save: (...content) => {
        if (full) throw new Error("disk full");
        store.save(...content);
      },
    };
    const usage = createUsage(template, { store: fragile, report: () => {}, now: () => now });
    full = true;
    const body = Buffer.from('{"name":"x"}');
    const request = { method: "POST", target: "/apikeys", headers: [], body, sourceIp: "127.0.0.1" };
    await expect(usage.controlPlane(request, undefined)).rejects.toThrow("disk full");
    serve(usage.controlPlane);
    expect((await send(new GetApiKeysCommand({}))).items).toHaveLength(1);
  });

  it("creates no file until there are keys or plans", () => {
    start([stage]);
    expect(existsSync(join(folder, "usage.json"))).toBe(false);
  });
});
