import {
  CreateUsagePlanKeyCommand,
  DeleteUsagePlanKeyCommand,
  GetTagsCommand,
  GetUsagePlanKeyCommand,
  GetUsagePlanKeysCommand,
  TagResourceCommand,
  UntagResourceCommand,
} from "@aws-sdk/client-api-gateway";
import { beforeEach, describe, expect, test } from "vitest";
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
const detach = (usagePlanId: string, keyId: string) =>
  send(new DeleteUsagePlanKeyCommand({ usagePlanId, keyId }));
const list = (input: { usagePlanId: string; limit?: number; position?: string; nameQuery?: string }) =>
  send(new GetUsagePlanKeysCommand(input));

describe("CreateUsagePlanKey", () => {
  test("puts a key on a plan (recorded)", async () => {
    const { $metadata, ...made } = await attach("P", "bob");
    expect(made).toStrictEqual({ id: "bob", type: "API_KEY", value: secretOf("bob"), name: "name-bob" });
    expect($metadata.httpStatusCode).toBe(201);
    expect(await get("P", "bob")).toMatchObject(made);
  });

  test("lets a key be in plans of different stages, and of none", async () => {
    await attach("R", "alice");
    await attach("S", "alice");
    expect(await get("R", "alice")).toMatchObject({ id: "alice" });
  });

  test.each([
    ["Q", "alice", "ConflictException: API Key alice is in another Usage Plan of API Stage Api:live"],
    ["P", "alice", "ConflictException: API Key alice is in the Usage Plan P already"],
    ["P", "nobody", KEY_NOT_FOUND],
    ["nothing", "alice", PLAN_NOT_FOUND],
  ])("on %s of %s is refused", async (usagePlanId, keyId, refusal) => {
    expect(await failure(attach(usagePlanId, keyId))).toBe(refusal);
  });

  test("takes API keys only", async () => {
    expect(await failure(attach("P", "bob", "OTHER"))).toBe(
      "BadRequestException: Invalid key type specified",
    );
  });
});

test("a key moves to another plan of the stage once it has left the first", async () => {
  expect((await detach("P", "alice")).$metadata.httpStatusCode).toBe(202);
  await attach("Q", "alice");
  expect((await list({ usagePlanId: "P" })).items).toEqual([]);
  expect((await list({ usagePlanId: "Q" })).items).toMatchObject([{ id: "alice" }]);
});

test.each([
  ["P", "bob", "NotFoundException: Invalid Usage Plan Key identifier specified"],
  ["P", "nobody", KEY_NOT_FOUND],
  ["nothing", "alice", PLAN_NOT_FOUND],
])("on %s, %s is not found", async (usagePlanId, keyId, refusal) => {
  expect(await failure(get(usagePlanId, keyId))).toBe(refusal);
  expect(await failure(detach(usagePlanId, keyId))).toBe(refusal);
});

describe("GetUsagePlanKeys", () => {
  test("lists page by page, and by the beginning of the name", async () => {
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

  test("of a plan that there is not is empty (recorded)", async () => {
    expect((await list({ usagePlanId: "nothing" })).items).toEqual([]);
  });
});

describe("tags", () => {
  const tagsOf = async (resourceArn: string) => (await send(new GetTagsCommand({ resourceArn }))).tags;

  test.each(["apikeys/alice", "usageplans/P"])("of /%s are added, replaced and removed", async (path) => {
    const resourceArn = `arn:aws:apigateway:us-east-1::/${path}`;
    expect(await tagsOf(resourceArn)).toEqual({});
    await send(new TagResourceCommand({ resourceArn, tags: { a: "1", b: "2", c: "3" } }));
    await send(new TagResourceCommand({ resourceArn, tags: { a: "4" } }));
    const removed = await send(new UntagResourceCommand({ resourceArn, tagKeys: ["b", "c"] }));
    expect(removed.$metadata.httpStatusCode).toBe(204);
    expect(await tagsOf(resourceArn)).toEqual({ a: "4" });
    await send(new UntagResourceCommand({ resourceArn, tagKeys: ["a"] }));
    expect(await tagsOf(resourceArn)).toEqual({});
  });

  test.each([
    ["apikeys/nobody", KEY_NOT_FOUND],
    ["usageplans/nothing", PLAN_NOT_FOUND],
    ["restapis/Api", "NotFoundException: Invalid resource ARN specified"],
  ])("of /%s are not found", async (path, refusal) => {
    expect(await failure(tagsOf(`arn:aws:apigateway:us-east-1::/${path}`))).toBe(refusal);
  });
});
