import { type OperationName, operations } from "../../operations.ts";
import { byHand, type Check, type CheckGroup, eventually, expectSame, expectThat, Skip } from "../check.ts";
import { accessLogs, type Deployed } from "../deployed.ts";
import type { Run } from "../run.ts";

/** API Gateway writes its access logs a little later. */
const logMs = 180_000;

/** Alarms on the table have a state once their metrics have been filled. */
const settledMs = 30 * 60 * 1000;

/** Logs and alarms, which only a deployment has. */
export const watchChecks: CheckGroup<Run> = {
  title: "Logs and alarms",
  checks: [
    onAWS("The access logs of both APIs arrive, with the user's id", async (run, deployed) => {
      const { userID } = await run.user();
      const pattern = `{ $.principalId = ${JSON.stringify(userID)} }`;
      for (const [api, log] of Object.entries(accessLogs))
        await eventually(`No line of the ${api} arrived`, run.patience(logMs, 5000), async () =>
          (await deployed.linesIn(log, pattern, run.startedAt)) > 0 ? true : undefined,
        );
    }),
    onAWS("No function has logged a fault during this run", async (run, deployed) => {
      const noisy: OperationName[] = [];
      for (const name of Object.keys(operations) as OperationName[]) {
        const fault = `{ $.level = "ERROR" && $.message.operation = "${name}" }`;
        if ((await deployed.linesIn(`${name}Log`, fault, run.startedAt)) > 0) noisy.push(name);
      }
      expectSame("The functions that did", noisy, []);
    }),
    onAWS("CloudFormation has resolved the names that TerminalWatch watches", async (_, deployed) => {
      const alarms = await deployed.alarms();
      expectThat(alarms.length > 0, "There are no alarms");
      const watched = alarms
        .flatMap(({ Dimensions = [], Metrics = [] }) => [
          ...Dimensions,
          ...Metrics.flatMap(({ MetricStat }) => MetricStat?.Metric?.Dimensions ?? []),
        ])
        .filter(({ Name }) => Name === "FunctionName")
        .map(({ Value = "" }) => Value);
      const unknown = watched.filter((name) => !deployed.functionNames.includes(name));
      expectSame("The functions that do not exist", unknown, []);
    }),
    onAWS("Alarms on the table leave INSUFFICIENT_DATA, although DynamoDB is silent", async (_, deployed) => {
      if (Date.now() - (await deployed.watchedSince()).getTime() < settledMs)
        throw new Skip("TerminalWatch was deployed less than half an hour ago; run this again later");
      const onTable = (await deployed.alarms()).filter(({ AlarmName = "" }) =>
        /Table(Throttles|Failures)/.test(AlarmName),
      );
      const states = onTable.map(({ StateValue }) => StateValue);
      expectThat(states.length === 2, `There are ${states.length} alarms on the table, not 2`);
      expectThat(!states.includes("INSUFFICIENT_DATA"), "One of them is in INSUFFICIENT_DATA");
    }),
    onAWS("No alarm is raised", async (_, deployed) => {
      const raised = (await deployed.alarms()).filter(({ StateValue }) => StateValue === "ALARM");
      expectSame(
        "The alarms that are",
        raised.map(({ AlarmName }) => AlarmName),
        [],
      );
    }),
    byHand("An alarm on a schedule is raised when it stops, stays, and ends with the next run"),
    byHand("Fault lines, and Lambda's own lines about timeouts, reach the metric filters"),
  ],
};

function onAWS(says: string, run: (run: Run, deployed: Deployed) => Promise<void>): Check<Run> {
  return {
    says,
    run: async (given) => {
      const { deployed } = given.service;
      if (deployed === undefined) throw new Skip("the local runner has no CloudWatch");
      await run(given, deployed);
    },
  };
}
