import {
  CreateUsagePlanKeyCommand,
  GetUsagePlanKeyCommand,
  GetUsagePlanKeysCommand,
} from "@aws-sdk/client-api-gateway";
import { beforeEach, describe, expect, it } from "vitest";
import { key, plan, secretOf, socket, usage } from "./fixture.ts";
import { failure, servedControlPlane } from "./sdk.ts";

const { send, reset } = servedControlPlane();

const KEY_NOT_FOUND = "NotFoundException: Invalid API Key identifier specified";
const PLAN_NOT_FOUND = "NotFoundException: Invalid Usage Plan ID specified";

beforeEach(() => {
  const keys = ["alice", "bob", "carol"].map((id) => key(id, { name: `name-${id}` }));
  const plans = [plan("P"), plan("Q"), plan("R", { apiStages: [socket] }), plan("S", { apiStages: [] })];
  reset(usage(keys, plans, { P: ["alice"] }));
});

const attach = (usagePlanId: string, keyId: string, keyType = "API_KEY") =>
  send(new CreateUsagePlanKeyCommand({ usagePlanId, keyId, keyType }));
const get = (usagePlanId: string, keyId: string) => send(new GetUsagePlanKeyCommand({ usagePlanId, keyId }));
const list = (input: { usagePlanId: string; limit?: number; position?: string; nameQuery?: string }) =>
  send(new GetUsagePlanKeysCommand(input));

describe("CreateUsagePlanKey", () => {
  it("adds a key to a plan (recorded)", async () => {
    const { $metadata, ...made } = await attach("P", "bob");
    expect(made).toStrictEqual({ id: "bob", type: "API_KEY", value: secretOf("bob"), name: "name-bob" });
    expect($metadata.httpStatusCode).toBe(201);
    expect(await get("P", "bob")).toMatchObject(made);
  });

  it("adds a key to plans of different stages, and of no stage", async () => {
    await attach("R", "alice");
    await attach("S", "alice");
    expect(await get("R", "alice")).toMatchObject({ id: "alice" });
  });

  it.each([
    ["Q", "alice", "ConflictException: API Key alice is in another Usage Plan of API Stage Api:live"],
    ["P", "alice", "ConflictException: API Key alice is in the Usage Plan P already"],
    ["P", "nobody", KEY_NOT_FOUND],
    ["nothing", "alice", PLAN_NOT_FOUND],
  ])("refuses plan %s for key %s", async (usagePlanId, keyId, refusal) => {
    expect(await failure(attach(usagePlanId, keyId))).toBe(refusal);
  });

  it("refuses other types of keys", async () => {
    expect(await failure(attach("P", "bob", "OTHER"))).toBe(
      "BadRequestException: Invalid key type specified",
    );
  });
});

describe("GetUsagePlanKey", () => {
  it.each([
    ["P", "bob", "NotFoundException: Invalid Usage Plan Key identifier specified"],
    ["P", "nobody", KEY_NOT_FOUND],
    ["nothing", "alice", PLAN_NOT_FOUND],
  ])("finds no key of a plan by these ids: plan %s, key %s", async (usagePlanId, keyId, refusal) => {
    expect(await failure(get(usagePlanId, keyId))).toBe(refusal);
  });
});

describe("GetUsagePlanKeys", () => {
  it("lists keys page by page, and by a prefix of their names", async () => {
    await attach("P", "bob");
    await attach("P", "carol");
    const first = await list({ usagePlanId: "P", limit: 2 });
    const second = await list({ usagePlanId: "P", limit: 2, position: first.position ?? "" });
    expect(first.items?.map(({ id }) => id)).toEqual(["alice", "bob"]);
    expect(second.items?.map(({ id }) => id)).toEqual(["carol"]);
    expect(second.position).toBeUndefined();
    expect((await list({ usagePlanId: "P", nameQuery: "name-b" })).items).toMatchObject([{ id: "bob" }]);
    expect((await list({ usagePlanId: "P", nameQuery: "NAME" })).items).toEqual([]);
  });

  it("returns an empty list for an unknown plan (recorded)", async () => {
    expect((await list({ usagePlanId: "nothing" })).items).toEqual([]);
  });
});
