import { GetParameterCommand, PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Listener, listen } from "../../src/http/server.ts";
import { parametersService } from "../../src/parameters/parameters.ts";
import { awsServices } from "../../src/services.ts";
import { memoryStore, type Store } from "../../src/storage/store.ts";

const credentials = { accessKeyId: "known", secretAccessKey: "any" };
const saved = new Map<string, unknown>();
const store: Store = { ...memoryStore, save: (name, content) => void saved.set(name, content) };
let server: Listener;
let client: SSMClient;

beforeAll(async () => {
  server = await listen(0, awsServices(credentials, [parametersService(store)]), () => {});
  client = new SSMClient({ endpoint: server.url, region: "us-east-1", credentials });
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

const put = (Name: string, Value: string, more: object = {}) =>
  client.send(new PutParameterCommand({ Name, Value, Type: "SecureString", ...more }));

const get = async (Name: string, WithDecryption = true) =>
  (await client.send(new GetParameterCommand({ Name, WithDecryption }))).Parameter;

describe("the Parameter Store", () => {
  it("stores a value, and returns it only if the call asks for decryption", async () => {
    expect(await put("/a/keys", "one")).toMatchObject({ Version: 1 });
    expect(await get("/a/keys")).toMatchObject({ Name: "/a/keys", Value: "one", Type: "SecureString" });
    expect(await get("/a/keys", false)).toMatchObject({ Value: "encrypted" });
    expect(saved.get("parameters")).toEqual({ "/a/keys": { value: "one", version: 1 } });
  });

  it("replaces a value only on demand", async () => {
    await put("/b", "one");
    await expect(put("/b", "two")).rejects.toMatchObject({ name: "ParameterAlreadyExists" });
    expect(await put("/b", "two", { Overwrite: true })).toMatchObject({ Version: 2 });
    expect(await get("/b")).toMatchObject({ Value: "two", Version: 2 });
  });

  it("starts with the stored values", async () => {
    const stored: Store = {
      ...store,
      load: <Content>() => ({ "/c": { value: "old", version: 7 } }) as Content,
    };
    const other = await listen(0, awsServices(credentials, [parametersService(stored)]), () => {});
    const reader = new SSMClient({ endpoint: other.url, region: "us-east-1", credentials });
    const { Parameter } = await reader.send(new GetParameterCommand({ Name: "/c", WithDecryption: true }));
    expect(Parameter).toMatchObject({ Value: "old", Version: 7 });
    reader.destroy();
    await other.close();
  });

  it("refuses an unknown parameter, a large value and other types, without quoting the value", async () => {
    await expect(get("/none")).rejects.toMatchObject({ name: "ParameterNotFound" });
    for (const [value, more] of [
      ["k".repeat(4097), {}],
      ["secret", { Type: "String" }],
      ["secret", { KeyId: "alias/own" }],
    ] as const) {
      const refusal = await put("/d", value, more).catch((error: Error) => error);
      expect(refusal).toMatchObject({ name: "ValidationException" });
      expect(String(refusal)).not.toContain("secret");
    }
    await expect(get("/d")).rejects.toMatchObject({ name: "ParameterNotFound" });
  });
});
