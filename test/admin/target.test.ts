import { CloudFormationClient, DescribeStacksCommand } from "@aws-sdk/client-cloudformation";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { OperatorError } from "../../lib/admin/operator-error.ts";
import { openTarget } from "../../lib/admin/target.ts";
import { serve } from "./support/http.ts";

const answering = (status: number, body: string) =>
  serve((_, response) => response.writeHead(status, { "content-type": "application/json" }).end(body));

describe("a local target", () => {
  it("is what the runner says", async () => {
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

  it("is refused, with the way to start it, when nothing listens", async () => {
    const gone = await answering(200, "");
    await gone[Symbol.asyncDispose]();
    await expect(openTarget({ local: gone.port })).rejects.toThrow(
      new OperatorError(`Nothing answers on port ${gone.port}; start the local runner with npm start`),
    );
  });

  it("is refused for now when the runner is starting", async () => {
    await using runner = await answering(503, '{"error":"The runner is starting"}');
    await expect(openTarget({ local: runner.port })).rejects.toThrow(/is still starting/);
  });

  it.each([
    [404, '{"message":"Not found"}'],
    [200, "<html>"],
    [200, '{"outputs":{"TableName":"t"}}'],
  ])("is refused when something else answers (%i %s)", async (status, body) => {
    await using other = await answering(status, body);
    await expect(openTarget({ local: other.port })).rejects.toThrow(
      /is not the local runner; start it with npm start/,
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

  const outputs = (given: Record<string, string>) =>
    cloudFormation.on(DescribeStacksCommand, { StackName: "TerminalData" }).resolves({
      Stacks: [
        {
          StackName: "TerminalData",
          CreationTime: new Date(),
          StackStatus: "CREATE_COMPLETE",
          Outputs: Object.entries(given).map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
        },
      ],
    });

  it("is what the outputs of the stack say, in the region of the environment", async () => {
    outputs({ TableName: "the-table", KeyId: "the-key", UserPoolId: "ignored" });
    const { table, vault } = await openTarget({ stack: "TerminalData" });
    expect([table.name, vault.keyId]).toEqual(["the-table", "the-key"]);
    expect(await table.client.config.region()).toBe("eu-west-1");
    expect(await vault.client.config.region()).toBe("eu-west-1");
  });

  it("is refused when the stack is not the data stack", async () => {
    outputs({ BaseUrl: "https://api.example" });
    await expect(openTarget({ stack: "TerminalData" })).rejects.toThrow(
      new OperatorError("Stack TerminalData has no outputs TableName and KeyId; name the data stack"),
    );
  });
});
