import { describe, expect, it } from "vitest";
import { changeChecks } from "../../lib/verify/checks/change-checks.ts";
import { planChecks } from "../../lib/verify/checks/plan-checks.ts";
import { watchChecks } from "../../lib/verify/checks/watch-checks.ts";
import type { Deployed } from "../../lib/verify/deployed.ts";
import type { Run } from "../../lib/verify/run.ts";

const anHourAgo = () => new Date(Date.now() - 60 * 60 * 1000);

const alarm = (
  name: string,
  StateValue: "OK" | "ALARM" | "INSUFFICIENT_DATA",
  FunctionName = "connect-1",
) => ({
  AlarmName: `TerminalWatch-Alarms${name}1A2B3C4D`,
  StateValue,
  Metrics: [
    {
      Id: "errors",
      MetricStat: {
        Metric: { Dimensions: [{ Name: "FunctionName", Value: FunctionName }] },
        ...{ Period: 300, Stat: "Sum" },
      },
    },
  ],
});

/** A deployment on which all is well, two hours after its deploy. */
const healthy = {
  region: "eu-central-1",
  functionNames: ["connect-1"],
  environmentOf: async () => ({}),
  mappingsOf: async () => [{ state: "Enabled", result: "OK" }],
  linesIn: async (_log: string, pattern: string) => (pattern.includes("principalId") ? 1 : 0),
  alarms: async () => [alarm("TableThrottles", "OK"), alarm("TableFailures", "OK")],
  watchedSince: async () => anHourAgo(),
  mayCall: async (_: unknown, { tags }: { tags: object }) => Object.keys(tags).length > 0,
} as Deployed;

const checks = [watchChecks, changeChecks, planChecks].flatMap((group) => group.checks);

/** @returns the message of the failure, or undefined if the check passes. */
async function failureOf(words: string, deployed: Partial<Deployed> = {}): Promise<string | undefined> {
  const [check, ...others] = checks.filter(({ says }) => says.includes(words));
  if (check === undefined || others.length > 0) throw new Error(`Not one check says ${words}`);
  const run = {
    service: { deployed: { ...healthy, ...deployed }, plans: { plans: { prefix: "TerminalApi/user/" } } },
    startedAt: new Date(),
    user: async () => ({ userID: "alice", token: "" }),
    patience: () => ({ withinMs: 0, everyMs: 1, signal: new AbortController().signal }),
  };
  return check.run(run as unknown as Run).then(
    () => undefined,
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

describe("on a deployment, the check that", () => {
  it.each<[string, Partial<Deployed>, RegExp]>([
    ["access logs of both APIs", { linesIn: async () => 0 }, /^Refuted: No line of the REST API/],
    ["No function has logged a fault", { linesIn: async () => 1 }, /authorize.*connect/],
    ["CloudFormation has resolved", { functionNames: ["another"] }, /connect-1/],
    ["CloudFormation has resolved", { alarms: async () => [] }, /no alarms/],
    [
      "leave INSUFFICIENT_DATA",
      { alarms: async () => [alarm("TableThrottles", "OK"), alarm("TableFailures", "INSUFFICIENT_DATA")] },
      /INSUFFICIENT_DATA/,
    ],
    ["leave INSUFFICIENT_DATA", { watchedSince: async () => new Date() }, /^Skip: .* later/],
    ["No alarm is raised", { alarms: async () => [alarm("connectFailures", "ALARM")] }, /connectFailures/],
    ["Both mappings", { mappingsOf: async () => [] }, /0, not 1/],
    ["Both mappings", { mappingsOf: async () => [{ state: "Disabled", result: "" }] }, /Disabled/],
    [
      "Both mappings",
      { mappingsOf: async () => [{ state: "Enabled", result: "PROBLEM: Function call failed" }] },
      /Function call failed/,
    ],
    ["A function cannot delete a key", { mayCall: async () => true }, /"without":true/],
  ])("says %s passes if all is well, and not for %o", async (words, broken, reason) => {
    expect(await failureOf(words)).toBeUndefined();
    expect(await failureOf(words, broken)).toMatch(reason);
  });
});
