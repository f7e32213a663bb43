import {
  CreateUsagePlanCommand,
  type CreateUsagePlanCommandInput,
  DeleteUsagePlanCommand,
  GetUsagePlanCommand,
  GetUsagePlanKeysCommand,
  GetUsagePlansCommand,
  type PatchOperation,
  UpdateUsagePlanCommand,
} from "@aws-sdk/client-api-gateway";
import { beforeEach, describe, expect, test } from "vitest";
import { key, live, plan, socket, usage } from "./fixture.ts";
import { failure, servedControlPlane } from "./sdk.ts";

const { send, reset } = servedControlPlane();

beforeEach(() => reset());

const create = (input: Partial<CreateUsagePlanCommandInput> = {}) =>
  send(new CreateUsagePlanCommand({ name: "Standard", ...input }));
const get = (usagePlanId = "") => send(new GetUsagePlanCommand({ usagePlanId }));
const patch = (usagePlanId = "", ...patchOperations: PatchOperation[]) =>
  send(new UpdateUsagePlanCommand({ usagePlanId, patchOperations }));

const full = {
  name: "Standard",
  description: "d",
  apiStages: [{ ...live, throttle: { "/pets/{id}/GET": { rateLimit: 0.5, burstLimit: 1 } } }, socket],
  throttle: { rateLimit: 1000 / 60, burstLimit: 1000 },
  quota: { limit: 10, period: "WEEK" as const, offset: 2 },
  tags: { a: "b" },
};

describe("CreateUsagePlan", () => {
  test("makes a plan with a name alone (recorded)", async () => {
    const { $metadata, ...made } = await create();
    expect(made).toStrictEqual({
      id: expect.stringMatching(/^[0-9a-z]{6}$/),
      name: "Standard",
      apiStages: [],
    });
    expect($metadata.httpStatusCode).toBe(201);
  });

  test("makes a plan with everything", async () => {
    const { id, ...made } = await create(full);
    expect(made).toMatchObject(full);
    expect(await get(id)).toMatchObject({ id, ...full });
  });

  test("of a quota without an offset has offset 0", async () => {
    expect(await create({ quota: { limit: 5, period: "DAY" } })).toMatchObject({
      quota: { limit: 5, offset: 0, period: "DAY" },
    });
  });

  const bad = "BadRequestException:";
  test.each<[what: string, input: Partial<CreateUsagePlanCommandInput>, refusal: string]>([
    ["no name", { name: undefined as never }, `${bad} Invalid name specified`],
    ["an empty name", { name: "" }, `${bad} Invalid name specified`],
    [
      "a stage that there is not",
      { apiStages: [{ ...live, stage: "other" }] },
      "NotFoundException: API Stage not found: Api:other",
    ],
    ["a stage twice", { apiStages: [live, live] }, `${bad} An API Stage can be in a Usage Plan only once`],
    [
      "a rate without a burst",
      { throttle: { rateLimit: 1 } },
      `${bad} Invalid throttle.burstLimit specified`,
    ],
    [
      "a rate below 0",
      { throttle: { rateLimit: -1, burstLimit: 1 } },
      `${bad} Invalid throttle.rateLimit specified`,
    ],
    [
      "half a burst",
      { throttle: { rateLimit: 1, burstLimit: 0.5 } },
      `${bad} Invalid throttle.burstLimit specified`,
    ],
    [
      "another period",
      { quota: { limit: 1, period: "YEAR" as never } },
      `${bad} Invalid quota.period specified`,
    ],
  ])("refuses %s", async (_, input, refusal) => {
    expect(await failure(create(input))).toBe(refusal);
  });
});

describe("GetUsagePlans", () => {
  test("lists page by page, and the plans of one key", async () => {
    const plans = ["a", "b", "c"].map((id) => plan(id, { apiStages: [] }));
    reset(usage([key("alice")], plans, { a: ["alice"], c: ["alice"] }));
    const first = await send(new GetUsagePlansCommand({ limit: 2 }));
    const second = await send(new GetUsagePlansCommand({ limit: 2, position: first.position }));
    const ids = (page: typeof first) => page.items?.map(({ id }) => id);
    expect([ids(first), ids(second), second.position]).toEqual([["a", "b"], ["c"], undefined]);
    expect(first.items?.[0]).not.toHaveProperty("tags");
    expect(ids(await send(new GetUsagePlansCommand({ keyId: "alice" })))).toEqual(["a", "c"]);
    expect(ids(await send(new GetUsagePlansCommand({ keyId: "nobody" })))).toEqual([]);
  });
});

