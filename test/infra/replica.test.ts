import { describe, expect, it } from "vitest";
import { ConfigurationError } from "../../lib/infra/config.ts";
import { readStacks } from "../../lib/infra/read-stacks.ts";
import { ownHosts, synthesize, type Template, walletKeyOf } from "./synthesized.ts";

const trading = { trading: ["eth"], chains: ownHosts, walletExport: true };
const replicaRegion = "eu-central-1";

const stacksFor = (context: Record<string, unknown>, region?: string) =>
  readStacks(
    { ...trading, ...context },
    (stacks) => Object.fromEntries(stacks.map((stack) => [stack.stackName, stack])),
    region,
  );

const resourcesOf = (template: Pick<Template, "Resources"> | undefined, type: string) =>
  Object.values(template?.Resources ?? {}).filter(({ Type }) => Type === type);

type Policy = { Statement: { Sid: string; Action: string | string[]; Condition?: object }[] };

const replicated = stacksFor({ replicaRegion }, "eu-west-1");

describe("context replicaRegion", () => {
  it("adds no stack and no right to replicate by default", () => {
    const plain = stacksFor({}, "eu-west-1");
    expect(Object.keys(plain)).not.toContain("TerminalReplica");
    expect(Object.keys(plain)).not.toContain("TerminalBackups");
    expect(JSON.stringify(plain.TerminalData)).not.toContain("kms:ReplicateKey");
  });

  it("makes a replica of the key of the stacks, which nobody may use yet", () => {
    const [replica, ...others] = resourcesOf(replicated.TerminalReplica?.template, "AWS::KMS::ReplicaKey");
    expect(others).toEqual([]);
    expect(replica).toMatchObject({
      DeletionPolicy: "RetainExceptOnCreate",
      Properties: {
        PrimaryKeyArn: {
          "Fn::GetStackOutput": { StackName: "TerminalData", OutputName: "KeyId", Region: "eu-west-1" },
        },
      },
    });
    const { Statement } = (replica?.Properties.KeyPolicy ?? { Statement: [] }) as Policy;
    expect(Statement.map(({ Sid }) => Sid)).toEqual(["Administer"]);
    expect(JSON.stringify(Statement)).not.toMatch(/kms:(Decrypt|GenerateDataKey|ReEncrypt|CreateGrant|\*)/);
    expect(replicated.TerminalReplica).toMatchObject({
      isProtected: true,
      deployedAfter: expect.arrayContaining(["TerminalData"]),
    });
  });

  it("allows replicas of the key in that region only", () => {
    const data = replicated.TerminalData?.template as Template;
    const { Statement } = walletKeyOf({ data }).Properties.KeyPolicy as Policy;
    expect(Statement.filter(({ Action }) => JSON.stringify(Action).includes("ReplicateKey"))).toMatchObject([
      { Action: "kms:ReplicateKey", Condition: { StringEquals: { "kms:ReplicaRegion": replicaRegion } } },
    ]);
  });

  it("copies the table each day into the vault of that region", () => {
    const [vault] = resourcesOf(replicated.TerminalReplica?.template, "AWS::Backup::BackupVault");
    expect(vault?.Properties.BackupVaultName).toBe("TerminalCopies");
    const { template, deployedAfter = [] } = replicated.TerminalBackups ?? {};
    expect(deployedAfter).toContain("TerminalReplica");
    const [plan] = resourcesOf(template, "AWS::Backup::BackupPlan");
    const text = JSON.stringify(plan);
    expect(text).toContain('"cron(0 3 * * ? *)"');
    expect(text).toContain(`:backup:${replicaRegion}:`);
    expect(text).toContain(":backup-vault:TerminalCopies");
    const [selection] = resourcesOf(template, "AWS::Backup::BackupSelection");
    expect(JSON.stringify(selection)).toContain("TableCD117FA1Arn");
  });

  it.each<[string, Record<string, unknown>, string | undefined, string]>([
    ["the region of the stacks", {}, replicaRegion, "must differ from the region of the stacks"],
    ["an unknown region of the stacks", {}, undefined, "needs a region: set AWS_REGION"],
    ["a key of one region", { multiRegionKey: false }, "eu-west-1", "needs multiRegionKey to be true"],
    ["no region", { replicaRegion: "Frankfurt" }, "eu-west-1", "must be a region, such as eu-west-1"],
  ])("refuses %s", (_, context, region, message) => {
    const synthesis = () => stacksFor({ replicaRegion, ...context }, region);
    expect(synthesis).toThrow(ConfigurationError);
    expect(synthesis).toThrow(message);
  });
});

describe("context walletKeyArn", () => {
  const walletKeyArn = `arn:aws:kms:eu-central-1:111111111111:key/mrk-${"0".repeat(32)}`;
  const recovered = stacksFor({ walletKeyArn });
  const data = recovered.TerminalData?.template as Template;

  it("uses the replica instead of a key of its own", () => {
    expect(() => walletKeyOf({ data })).toThrow("There is no key of wallets");
    expect(data.Outputs.KeyId?.Value).toBe(walletKeyArn);
    const variables = resourcesOf(recovered.TerminalApi?.template, "AWS::Lambda::Function").flatMap(
      ({ Properties }) => {
        const { Variables } = Properties.Environment as { Variables: Record<string, unknown> };
        return Variables.KEY_ID === undefined ? [] : [Variables.KEY_ID];
      },
    );
    expect(new Set(variables)).toEqual(new Set([walletKeyArn]));
  });

  it("shows the policy that the replica needs, which is that of a key of its own", () => {
    const { Value } = data.Outputs.KeyPolicy ?? {};
    const { "Fn::Join": [, parts] = ["", []] } = Value as { "Fn::Join": [string, (string | object)[]] };
    const text = parts.map((part) => (typeof part === "string" ? part : "X")).join("");
    const own = walletKeyOf(synthesize(trading)).Properties.KeyPolicy as Policy;
    expect((JSON.parse(text) as Policy).Statement.map(({ Sid, Action }) => [Sid, Action])).toEqual(
      own.Statement.map(({ Sid, Action }) => [Sid, Action]),
    );
  });

  it("refuses a key that is not multi-region, and a replica of a replica", () => {
    expect(() => stacksFor({ walletKeyArn: walletKeyArn.replace("mrk-", "") })).toThrow(
      "Context walletKeyArn must be the ARN of a multi-region key",
    );
    expect(() => stacksFor({ walletKeyArn, replicaRegion }, "us-east-1")).toThrow("exclude each other");
  });
});
