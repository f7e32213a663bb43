import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OperatorError } from "../../../lib/tools/admin/operator-error.ts";
import { targets } from "../../../lib/tools/admin/program.ts";
import { serve } from "./support/http.ts";

const { openTarget, openFunctions, openPlans } = targets;

const answering = (status: number, body: string) =>
  serve((_, response) => response.writeHead(status, { "content-type": "application/json" }).end(body));

const stages = [{ apiId: "rest", stage: "live" }];
const planOutputs = {
  StandardPlanId: "plan-1",
  ProPlanId: "plan-2",
  PlanPrefix: "TerminalApi/user/",
  PlanStages: JSON.stringify(stages),
  TableName: "the-table",
  KeyGraceSeconds: "600",
};
const expectedPlans = {
  table: { name: "the-table" },
  plans: { prefix: "TerminalApi/user/", stages },
  tierPlans: { Standard: "plan-1", Pro: "plan-2" },
};

describe("a local target", () => {
  it("finds the table and the key in the runner's description", async () => {
    const description = {
      outputs: { TableName: "the-table", KeyId: "the-key", ApiId: "ignored" },
      endpoints: { dynamodb: "http://127.0.0.1:8000", kms: "http://127.0.0.1:8001", lambda: "ignored" },
      region: "eu-west-1",
      credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    };
    await using runner = await answering(200, JSON.stringify(description));
    const { table, vault } = await openTarget({ local: runner.port });
    expect([table.name, vault.keyId]).toEqual(["the-table", "the-key"]);
    for (const [client, port] of [
      [table.client, 8000],
      [vault.client, 8001],
    ] as const) {
      expect(await client.config.region()).toBe("eu-west-1");
      expect(await client.config.credentials()).toMatchObject(description.credentials);
      expect(await client.config.endpoint?.()).toMatchObject({ hostname: "127.0.0.1", port });
    }
  });

  it("finds the functions in the runner's description", async () => {
    const description = {
      outputs: { RecordExecutionsFunction: "the-function", TableName: "ignored" },
      endpoints: { lambda: "http://127.0.0.1:8002", kms: "ignored" },
      region: "eu-west-1",
      credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    };
    await using runner = await answering(200, JSON.stringify(description));
    const { lambda, recordExecutions } = await openFunctions({ local: runner.port });
    expect(recordExecutions).toBe("the-function");
    expect(await lambda.config.region()).toBe("eu-west-1");
    expect(await lambda.config.credentials()).toMatchObject(description.credentials);
    expect(await lambda.config.endpoint?.()).toMatchObject({ hostname: "127.0.0.1", port: 8002 });
  });

  it("finds the plans in the runner's description and activates new keys at once", async () => {
    const description = {
      outputs: { ...planOutputs, KeyId: "the-key" },
      endpoints: { dynamodb: "http://127.0.0.1:8000", apigateway: "http://127.0.0.1:8003" },
      region: "eu-west-1",
      credentials: { accessKeyId: "id", secretAccessKey: "secret" },
    };
    await using runner = await answering(200, JSON.stringify(description));
    const target = await openPlans({ local: runner.port, apiStack: "TerminalApi" });
    expect(target).toMatchObject({ ...expectedPlans, graceMs: 0 });
    for (const client of [target.plans.client, target.plans.once]) {
      expect(await client.config.region()).toBe("eu-west-1");
      expect(await client.config.credentials()).toMatchObject(description.credentials);
      expect(await client.config.endpoint?.()).toMatchObject({ hostname: "127.0.0.1", port: 8003 });
    }
  });

  it("explains how to start the runner when its port is closed", async () => {
    const gone = await answering(200, "");
    await gone[Symbol.asyncDispose]();
    await expect(openTarget({ local: gone.port })).rejects.toThrow(
      new OperatorError(`No server answers on port ${gone.port}; start the local runner with npm start`),
    );
  });

  it("reports a runner that is still starting", async () => {
    await using runner = await answering(503, '{"error":"The runner is starting"}');
    await expect(openTarget({ local: runner.port })).rejects.toThrow(/is still starting/);
  });

  it.each([
    [404, '{"message":"Not found"}'],
    [200, "<html>"],
    [200, '{"outputs":{"TableName":"t"}}'],
  ])("rejects a server other than the runner (%i %s)", async (status, body) => {
    await using other = await answering(status, body);
    await expect(openTarget({ local: other.port })).rejects.toThrow(
      /is not the local runner; start the runner with npm start/,
    );
    await expect(openFunctions({ local: other.port })).rejects.toThrow(
      /is not the local runner; start the runner with npm start/,
    );
    await expect(openPlans({ local: other.port, apiStack: "TerminalApi" })).rejects.toThrow(
      /is not the local runner; start the runner with npm start/,
    );
  });
});

