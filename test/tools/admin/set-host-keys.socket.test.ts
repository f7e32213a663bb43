import { GetParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { awsServices, listen, memoryStore, parametersService } from "cdk-local-runner/testing";
import { afterAll, describe, expect, it } from "vitest";
import { runWith } from "./support/admin.ts";

const credentials = { accessKeyId: "known", secretAccessKey: "any" };
const server = await listen(0, awsServices(credentials, [parametersService(memoryStore)]), () => {});
const client = new SSMClient({ endpoint: server.url, region: "us-east-1", credentials });
afterAll(async () => {
  client.destroy();
  await server.close();
});

const set = (parameter: string, text: string, isConfirmed = true) =>
  runWith(["set-host-keys", parameter, "--region", "us-east-1"], {
    openParameters: async () => client,
    askSecret: async () => text,
    confirm: async () => isConfirmed,
  });

const stored = async (Name: string) =>
  (await client.send(new GetParameterCommand({ Name, WithDecryption: true }))).Parameter?.Value;

describe("set-host-keys", () => {
  it("replaces all keys, and prints their names only", async () => {
    expect(await set("/a", '{"alchemy":"key-1","infura":"key-2"}')).toMatchObject({
      code: 0,
      out: "added alchemy\nadded infura\n",
      err: "",
    });
    expect(await set("/a", '{"alchemy":"key-3", "drpc":"key-4"}')).toMatchObject({
      code: 0,
      out: "replaced alchemy\nadded drpc\nremoved infura\n",
    });
    expect(await stored("/a")).toBe('{"alchemy":"key-3","drpc":"key-4"}');
    expect(await set("/a", '{"alchemy":"key-3","drpc":"key-4"}')).toMatchObject({
      code: 0,
      out: "Nothing changed\n",
    });
  });

  it.each(["", "no JSON", '["key"]', '{"alchemy":""}', '{"alchemy":"a/../b"}', '{"Alchemy":"a"}'])(
    "refuses %j, and changes nothing",
    async (text) => {
      await set("/b", '{"alchemy":"kept"}');
      const { code, err } = await set("/b", text);
      expect(code).toBe(1);
      expect(err).toMatch(/^error: The keys must be JSON such as/);
      expect(await stored("/b")).toBe('{"alchemy":"kept"}');
    },
  );

  it("removes no key unless the operator agrees", async () => {
    await set("/e", '{"alchemy":"a","infura":"b"}');
    expect(await set("/e", '{"alchemy":"c"}', false)).toMatchObject({
      code: 1,
      err: "error: Nothing was changed: give the keys infura, too\n",
    });
    expect(await stored("/e")).toBe('{"alchemy":"a","infura":"b"}');
  });

  it("refuses keys that do not fit into a parameter", async () => {
    const keys = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`k${index}`, "x".repeat(500)]));
    const { code, err } = await set("/c", JSON.stringify(keys));
    expect({ code, err }).toEqual({ code: 1, err: "error: The keys must fit into 4096 bytes of JSON\n" });
  });

  it("needs a runner or a region", async () => {
    const { code, err } = await runWith(["set-host-keys", "/d"], {});
    expect(code).toBe(2);
    expect(err).toContain("one of --local [port] and --region <region> is required");
  });
});
