import {
  CloudFormationClient,
  ListStackResourcesCommand,
  type StackResourceSummary,
} from "@aws-sdk/client-cloudformation";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { accessLogs, openDeployed } from "../e2e/stage/support/deployed.ts";
import { contexts, functionsOf, synthesize, type Template } from "./synthesized.ts";

const cloudFormation = mockClient(CloudFormationClient);

beforeEach(() => void vi.stubEnv("AWS_REGION", "eu-central-1"));
afterEach(() => {
  vi.unstubAllEnvs();
  cloudFormation.reset();
});

/** Lists the resources as CloudFormation does: in two pages, with the functions in a nested stack. */
function deploy({ Resources }: Template): void {
  const summaries = Object.entries(Resources).map(([id, { Type }]) => summary(id, Type));
  const isNested = ({ LogicalResourceId }: StackResourceSummary) =>
    /(Function|Log)[0-9A-F]{8}$/.test(LogicalResourceId ?? "");
  const nested = { ...summary("Nested", "AWS::CloudFormation::Stack"), PhysicalResourceId: "arn:of:nested" };
  list("TerminalApi", [...summaries.filter((each) => !isNested(each)), nested]);
  list("arn:of:nested", summaries.filter(isNested));
}

const summary = (LogicalResourceId: string, ResourceType: string) =>
  ({
    LogicalResourceId,
    ResourceType,
    PhysicalResourceId: `the ${LogicalResourceId}`,
  }) as StackResourceSummary;

function list(StackName: string, summaries: StackResourceSummary[]): void {
  const middle = Math.ceil(summaries.length / 2);
  cloudFormation
    .on(ListStackResourcesCommand, { StackName })
    .resolves({ StackResourceSummaries: summaries.slice(0, middle), NextToken: "more" })
    .on(ListStackResourcesCommand, { StackName, NextToken: "more" })
    .resolves({ StackResourceSummaries: summaries.slice(middle) });
}

describe("openDeployed", () => {
  it.each(Object.keys(contexts))(
    "finds each function and log group of a deployment with %s",
    async (context) => {
      const { api } = synthesize(contexts[context]);
      deploy(api);

      const deployed = await openDeployed({ api: "TerminalApi", watch: "TerminalWatch" });

      const names = Object.keys(functionsOf({ api }));
      expect([...deployed.functions.keys()].toSorted()).toEqual(names.toSorted());
      for (const [name, physical] of deployed.functions)
        expect(physical).toMatch(new RegExp(`^the ${name}Function`));
      for (const log of [...names.map((name) => `${name}Log`), ...accessLogs])
        expect(deployed.nameOf(log)).toMatch(new RegExp(`^the ${log}`));
    },
  );
});
