import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readAssembly } from "../../src/cloudformation/assembly.ts";
import { resourceTypes } from "../../src/cloudformation/resource-types.ts";
import { resolveStacks } from "../../src/cloudformation/resources.ts";
import { defineFunction } from "../../src/lambda/function-definition.ts";
import { assemblyFolder } from "../fixtures/assemblies.ts";
import { temporaryFolder } from "../fixtures/folder.ts";

const types = resourceTypes(() => ({ keyId: "k", arn: "arn of k" }));

describe("an assembly of the CDK", () => {
  const assembly = readAssembly(assemblyFolder("worker"));
  const resources = resolveStacks(assembly.stacks, types);

  it("reads the stacks of an assembly", () => {
    expect(assembly.stacks.map(({ name }) => name).toSorted()).toEqual(["Data", "Service"]);
  });

  it("reads functions with their code, configuration and imports from other stacks", () => {
    const [worker, walled, ...others] = resources
      .ofType("AWS::Lambda::Function")
      .map((resource) => defineFunction(resource, assembly));
    expect(others).toEqual([]);
    expect(worker).toMatchObject({
      name: "worker",
      arn: "arn:aws:lambda:us-east-1:000000000000:function:worker",
      handler: "index.handler",
      runtime: "nodejs24.x",
      memoryMB: 256,
      timeoutSeconds: 20,
      variables: { TABLE_NAME: expect.stringMatching(/^Data-Table/), KEY_ID: "arn of k" },
      log: { format: "JSON", level: "INFO" },
      subnetIds: [],
    });
    expect(walled).toMatchObject({
      name: "walled",
      roleArn: expect.stringMatching(/^arn:aws:iam::000000000000:role\/Service-WalledServiceRole/),
      subnetIds: [expect.stringMatching(/^Service-VpcWalledSubnet1Subnet/)],
    });
    expect(existsSync(join(worker?.codeFolder ?? "", "index.mjs"))).toBe(true);
  });

  it("reads outputs with resolved names", () => {
    expect(resources.outputs()).toMatchObject({
      TableName: expect.stringMatching(/^Data-Table/),
      KeyId: "arn of k",
    });
  });
});

describe("readAssembly", () => {
  const folder = (files: Record<string, unknown>) => {
    const path = temporaryFolder();
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(path, name), JSON.stringify(content));
    }
    return path;
  };

  it("finds the templates of nested stacks by their S3 keys", () => {
    const nested = { Resources: { Table: { Type: "AWS::DynamoDB::Table" } } };
    const path = folder({
      "manifest.json": {
        artifacts: {
          S: { type: "aws:cloudformation:stack" },
          "S.assets": { type: "cdk:asset-manifest", properties: { file: "S.assets.json" } },
        },
      },
      "S.template.json": { Resources: {} },
      "S.assets.json": {
        files: {
          hash: {
            source: { path: "SNested.nested.template.json", packaging: "file" },
            destinations: { here: { objectKey: "hash.json" } },
          },
        },
      },
      "SNested.nested.template.json": nested,
    });
    const [stack] = readAssembly(path).stacks;
    expect(stack?.templateAt?.("hash.json")).toMatchObject(nested);
    expect(stack?.templateAt?.("other.json")).toBeUndefined();
  });

  it.each([
    ["an empty folder", {}, "Cannot read"],
    ["a manifest without stacks", { "manifest.json": { artifacts: {} } }, "There is no stack in"],
    ["a malformed manifest", { "manifest.json": { artifacts: [1] } }, "is invalid at artifacts"],
    [
      "a stack without its template",
      { "manifest.json": { artifacts: { S: { type: "aws:cloudformation:stack" } } } },
      "S.template.json",
    ],
  ])("rejects an assembly with %s", (_, files, message) => {
    expect(() => readAssembly(folder(files))).toThrow(message);
  });
});
