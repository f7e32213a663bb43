import { PutParameterCommand, SSMClient } from "@aws-sdk/client-ssm";
import { awsServices, listen, memoryStore, parametersService, refusal } from "cdk-local-runner/testing";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { filledText } from "../../lib/chains/hosts/keyed-text.ts";
import { openHostKeys } from "../../lib/runtime/host-keys.ts";

const credentials = { accessKeyId: "known", secretAccessKey: "any" };
const store = awsServices(credentials, [parametersService(memoryStore)]);
const name = "/terminal/host-keys";

let reads = 0;
let isThrottled = false;
const server = await listen(
  0,
  async (request) => {
    if (!String(Object.fromEntries(request.headers)["x-amz-target"]).endsWith("GetParameter"))
      return store(request);
    reads += 1;
    return isThrottled ? refusal(400, "ThrottlingException", "Rate exceeded") : store(request);
  },
  () => {},
);
const client = new SSMClient({ endpoint: server.url, region: "us-east-1", credentials });

beforeAll(() => {
  vi.stubEnv("AWS_ENDPOINT_URL_SSM", server.url);
  vi.stubEnv("AWS_REGION", "us-east-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", credentials.accessKeyId);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", credentials.secretAccessKey);
});
beforeEach(() => {
  reads = 0;
  isThrottled = false;
});
afterAll(async () => {
  vi.unstubAllEnvs();
  client.destroy();
  await server.close();
});

const put = (Value: string) =>
  client.send(new PutParameterCommand({ Name: name, Value, Type: "SecureString", Overwrite: true }));

const open = (parameter = name) => {
  const faults: unknown[] = [];
  return { faults, keyed: openHostKeys(parameter, (fault) => faults.push(fault)) };
};

const url = "https://rpc.example/v2/{alchemy}?also={other-1}";

describe("openHostKeys", () => {
  it("reads the parameter once for a container, and replaces the names of keys in every text by the keys", async () => {
    await put('{"alchemy":"first","other-1":"second"}');
    const { keyed, faults } = open();
    const texts = [url, "{alchemy}", url];
    expect(await Promise.all(texts.map((text) => filledText(keyed(text))))).toEqual([
      "https://rpc.example/v2/first?also=second",
      "first",
      "https://rpc.example/v2/first?also=second",
    ]);
    expect(keyed("https://rpc.example/v2/plain")).toBe("https://rpc.example/v2/plain");
    expect(reads).toBe(1);
    expect(faults).toEqual([]);
  });

  it("reads nothing if no parameter is configured", async () => {
    const { keyed } = open("");
    expect(keyed("https://rpc.example/plain")).toBe("https://rpc.example/plain");
    expect(reads).toBe(0);
  });

  describe("as time passes", () => {
    beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }));
    afterEach(() => void vi.useRealTimers());
    const pass = (minutes: number) => vi.setSystemTime(Date.now() + minutes * 60_000);
    const opened = async (value: string) => {
      await put(`{"alchemy":"${value}"}`);
      const { keyed, faults } = open();
      return { faults, read: () => filledText(keyed("{alchemy}")) };
    };

    it("uses replaced keys after ten minutes", async () => {
      const { read } = await opened("old");
      expect(await read()).toBe("old");
      await put('{"alchemy":"new"}');
      pass(9);
      expect(await read()).toBe("old");
      pass(2);
      await expect.poll(read).toBe("new");
    });

    it("waits for new keys after a long idle time", async () => {
      const { read } = await opened("revoked");
      expect(await read()).toBe("revoked");
      await put('{"alchemy":"new"}');
      pass(25);
      expect(await read()).toBe("new");
    });

    it("keeps the last keys while SSM throttles, and asks and reports no more than once in 30 seconds", async () => {
      const { read, faults } = await opened("last");
      expect(await read()).toBe("last");
      isThrottled = true;
      reads = 0;
      for (const minutes of [11, 10, 0, 0]) {
        pass(minutes);
        expect(await Promise.all([read(), read()])).toEqual(["last", "last"]);
        await expect.poll(() => faults.length).toBeGreaterThan(0);
      }
      expect(faults).toHaveLength(2);
      // Each read has two attempts.
      expect(reads).toBe(4);
      isThrottled = false;
      pass(2);
      expect(await read()).toBe("last");
    });

    it("reads again a second after a fault of the first read", async () => {
      isThrottled = true;
      const { read, faults } = await opened("late");
      await expect(read()).rejects.toThrow();
      isThrottled = false;
      await expect(read()).rejects.toThrow();
      expect(faults).toHaveLength(1);
      pass(1);
      expect(await read()).toBe("late");
    });
  });

  it.each(["not JSON", "[]", '{"alchemy":5}', '{"alchemy":"a/b"}', '{"alchemy":"a b"}', '{"Alchemy":"a"}'])(
    "refuses the parameter %j without quoting it",
    async (value) => {
      await put(value);
      const { keyed, faults } = open();
      await expect(filledText(keyed("{alchemy}"))).rejects.toMatchObject({ code: "BAD_HOST_KEYS" });
      expect(JSON.stringify(faults)).not.toContain(value);
    },
  );

  it.each(["missing", "constructor"])("fails if the key %j is not stored", async (key) => {
    await put('{"alchemy":"secret"}');
    const failure = await filledText(open().keyed(`{${key}}`)).catch(String);
    expect(failure).toContain(key);
    expect(failure).not.toContain("secret");
  });
});
