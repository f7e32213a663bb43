import {
  CloudFormationClient,
  DescribeStacksCommand,
  ListStackResourcesCommand,
} from "@aws-sdk/client-cloudformation";
import { CloudWatchClient, DescribeAlarmsCommand } from "@aws-sdk/client-cloudwatch";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { runDeploy } from "../../../lib/tools/plan/deploy.ts";
import type { AccountQuotas } from "../../../lib/tools/plan/read-quotas.ts";

const cloudFormation = mockClient(CloudFormationClient);
const cloudWatch = mockClient(CloudWatchClient);

const arnOf = (name: string) => `arn:aws:cloudwatch:eu-west-1:123456789012:alarm:${name}`;
const account: AccountQuotas = {
  id: "123456789012",
  region: "eu-west-1",
  concurrentRuns: 1000,
  unreservedRuns: 1000,
  requestsPerSecond: 10_000,
  keyNames: [],
};

const resources = [
  "AlarmsSignatureRefused0A1B2C3D",
  "AlarmsexecuteOrdersFailures0A1B2C3D",
  "AlarmsKeysRefused0A1B2C3D",
];

/** Deploys stacks that exist, with alarms in this state. */
function exist(StateValue: "OK" | "ALARM", logicalIds = resources) {
  cloudFormation.on(DescribeStacksCommand).resolves({
    Stacks: [{ StackName: "x", CreationTime: new Date(), StackStatus: "UPDATE_COMPLETE" }],
  });
  cloudFormation.on(ListStackResourcesCommand).resolves({
    StackResourceSummaries: logicalIds.map((LogicalResourceId) => ({
      LogicalResourceId,
      PhysicalResourceId: `Watch-${LogicalResourceId}`,
      ResourceType: "AWS::CloudWatch::Alarm",
      LastUpdatedTimestamp: new Date(),
      ResourceStatus: "CREATE_COMPLETE",
    })),
  });
  cloudWatch.on(DescribeAlarmsCommand).callsFake(({ AlarmNames }: { AlarmNames: string[] }) => ({
    MetricAlarms: AlarmNames.map((AlarmName) => ({ AlarmName, AlarmArn: arnOf(AlarmName), StateValue })),
  }));
}

beforeEach(() => {
  process.env.AWS_REGION = "eu-west-1";
});
afterEach(() => {
  cloudFormation.reset();
  cloudWatch.reset();
});

async function deploy(args: string[], given: Partial<AccountQuotas> = {}, codes: number[] = []) {
  let out = "";
  let err = "";
  const runs: string[] = [];
  const code = await runDeploy(args, {
    stdout: { write: (text: string) => (out += text) },
    stderr: { write: (text: string) => (err += text) },
    env: {},
    readQuotas: async () => ({ ...account, ...given }),
    cdk: async (step) => {
      // Names the account before anything happens.
      expect(out).toContain("Deploying to Account 123456789012, region eu-west-1");
      runs.push(step.join(" ").replaceAll(/\S*deploy-\w{6}/g, "FOLDER"));
      return codes.shift() ?? 0;
    },
  });
  return { code, out, err, runs };
}

const approved = ["--require-approval", "never"];

describe("npm run deploy", () => {
  it("deploys all stacks at once the first time, when no alarm exists", async () => {
    cloudFormation
      .on(DescribeStacksCommand)
      .rejects(
        Object.assign(new Error("Stack with id TerminalApi does not exist"), { name: "ValidationError" }),
      );
    const { code, runs } = await deploy(["-c", "fallbackKeys=6", ...approved]);
    expect(code).toBe(0);
    expect(runs).toEqual(["deploy --all -c fallbackKeys=6 --require-approval never"]);
  });

  it("sets the rollback triggers only of TerminalApi, for ten minutes", async () => {
    exist("OK");
    const { code, out, runs } = await deploy(["-c", "fallbackKeys=6", ...approved]);
    const [refused, failures] = resources.map((id) => arnOf(`Watch-${id}`));
    expect(runs).toEqual([
      "synth --quiet --output FOLDER -c fallbackKeys=6",
      "deploy --app FOLDER TerminalData --require-approval never",
      `deploy --app FOLDER TerminalApi --exclusively --rollback-trigger-alarm-arns ${refused} --rollback-trigger-alarm-arns ${failures} --monitoring-time-minutes 10 --require-approval never`,
      "deploy --app FOLDER --all --require-approval never",
    ]);
    expect(out).toContain("rolls TerminalApi back if one of these alarms is raised within 10 minutes");
    expect(code).toBe(0);
  });

  it.each([
    ["without triggers on request, also while an alarm is on", ["--no-rollback-triggers"], resources],
    ["without triggers where nothing trades", [], ["AlarmsKeysRefused0A1B2C3D"]],
  ])("deploys %s", async (_, args, logicalIds) => {
    exist(args.length > 0 ? "ALARM" : "OK", logicalIds);
    const { code, runs } = await deploy(args);
    expect(runs[2]).toBe("deploy --app FOLDER TerminalApi --exclusively --rollback-trigger-alarm-arns none");
    expect(code).toBe(0);
  });

  it("refuses to begin while one of the alarms is on, since the deploy would be rolled back", async () => {
    exist("ALARM");
    const { code, err, runs } = await deploy([]);
    expect(runs).toEqual([]);
    expect(err).toContain("would roll back the deploy at once: Watch-AlarmsSignatureRefused0A1B2C3D");
    expect(code).toBe(1);
  });

  it("deploys nothing to an account whose quotas do not suffice, or with an unknown key", async () => {
    exist("OK");
    expect(await deploy([], { concurrentRuns: 10 })).toMatchObject({
      code: 1,
      runs: [],
      err: expect.stringContaining("The account can run 10 functions at once"),
    });
    expect(await deploy(["-c", "tradng=[]"])).toMatchObject({
      code: 1,
      runs: [],
      err: expect.stringContaining("Did you mean trading?"),
    });
  });

  it("stops at the first step that fails, with its exit code", async () => {
    exist("OK");
    const { code, runs } = await deploy([], {}, [0, 0, 3]);
    expect(runs).toHaveLength(3);
    expect(code).toBe(3);
  });
});