describe("UpdateUsagePlan", () => {
  const replace = (path: string, value: string): PatchOperation => ({ op: "replace", path, value });

  test("gives a throttle and a quota to a plan that had none (recorded)", async () => {
    const { id } = await create({ apiStages: [live] });
    const changed = await patch(
      id,
      replace("/throttle/burstLimit", "100"),
      replace("/throttle/rateLimit", "16.67"),
      replace("/quota/period", "MONTH"),
      replace("/quota/limit", "5000"),
    );
    const expected = {
      id,
      name: "Standard",
      apiStages: [live],
      quota: { limit: 5000, offset: 0, period: "MONTH" },
      throttle: { burstLimit: 100, rateLimit: 16.67 },
      tags: {},
    };
    expect(changed).toMatchObject(expected);
    expect(await get(id)).toMatchObject(expected);
  });

  test("changes texts, stages and the throttles of methods", async () => {
    const { id } = await create({ apiStages: [live] });
    const stage = "/apiStages/Api:live/throttle";
    const method = { rateLimit: 2.5, burstLimit: 3 };
    expect(
      await patch(
        id,
        replace("/name", "Pro"),
        replace("/description", "d"),
        { op: "add", path: "/apiStages", value: "Socket:live" },
        // A resource path may have its slashes escaped or not.
        replace(`${stage}/~1pets~1{id}/GET/rateLimit`, "2.5"),
        replace(`${stage}//pets/{id}/GET/burstLimit`, "3"),
        replace(`${stage}/~1/GET/burstLimit`, "3"),
        { op: "add", path: `${stage}/~1/GET/rateLimit`, value: "2.5" },
        replace(`${stage}//a/throttle/b/GET/rateLimit`, "2.5"),
        replace(`${stage}//a/throttle/b/GET/burstLimit`, "3"),
      ),
    ).toMatchObject({
      name: "Pro",
      description: "d",
      apiStages: [
        { ...live, throttle: { "/pets/{id}/GET": method, "//GET": method, "/a/throttle/b/GET": method } },
        socket,
      ],
    });
    const fewer = await patch(
      id,
      { op: "remove", path: `${stage}/~1/GET` },
      { op: "remove", path: `${stage}//a/throttle/b/GET` },
      { op: "remove", path: "/apiStages", value: "Socket:live" },
    );
    expect(fewer.apiStages).toStrictEqual([{ ...live, throttle: { "/pets/{id}/GET": method } }]);
    expect((await patch(id, { op: "remove", path: stage })).apiStages).toStrictEqual([live]);
  });

  test("takes throttle and quota away", async () => {
    const { id } = await create(full);
    const changed = await patch(id, { op: "remove", path: "/throttle" }, { op: "remove", path: "/quota" });
    expect(changed).not.toHaveProperty("throttle");
    expect(changed).not.toHaveProperty("quota");
  });

  const bad = "BadRequestException:";
  const missing = "NotFoundException: Invalid API Stage";
  test.each<[operation: PatchOperation, refusal: string]>([
    [{ op: "remove", path: "/apiStages" }, `${bad} Invalid API Stage specified`],
    [{ op: "remove", path: "/apiStages", value: "fakevalue" }, `${bad} Invalid API Stage specified`],
    [
      { op: "remove", path: "/apiStages", value: "Apib:live" },
      `${missing} {api: Apib, stage: live} specified for usageplan P`,
    ],
    [
      replace("/apiStages/Api:fake/throttle/~1pets/GET/rateLimit", "1"),
      `${missing} {api: Api, stage: fake} specified for usageplan P`,
    ],
    [
      { op: "add", path: "/apiStages", value: "Api:fake" },
      "NotFoundException: API Stage not found: Api:fake",
    ],
    [
      { op: "add", path: "/apiStages", value: "Api:live" },
      "ConflictException: API Stage Api:live is in the Usage Plan P already",
    ],
    [replace("/throttle/rateLimit", "1"), `${bad} Invalid throttle.burstLimit specified`],
    [replace("/throttle/burstLimit", ""), `${bad} Invalid throttle.rateLimit specified`],
    [replace("/quota/limit", "many"), `${bad} Invalid quota.limit specified`],
    [replace("/quota/period", "YEAR"), `${bad} Invalid quota.limit specified`],
    [replace("/name", ""), `${bad} Invalid name specified`],
    [
      { op: "remove", path: "/name" },
      `${bad} Invalid patch path  '/name' specified for op 'remove'. Must be one of: [/apiStages, /quota, /throttle, /productCode, /apiStages/<apidId:stageName>/throttle/<resourcePath>/<httpMethod>, /apiStages/<apidId:stageName>/throttle]`,
    ],
  ])("refuses %j, and nothing changes", async (operation, refusal) => {
    reset(usage([], [plan("P")], {}));
    expect(await failure(patch("P", replace("/description", "d"), operation))).toBe(refusal);
    expect(await get("P")).not.toHaveProperty("description");
  });

  test("of no plan is not found (recorded)", async () => {
    expect(await failure(patch("nothing"))).toBe("NotFoundException: Invalid Usage Plan ID specified");
    expect(await failure(get("nothing"))).toBe("NotFoundException: Invalid Usage Plan ID specified");
  });

  test("does not put a key on a second plan of a stage", async () => {
    const plans = [plan("P"), plan("Q", { apiStages: [socket] })];
    reset(usage([key("alice")], plans, { P: ["alice"], Q: ["alice"] }));
    expect(await failure(patch("Q", { op: "add", path: "/apiStages", value: "Api:live" }))).toBe(
      "ConflictException: API Key alice is in another Usage Plan of API Stage Api:live",
    );
  });
});

describe("DeleteUsagePlan", () => {
  test("is refused while the plan has stages", async () => {
    reset(usage([key("alice")], [plan("P", { apiStages: [live, socket] })], { P: ["alice"] }));
    const remove = () => send(new DeleteUsagePlanCommand({ usagePlanId: "P" }));
    expect(await failure(remove())).toBe(
      "BadRequestException: Cannot delete Usage Plan P because there are API Stages associated with it, including Api:live",
    );
    await patch(
      "P",
      { op: "remove", path: "/apiStages", value: "Api:live" },
      { op: "remove", path: "/apiStages", value: "Socket:live" },
    );
    expect((await remove()).$metadata.httpStatusCode).toBe(202);
    expect((await send(new GetUsagePlanKeysCommand({ usagePlanId: "P" }))).items).toEqual([]);
    expect(await failure(remove())).toBe("NotFoundException: Invalid Usage Plan ID specified");
  });
});
