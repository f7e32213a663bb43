import { afterEach, describe, expect, it, vi } from "vitest";
import { mergedContext, runPlan } from "../../../lib/tools/plan/program.ts";
import { checkEndpoints, readQuotas } from "../../../lib/tools/plan/read-quotas.ts";
import { type Quotas, startAws } from "./support/aws.ts";

const usual: Quotas = { concurrentRuns: 1000, requestsPerSecond: 10_000, keys: [] };

const stops: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  for (const stop of stops.splice(0)) await stop();
});

/** Stands in for AWS, and makes it the endpoint of the SDK. */
async function useAws(quotas: Partial<Quotas>) {
  const { url, stop } = await startAws({ ...usual, ...quotas });
  stops.push(stop);
  vi.stubEnv("AWS_ENDPOINT_URL", url);
  vi.stubEnv("AWS_REGION", "eu-west-1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "local");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "local");
}

async function plan(...args: string[]) {
  let out = "";
  let err = "";
  const code = await runPlan(args, {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    env: process.env,
    readQuotas,
  });
  return { code, out, err };
}

describe("npm run plan", () => {
  it("names account, region and quotas, the stacks and their cost", async () => {
    await useAws({});
    const { code, out, err } = await plan("-c", "trading=[]");
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toContain(
      "Account 123456789012, region eu-west-1: 1000 runs at once, 10000 requests a second, 0 API keys",
    );
    expect(out).toMatch(
      /TerminalData: \d+ resources\n {2}TerminalApi: \d+ resources, \d+ functions\n {2}TerminalEdge: \d+ resources, 1 function\n {2}TerminalWatch: \d+ resources, \d+ alarms\n/,
    );
    expect(out).toMatch(/Cost while nobody uses it, about: \$1\d\.\d\d a month of AWS\n/);
  });

  it.each<[string, Partial<Quotas>, string[], string]>([
    [
      "with 10 runs",
      { concurrentRuns: 10 },
      [],
      "can run 10 functions at once, and context concurrentRuns expects 1000",
    ],
    [
      "with no runs to reserve",
      { concurrentRuns: 150 },
      ["-c", "concurrentRuns=1000", "-c", "reservedRuns=30"],
      "reservedRuns adds up to 60, and the account can reserve 50",
    ],
    ["with a quarter of the rate", { requestsPerSecond: 2500 }, [], "Add -c accountRequestsPerSecond=2500"],
    [
      "with 9,999 keys of other programs",
      { keys: Array.from({ length: 9999 }, (_, index) => `other-${index}`) },
      [],
      "has room for 1 API keys besides those of other programs, and the fallback keys and the shared key need 501",
    ],
  ])("refuses an account %s", async (_, quotas, args, message) => {
    await useAws(quotas);
    const { code, err } = await plan(...args);
    expect(err).toContain(message);
    expect(code).toBe(1);
  });

  it("does not count the service's own keys, and accepts figures that the context has lowered", async () => {
    const keys = Array.from({ length: 9999 }, (_, index) => `TerminalApi/users/${index}`);
    await useAws({ keys, concurrentRuns: 10, requestsPerSecond: 2500 });
    const { code, out, err } = await plan("-c", "concurrentRuns=10", "-c", "accountRequestsPerSecond=2500");
    expect(err).toBe("");
    expect(code).toBe(0);
    expect(out).toContain("warning: Context concurrentRuns is 10");
    expect(out).not.toContain("reservedRuns");
  });

  it("asks about a key or a region that is nearly right", async () => {
    const { code, err, out } = await plan("-c", "isuer=https://id.example/");
    expect(err).toBe(
      "error: Context isuer is unknown: docs/operations.md lists the keys. Did you mean issuer?\n",
    );
    expect([code, out]).toEqual([1, ""]);
  });

  it("says that credentials or a region are missing, or refused", async () => {
    await useAws({ isRefused: true });
    expect((await plan()).err).toBe("error: AWS refuses the credentials: InvalidClientTokenId\n");
    for (const name of ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE"])
      vi.stubEnv(name, undefined);
    vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
    vi.stubEnv("HOME", "/nowhere");
    vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere");
    vi.stubEnv("AWS_CONFIG_FILE", "/nowhere");
    expect((await plan()).err).toContain("error: No AWS credentials: sign in");
    vi.stubEnv("AWS_REGION", undefined);
    expect((await plan()).err).toContain("error: No AWS region: set AWS_REGION");
  });

  it("looks only at the configuration with --offline, and refuses what the stacks refuse", async () => {
    vi.stubEnv("AWS_REGION", "eu-west-1");
    const same = await plan("--offline", "-c", "replicaRegion=eu-west-1");
    expect(same.err).toContain("replicaRegion must differ from the region of the stacks");
    expect(same.code).toBe(1);
    const other = await plan("--offline", "-c", "replicaRegion=eu-central-1");
    expect(other.out).toMatch(/TerminalReplica: \d+ resources\n {2}TerminalBackups: \d+ resources/);
    expect(other.code).toBe(0);
  });
});

describe("mergedContext", () => {
  it("takes a value from the command line, else from cdk.json, else from cdk.context.json", () => {
    const merged = mergedContext({ a: "given" }, { a: "cdk", b: "cdk" }, { a: "kept", b: "kept", c: "kept" });
    expect(merged).toEqual({ a: "given", b: "cdk", c: "kept" });
  });
});

describe("checkEndpoints", () => {
  const except =
    (...missing: string[]) =>
    async (host: string) => {
      if (missing.some((name) => host.startsWith(`${name}.`) || host.includes(`.${name}.`)))
        throw new Error("ENOTFOUND");
    };

  it("accepts a region that has all services", async () => {
    await checkEndpoints("cn-north-1", ["kms"], async (host) => {
      expect(host).toBe("kms.cn-north-1.amazonaws.com.cn");
    });
  });

  it.each<[string, string, string[], string]>([
    ["lacks a service", "ap-test-9", ["cognito-idp"], "Region ap-test-9 lacks cognito-idp"],
    [
      "does not exist",
      "eu-west-9",
      ["eu-west-9"],
      "Region eu-west-9 does not exist. Did you mean eu-west-1?",
    ],
    ["cannot be reached", "eu-west-1", ["eu-west-1"], "AWS cannot be reached in region eu-west-1"],
  ])("refuses a region that %s", async (_, region, missing, message) => {
    await expect(checkEndpoints(region, ["kms", "cognito-idp"], except(...missing))).rejects.toThrow(message);
  });
});
