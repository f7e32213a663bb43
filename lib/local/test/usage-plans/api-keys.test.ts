import {
  CreateApiKeyCommand,
  type CreateApiKeyCommandInput,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  GetApiKeyCommand,
  GetApiKeysCommand,
  GetUsagePlanKeysCommand,
  GetUsagePlansCommand,
  UpdateApiKeyCommand,
} from "@aws-sdk/client-api-gateway";
import { beforeEach, describe, expect, test } from "vitest";
import { key, plan, START, secretOf, usage } from "./fixture.ts";
import { failure, servedControlPlane } from "./sdk.ts";

const { send, reset, pass } = servedControlPlane();

beforeEach(() => reset());

const NOT_FOUND = "NotFoundException: Invalid API Key identifier specified";

const create = (input: CreateApiKeyCommandInput = {}) => send(new CreateApiKeyCommand(input));
const get = (apiKey = "", includeValue = true) => send(new GetApiKeyCommand({ apiKey, includeValue }));
const patch = (
  apiKey = "",
  ...patchOperations: { op: "replace" | "remove"; path: string; value?: string }[]
) => send(new UpdateApiKeyCommand({ apiKey, patchOperations }));

function without<Answer extends { $metadata: unknown }>({ $metadata: _, ...answer }: Answer) {
  return answer;
}

describe("CreateApiKey", () => {
  test("makes a disabled key with a value of its own (recorded)", async () => {
    const made = await create({ name: "one" });
    const date = new Date(START);
    expect(without(made)).toStrictEqual({
      id: expect.stringMatching(/^[0-9a-z]{10}$/),
      value: expect.stringMatching(/^[0-9A-Za-z]{40}$/),
      name: "one",
      enabled: false,
      createdDate: date,
      lastUpdatedDate: date,
      stageKeys: [],
    });
    expect(made.$metadata.httpStatusCode).toBe(201);
    expect((await create()).value).not.toBe(made.value);
  });

  test("takes a value, and what else is given", async () => {
    const input = {
      value: "v".repeat(128),
      description: "d",
      customerId: "c",
      enabled: true,
      tags: { plan: "Pro" },
    };
    const { id } = await create({ ...input, generateDistinctId: true });
    expect(await get(id)).toMatchObject(input);
  });

  test("empty text is no name and no value (recorded)", async () => {
    const made = await create({ name: "", value: "" });
    expect(made).not.toHaveProperty("name");
    expect(made.value).toHaveLength(40);
  });

  test("a value that is taken is a conflict, which does not tell it", async () => {
    const value = secretOf("taken");
    await create({ value });
    expect(await failure(create({ value, name: "other" }))).toBe("ConflictException: API Key already exists");
    expect((await send(new GetApiKeysCommand({}))).items).toHaveLength(1);
  });

  test.each<[what: string, input: CreateApiKeyCommandInput, message: string]>([
    ["a short value", { value: "x".repeat(19) }, "API Key value should be at least 20 characters"],
    ["a long value", { value: "x".repeat(129) }, "API Key value exceeds maximum size of 128 characters"],
    ["a value with signs", { value: "x".repeat(20).concat("-") }, "API Key value should be alphanumeric"],
    ["a long name", { name: "n".repeat(1025) }, "Invalid API Key name, can be at most 1024 characters."],
    ["a long description", { description: "d".repeat(125_001) }, "Invalid API Key description specified."],
    ["a tag of AWS's own", { tags: { "aws:a": "b" } }, "Invalid tag key specified"],
    ["another type", { name: ["n"] as never }, "Invalid name specified"],
    ["a stage key", { stageKeys: [{ restApiId: "Api", stageName: "live" }] }, "stageKeys is not emulated"],
  ])("%s is refused", async (_, input, message) => {
    expect(await failure(create(input))).toBe(`BadRequestException: ${message}`);
  });
});

describe("GetApiKey", () => {
  test("tells the value only when asked to, and always the tags (recorded)", async () => {
    const { id, value } = await create({ enabled: true });
    expect(await get(id, false)).not.toHaveProperty("value");
    expect(await get(id, true)).toMatchObject({ id, value, tags: {}, enabled: true });
  });

  test("of no key is not found", async () => {
    expect(await failure(get("nothing"))).toBe(NOT_FOUND);
  });
});

