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
import { beforeEach, describe, expect, it } from "vitest";
import { key, live, plan, socket, usage } from "./fixture.ts";
import { failure, servedControlPlane } from "./sdk.ts";

const { send, reset } = servedControlPlane();

beforeEach(() => reset());

const create = (input: Partial<CreateUsagePlanCommandInput> = {}) =>
  send(new CreateUsagePlanCommand({ name: "Standard", ...input }));
const get = (usagePlanId = "") => send(new GetUsagePlanCommand({ usagePlanId }));
const patch = (usagePlanId = "", ...patchOperations: PatchOperation[]) =>
  send(new UpdateUsagePlanCommand({ usagePlanId, patchOperations }));

const bad = "BadRequestException:";

describe("CreateUsagePlan", () => {
  it("creates a plan with only a name (recorded)", async () => {
    const { $metadata, ...made } = await create();
    expect(made).toStrictEqual({
      id: expect.stringMatching(/^[0-9a-z]{6}$/),
      name: "Standard",
      apiStages: [],
    });
    expect($metadata.httpStatusCode).toBe(201);
  });

  it("creates a plan with stages and throttles", async () => {
    const ofMethod = { "/pets/{id}/GET": { rateLimit: 0.5, burstLimit: 1 } };
    const full = {
      apiStages: [{ ...live, throttle: ofMethod }, socket],
      throttle: { rateLimit: 1000 / 60, burstLimit: 1000 },
    };
    const { id, ...made } = await create(full);
    expect(made).toMatchObject({ name: "Standard", ...full });
    expect(await get(id)).toMatchObject({ id, name: "Standard", ...full });
  });

  it.each<[change: string, input: Partial<CreateUsagePlanCommandInput>, refusal: string]>([
    ["no name", { name: undefined as never }, `${bad} Invalid name specified`],
    ["an empty name", { name: "" }, `${bad} Invalid name specified`],
    [
      "an unknown stage",
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
      "a negative rate",
      { throttle: { rateLimit: -1, burstLimit: 1 } },
      `${bad} Invalid throttle.rateLimit specified`,
    ],
    [
      "half a burst",
      { throttle: { rateLimit: 1, burstLimit: 0.5 } },
      `${bad} Invalid throttle.burstLimit specified`,
    ],
    [
      "half a throttle of a method",
      { apiStages: [{ ...live, throttle: { "/pets/GET": { rateLimit: 1 } } }] },
      `${bad} Invalid apiStages.0.throttle./pets/GET.burstLimit specified`,
    ],
    [
      "a throttle of a method without its path",
      { apiStages: [{ ...live, throttle: { GET: { rateLimit: 1, burstLimit: 1 } } }] },
      `${bad} A throttled method should be a path and a method, such as /pets/GET`,
    ],
    ["a quota", { quota: { limit: 1, period: "DAY" } }, `${bad} quota is not emulated`],
  ])("refuses a plan with %s", async (_, input, refusal) => {
    expect(await failure(create(input))).toBe(refusal);
  });
});

describe("GetUsagePlans", () => {
  it("lists plans page by page", async () => {
    reset(
      usage(
        [],
        ["a", "b", "c"].map((id) => plan(id)),
        {},
      ),
    );
    const first = await send(new GetUsagePlansCommand({ limit: 2 }));
    const second = await send(new GetUsagePlansCommand({ limit: 2, position: first.position }));
    const ids = (page: typeof first) => page.items?.map(({ id }) => id);
    expect([ids(first), ids(second), second.position]).toEqual([["a", "b"], ["c"], undefined]);
  });
});

describe("UpdateUsagePlan", () => {
  const replace = (path: string, value: string): PatchOperation => ({ op: "replace", path, value });

  it("adds a throttle to a plan without one (recorded)", async () => {
    const { id } = await create({ apiStages: [live] });
    const changed = await patch(
      id,
      replace("/throttle/burstLimit", "100"),
      replace("/throttle/rateLimit", "16.67"),
    );
    const expected = {
      id,
      name: "Standard",
      apiStages: [live],
      throttle: { burstLimit: 100, rateLimit: 16.67 },
    };
    expect(changed).toMatchObject(expected);
    expect(await get(id)).toMatchObject(expected);
  });

  it("removes stages", async () => {
    const { id } = await create({ apiStages: [live, socket] });
    const fewer = await patch(id, { op: "remove", path: "/apiStages", value: "Socket:live" });
    expect(fewer.apiStages).toStrictEqual([live]);
  });

  const missing = "NotFoundException: Invalid API Stage";
  it.each<[operation: PatchOperation, refusal: string]>([
    [{ op: "remove", path: "/apiStages" }, `${bad} Invalid API Stage specified`],
    [{ op: "remove", path: "/apiStages", value: "fakevalue" }, `${bad} Invalid API Stage specified`],
    [
      { op: "remove", path: "/apiStages", value: "Apib:live" },
      `${missing} {api: Apib, stage: live} specified for usageplan P`,
    ],
    [replace("/throttle/rateLimit", "many"), `${bad} Invalid throttle.rateLimit specified`],
    [replace("/throttle/burstLimit", ""), `${bad} Invalid throttle.burstLimit specified`],
    [replace("/name", "Pro"), `${bad} the patch operation 'replace' of '/name' is not emulated`],
    [
      { op: "add", path: "/apiStages", value: "Api:live" },
      `${bad} the patch operation 'add' of '/apiStages' is not emulated`,
    ],
    [{ op: "remove", path: "/quota" }, `${bad} the patch operation 'remove' of '/quota' is not emulated`],
  ])("refuses %j without changes", async (operation, refusal) => {
    const throttle = { rateLimit: 1, burstLimit: 2 };
    reset(usage([], [plan("P", { throttle })], {}));
    expect(await failure(patch("P", replace("/throttle/rateLimit", "7"), operation))).toBe(refusal);
    expect(await get("P")).toMatchObject({ throttle });
  });

  it("refuses a throttle with only one limit", async () => {
    reset(usage([], [plan("P")], {}));
    expect(await failure(patch("P", replace("/throttle/rateLimit", "1")))).toBe(
      `${bad} Invalid throttle.burstLimit specified`,
    );
  });

  it("reports an unknown plan (recorded)", async () => {
    expect(await failure(patch("nothing"))).toBe("NotFoundException: Invalid Usage Plan ID specified");
    expect(await failure(get("nothing"))).toBe("NotFoundException: Invalid Usage Plan ID specified");
  });
});

describe("DeleteUsagePlan", () => {
  it("deletes a plan with its memberships, but not while it has stages", async () => {
    reset(usage([key("alice")], [plan("P", { apiStages: [live, socket] })], { P: ["alice"] }));
    const remove = () => send(new DeleteUsagePlanCommand({ usagePlanId: "P" }));
    expect(await failure(remove())).toBe(
      `${bad} Cannot delete Usage Plan P because there are API Stages associated with it, including Api:live`,
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
