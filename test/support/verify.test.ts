import { describe, expect, it } from "vitest";
import { watchedFunctions } from "../e2e/stage/support/deployed.ts";
import { clean, nextSteps, runVerify, withoutSecrets } from "../e2e/stage/support/verify.ts";
import { collector } from "../tools/admin/support/admin.ts";

describe("runVerify", () => {
  it.each([
    [[], /one of --local \[port\] and --stack <name> is required/],
    [["--local", "3000", "--stack", "TerminalApi"], /cannot be used with/],
    [["--local", "x"], /whole number/],
    [["--local", "3000", "more"], /too many arguments/],
  ])("exits with status 2 for the arguments %j", async (args, message) => {
    const [stdout, stderr] = [collector(), collector()];
    const code = await runVerify(args, { stdout, stderr, env: {} });
    expect({ code, out: stdout.text() }).toEqual({ code: 2, out: "" });
    expect(stderr.text()).toMatch(message);
  });
});

describe("clean", () => {
  it("removes data in reverse order, reports failures and still removes the rest", async () => {
    const removed: string[] = [];
    const lines: string[] = [];
    const removal = (what: string, error?: Error) => ({
      what,
      remove: async () => {
        if (error) throw error;
        removed.push(what);
      },
    });
    const user = removal("the user");
    const data = removal("the data", new Error("Access denied"));
    const keys = removal("the keys");

    const isClean = await clean([user, data, keys], (line) => void lines.push(line));

    expect(isClean).toBe(false);
    expect(removed).toEqual(["the keys", "the user"]);
    expect(lines).toContain("FAIL  the data could not be removed: Access denied");
    expect(await clean([user], () => {})).toBe(true);
  });
});

describe("nextSteps", () => {
  const addresses = { baseUrl: "https://api.example", streamUrl: "wss://api.example/stream" };
  const stepsAfter = (outcome: Parameters<typeof nextSteps>[1]) => nextSteps(addresses, outcome).join("\n");

  it("warns after a failure and names the manual checks and the end-to-end suite", () => {
    expect(stepsAfter({ isGood: false, isLocal: false })).toMatch(
      /Send users here only after.*manual checks.*BASE_URL=https:\/\/api.example STREAM_URL=wss.*two days/s,
    );
    expect(stepsAfter({ isGood: true, isLocal: false })).not.toMatch(/Send users here only after/);
    expect(stepsAfter({ isGood: true, isLocal: true })).toMatch(/^- This was the local runner/);
  });
});

describe("withoutSecrets", () => {
  it("hides everything that resembles a token or a private key", () => {
    const token = "eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJhIn0.c2lnbmF0dXJl";
    const key = "0123456789abcdef".repeat(4);
    expect(withoutSecrets(`'${token}' of 0x${key}, ${key} and ${token.slice(0, 30)}`)).toBe(
      "'[token]' of [key], [key] and [token]",
    );
  });
});

describe("watchedFunctions", () => {
  it("finds the watched functions in alarms on metrics and on expressions", () => {
    const onFunction = (Value: string) => [{ Name: "FunctionName", Value }];
    expect(
      watchedFunctions([
        { Dimensions: [{ Name: "TableName", Value: "table" }] },
        { Dimensions: onFunction("connect-1") },
        {
          Metrics: [
            { Id: "sum", Expression: "errors * 2" },
            {
              Id: "errors",
              MetricStat: { Metric: { Dimensions: onFunction("deliver-2") }, Period: 300, Stat: "Sum" },
            },
          ],
        },
      ]),
    ).toEqual(["connect-1", "deliver-2"]);
  });
});
