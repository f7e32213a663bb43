import {
  CreateApiKeyCommand,
  type CreateApiKeyCommandInput,
  CreateUsagePlanKeyCommand,
  DeleteApiKeyCommand,
  GetApiKeysCommand,
  GetUsagePlanKeysCommand,
} from "@aws-sdk/client-api-gateway";
import { beforeEach, describe, expect, it } from "vitest";
import { key, plan, START, secretOf, usage } from "./fixture.ts";
import { failure, servedControlPlane } from "./sdk.ts";

const { send, reset } = servedControlPlane();

beforeEach(() => reset());

const create = (input: CreateApiKeyCommandInput = {}) => send(new CreateApiKeyCommand(input));

describe("CreateApiKey", () => {
  it("creates a disabled key with a generated value (recorded)", async () => {
    const { $metadata, ...made } = await create({ name: "one" });
    const date = new Date(START);
    expect(made).toStrictEqual({
      id: expect.stringMatching(/^[0-9a-z]{10}$/),
      value: expect.stringMatching(/^[0-9A-Za-z]{40}$/),
      name: "one",
      enabled: false,
      createdDate: date,
      lastUpdatedDate: date,
      stageKeys: [],
    });
    expect($metadata.httpStatusCode).toBe(201);
    expect((await create()).value).not.toBe(made.value);
  });

  it("accepts a value and enables the key", async () => {
    const input = { value: "v".repeat(128), enabled: true };
    expect(await create(input)).toMatchObject(input);
  });

  it("treats an empty name and an empty value as absent (recorded)", async () => {
    const made = await create({ name: "", value: "" });
    expect(made).not.toHaveProperty("name");
    expect(made.value).toHaveLength(40);
  });

  it("refuses another key's value without repeating it", async () => {
    const value = secretOf("taken");
    await create({ value });
    expect(await failure(create({ value, name: "other" }))).toBe("ConflictException: API Key already exists");
    expect((await send(new GetApiKeysCommand({}))).items).toHaveLength(1);
  });

  it.each<[change: string, input: CreateApiKeyCommandInput, message: string]>([
    ["a short value", { value: "x".repeat(19) }, "API Key value should be at least 20 characters"],
    ["a long value", { value: "x".repeat(129) }, "API Key value exceeds maximum size of 128 characters"],
    ["punctuation in a value", { value: "x".repeat(20).concat("-") }, "API Key value should be alphanumeric"],
    ["a long name", { name: "n".repeat(1025) }, "Invalid API Key name, can be at most 1024 characters."],
    ["a name of another type", { name: ["n"] as never }, "Invalid name specified"],
    ["stage keys", { stageKeys: [{ restApiId: "Api", stageName: "live" }] }, "stageKeys is not emulated"],
    ["a customer", { customerId: "c" }, "customerId is not emulated"],
  ])("refuses an API key with %s", async (_, input, message) => {
    expect(await failure(create(input))).toBe(`BadRequestException: ${message}`);
  });
});

describe("GetApiKeys", () => {
  const names = async (nameQuery?: string) => {
    const { items = [] } = await send(new GetApiKeysCommand({ nameQuery }));
    return items.map(({ name }) => name).sort();
  };

  it("finds keys by a case-sensitive prefix of their names (recorded)", async () => {
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

  it("omits values and refuses a request for them", async () => {
    reset(usage([key("a")], [], {}));
    expect((await send(new GetApiKeysCommand({}))).items?.[0]).not.toHaveProperty("value");
    expect(await failure(send(new GetApiKeysCommand({ includeValues: true })))).toBe(
      "BadRequestException: includeValues is not emulated",
    );
  });

  it("returns pages of 25 keys or of the limit, and misses no key when others are deleted", async () => {
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

  it("limits a page to 500 keys", async () => {
    const keys = Array.from({ length: 501 }, (_, at) => key(`key${at}`));
    reset(usage(keys, [], {}));
    expect((await send(new GetApiKeysCommand({ limit: 501 }))).items).toHaveLength(500);
  });

  it("ignores an unusable limit (recorded)", async () => {
    reset(usage([key("a")], [], {}));
    expect((await send(new GetApiKeysCommand({ limit: -1 }))).items).toHaveLength(1);
  });
});

describe("DeleteApiKey", () => {
  it("also removes the key from its plans (recorded)", async () => {
    reset(usage([key("a")], [plan("P")], {}));
    await send(new CreateUsagePlanKeyCommand({ usagePlanId: "P", keyId: "a", keyType: "API_KEY" }));
    const deleted = await send(new DeleteApiKeyCommand({ apiKey: "a" }));
    expect(deleted.$metadata.httpStatusCode).toBe(202);
    expect((await send(new GetUsagePlanKeysCommand({ usagePlanId: "P" }))).items).toEqual([]);
    expect((await send(new GetApiKeysCommand({}))).items).toEqual([]);
    expect(await failure(send(new DeleteApiKeyCommand({ apiKey: "a" })))).toBe(
      "NotFoundException: Invalid API Key identifier specified",
    );
  });
});