describe("GetApiKeys", () => {
  const names = async (nameQuery?: string) => {
    const { items = [] } = await send(new GetApiKeysCommand({ nameQuery }));
    return items.map(({ name }) => name).sort();
  };

  test("finds by the beginning of the name, in its case (recorded)", async () => {
    reset(
      usage(
        ["test-a", "test-b", "other"].map((name) => key(name, { name })),
        [],
        {},
      ),
    );
    expect(await names()).toEqual(["other", "test-a", "test-b"]);
    expect(await names("test-")).toEqual(["test-a", "test-b"]);
    expect(await names("TEST-")).toEqual([]);
    expect(await names("st-a")).toEqual([]);
  });

  test("finds by customer, and tells values only when asked to", async () => {
    reset(usage([key("a", { customerId: "c" }), key("b")], [], {}));
    const found = await send(new GetApiKeysCommand({ customerId: "c" }));
    expect(found.items?.map(({ id }) => id)).toEqual(["a"]);
    expect(found.items?.[0]).not.toHaveProperty("value");
    const { items = [] } = await send(new GetApiKeysCommand({ includeValues: true }));
    expect(items.map(({ value }) => value)).toEqual([secretOf("a"), secretOf("b")]);
  });

  test("comes in pages of 25, or of the limit up to 500, which miss nothing that stays", async () => {
    const ids = Array.from({ length: 60 }, (_, at) => `key${String(at).padStart(3, "0")}`);
    reset(
      usage(
        ids.map((id) => key(id)),
        [],
        {},
      ),
    );
    const pages = async (limit?: number, afterPage: (last: string) => Promise<unknown> = async () => {}) => {
      const seen: string[][] = [];
      for (let position: string | undefined, more = true; more; more = position !== undefined) {
        const answer = await send(new GetApiKeysCommand({ limit, position }));
        seen.push(answer.items?.map(({ id = "" }) => id) ?? []);
        position = answer.position;
        await afterPage(seen.at(-1)?.at(-1) ?? "");
      }
      return seen;
    };
    const sizes = (seen: string[][]) => seen.map(({ length }) => length);

    const all = await pages();
    expect(sizes(all)).toEqual([25, 25, 10]);
    expect(all.flat()).toEqual(ids);
    expect(sizes(await pages(30))).toEqual([30, 30]);
    const whileDeleted = await pages(20, (last) => send(new DeleteApiKeyCommand({ apiKey: last })));
    expect(whileDeleted.flat()).toEqual(ids);
  });

  test("of more than 500 are pages of 500", async () => {
    const keys = Array.from({ length: 501 }, (_, at) => key(`key${at}`));
    reset(usage(keys, [], {}));
    expect((await send(new GetApiKeysCommand({ limit: 501 }))).items).toHaveLength(500);
  });

  test("with a limit that makes no sense is no error (recorded)", async () => {
    reset(usage([key("a")], [], {}));
    expect((await send(new GetApiKeysCommand({ limit: -1 }))).items).toHaveLength(1);
  });
});

describe("UpdateApiKey", () => {
  test("changes what may change, and when that was", async () => {
    const { id, value } = await create({ name: "old" });
    pass(60_000);
    const changed = await patch(
      id,
      { op: "replace", path: "/enabled", value: "true" },
      { op: "replace", path: "/name", value: "new" },
      { op: "replace", path: "/description", value: "text" },
      { op: "replace", path: "/customerId", value: "c" },
    );
    const expected = { id, name: "new", description: "text", customerId: "c", enabled: true, tags: {} };
    const dates = { createdDate: new Date(START), lastUpdatedDate: new Date(START + 60_000) };
    expect(changed).toMatchObject({ ...expected, ...dates });
    expect(changed).not.toHaveProperty("value");
    expect(await get(id)).toMatchObject({ ...expected, ...dates, value });
  });

  test("takes anything but true for false (recorded)", async () => {
    const { id } = await create({ enabled: true });
    expect(await patch(id, { op: "replace", path: "/enabled", value: "not-a-boolean" })).toMatchObject({
      enabled: false,
    });
  });

  test.each([
    [
      "another path",
      { op: "replace", path: "/id", value: "x" } as const,
      "Invalid patch path  '/id' specified for op 'replace'. Must be one of: [/description, /enabled, /name, /customerId]",
    ],
    [
      "another operation",
      { op: "remove", path: "/name" } as const,
      "Invalid patch path  '/name' specified for op 'remove'. Must be one of: []",
    ],
    [
      "a long description",
      { op: "replace", path: "/description", value: "d".repeat(125_001) } as const,
      "Invalid API Key description specified.",
    ],
  ])("%s is refused, and nothing changes", async (_, operation, message) => {
    const { id } = await create({ name: "kept" });
    const first = { op: "replace", path: "/name", value: "changed" } as const;
    expect(await failure(patch(id, first, operation))).toBe(`BadRequestException: ${message}`);
    expect(await get(id)).toMatchObject({ name: "kept" });
  });
});

test("DeleteApiKey takes the key out of its plans, too (recorded)", async () => {
  reset(usage([key("a")], [plan("P")], {}));
  await send(new CreateUsagePlanKeyCommand({ usagePlanId: "P", keyId: "a", keyType: "API_KEY" }));
  const deleted = await send(new DeleteApiKeyCommand({ apiKey: "a" }));
  expect(deleted.$metadata.httpStatusCode).toBe(202);
  expect((await send(new GetUsagePlanKeysCommand({ usagePlanId: "P" }))).items).toEqual([]);
  expect((await send(new GetUsagePlansCommand({ keyId: "a" }))).items).toEqual([]);
  expect(await failure(get("a"))).toBe(NOT_FOUND);
  expect(await failure(send(new DeleteApiKeyCommand({ apiKey: "a" })))).toBe(NOT_FOUND);
});