describe("a deployed target", () => {
  const cloudFormation = mockClient(CloudFormationClient);
  beforeEach(() => void vi.stubEnv("AWS_REGION", "eu-west-1"));
  afterEach(() => {
    vi.unstubAllEnvs();
    cloudFormation.reset();
  });

  const outputs = (StackName: string, given: Record<string, string>) =>
    cloudFormation.on(DescribeStacksCommand, { StackName }).resolves({
      Stacks: [
        {
          StackName,
          CreationTime: new Date(),
          StackStatus: "CREATE_COMPLETE",
          Outputs: Object.entries(given).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
        },
      ],
    });

  it("reads the table and the key from the stack's outputs in the environment's region", async () => {
    outputs("TerminalData", { TableName: "the-table", KeyId: "the-key", UserPoolId: "ignored" });
    const { table, vault } = await openTarget({ stack: "TerminalData" });
    expect([table.name, vault.keyId]).toEqual(["the-table", "the-key"]);
    expect(await table.client.config.region()).toBe("eu-west-1");
    expect(await vault.client.config.region()).toBe("eu-west-1");
  });

  it("reads the function from the stack's outputs in the environment's region", async () => {
    outputs("TerminalApi", { RecordExecutionsFunction: "the-function", BaseUrl: "ignored" });
    const { lambda, recordExecutions } = await openFunctions({ stack: "TerminalApi" });
    expect(recordExecutions).toBe("the-function");
    expect(await lambda.config.region()).toBe("eu-west-1");
  });

  it("reads the plans from two stacks' outputs in the environment's region", async () => {
    outputs("TerminalData", { TableName: "the-table", KeyId: "the-key" });
    outputs("OtherApi", { ...planOutputs, BaseUrl: "ignored" });
    const target = await openPlans({ stack: "TerminalData", apiStack: "OtherApi" });
    expect(target).toMatchObject({ ...expectedPlans, graceMs: 600_000 });
    expect(await target.plans.client.config.region()).toBe("eu-west-1");
    expect(await target.table.client.config.region()).toBe("eu-west-1");
  });

  it("reports an API stack without plans", async () => {
    outputs("TerminalData", { TableName: "the-table", KeyId: "the-key" });
    outputs("TerminalApi", { ...planOutputs, PlanStages: "not JSON" });
    await expect(openPlans({ stack: "TerminalData", apiStack: "TerminalApi" })).rejects.toThrow(
      new OperatorError(
        "Stack TerminalApi lacks the outputs TableName, StandardPlanId, ProPlanId, PlanPrefix, PlanStages, KeyGraceSeconds; " +
          "name the API stack, such as TerminalApi",
      ),
    );
  });

  it("rejects two stacks of different deployments", async () => {
    outputs("TerminalData", { TableName: "the-table", KeyId: "the-key" });
    outputs("StagingApi", { ...planOutputs, TableName: "staging" });
    await expect(openPlans({ stack: "TerminalData", apiStack: "StagingApi" })).rejects.toThrow(
      new OperatorError(
        "Stack StagingApi works on the table staging, and stack TerminalData has the-table; " +
          "name two stacks that belong together",
      ),
    );
  });

  it("rejects a stack of the wrong kind", async () => {
    outputs("TerminalApi", { BaseUrl: "https://api.example" });
    await expect(openTarget({ stack: "TerminalApi" })).rejects.toThrow(
      new OperatorError(
        "Stack TerminalApi lacks the outputs TableName, KeyId; name the data stack, such as TerminalData",
      ),
    );
    outputs("TerminalData", { TableName: "the-table", KeyId: "the-key" });
    await expect(openFunctions({ stack: "TerminalData" })).rejects.toThrow(
      new OperatorError(
        "Stack TerminalData lacks the outputs RecordExecutionsFunction; name the API stack, such as TerminalApi",
      ),
    );
  });
});
