import { describe, expect, inject } from "vitest";
import type { OperationName } from "../../../lib/operations/operations.ts";
import { get } from "../support/client.ts";
import { streamOf } from "../support/stream.ts";
import { it } from "./support/check.ts";
import { accessLogs, watchedFunctions } from "./support/deployed.ts";

/** API Gateway writes its access logs with a delay. */
const arrival = { timeout: 180_000, interval: 5000 };

/** Alarms on the table have no state until their metrics have data. */
const settledMs = 30 * 60 * 1000;

const startedAt = new Date(inject("startedAt"));

describe("the access log", () => {
  it.for(accessLogs)(
    "writes lines with the user's id to the access log %s",
    async (log, { deployed, user }) => {
      await get("/listWallets", user);
      (await streamOf(user)).close();
      const pattern = `{ $.principalId = ${JSON.stringify(user.id)} }`;
      const countLines = () => deployed.linesIn(log, pattern, startedAt);
      await expect.poll(countLines, { ...arrival, message: "The number of lines" }).toBeGreaterThan(0);
    },
  );
});

describe("the functions", () => {
  it("finds no function error in the logs of this run", async ({ deployed }) => {
    const faulty: OperationName[] = [];
    for (const name of deployed.functions.keys()) {
      const fault = `{ $.level = "ERROR" && $.message.operation = "${name}" }`;
      if ((await deployed.linesIn(`${name}Log`, fault, startedAt)) > 0) faulty.push(name);
    }
    expect(faulty).toEqual([]);
  });
});

describe("the alarms", () => {
  it("watches existing functions, whose names CloudFormation has resolved", async ({ deployed }) => {
    const watched = watchedFunctions(await deployed.alarms());
    expect(watched).not.toEqual([]);
    expect([...deployed.functions.values()]).toEqual(expect.arrayContaining(watched));
  });

  it("gives the table's alarms a state even though DynamoDB reports nothing", async ({ deployed, skip }) => {
    const isFresh = Date.now() - (await deployed.watchedSince()).getTime() < settledMs;
    skip(isFresh, "TerminalWatch was deployed less than half an hour ago; run this again later");
    const onTable = (await deployed.alarms()).filter(({ AlarmName = "" }) =>
      /Table(Throttles|Failures)/.test(AlarmName),
    );
    const settled: string = expect.stringMatching(/^(OK|ALARM)$/);
    expect(onTable.map(({ StateValue }) => StateValue)).toEqual([settled, settled]);
  });

  it("raises no alarm", async ({ deployed }) => {
    const raised = (await deployed.alarms()).filter(({ StateValue }) => StateValue === "ALARM");
    expect(raised.map(({ AlarmName }) => AlarmName)).toEqual([]);
  });
});
