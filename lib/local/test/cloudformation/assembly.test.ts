import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readAssembly } from "../../src/cloudformation/assembly.ts";
import { resourceTypes } from "../../src/cloudformation/resources/types.ts";
import { resolveStacks } from "../../src/cloudformation/resources.ts";
import { defineFunction } from "../../src/lambda/function-definition.ts";
import { synthesizeFixture } from "../fixtures/assembly.ts";
import { temporaryFolder } from "../fixtures/folder.ts";

const types = resourceTypes(() => ({ keyId: "k", arn: "arn of k" }));

describe("what the CDK writes", () => {
  const assembly = readAssembly(synthesizeFixture());
  const resources = resolveStacks(assembly.stacks, types);

  test("has its stacks", () => {
    expect(assembly.stacks.map(({ name }) => name).toSorted()).toEqual(["Data", "Service"]);
  });

  test("has functions with their code, settings and what they import from other stacks", () => {
    const [worker, ...others] = resources
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
    });
    expect(existsSync(join(worker?.codeFolder ?? "", "index.mjs"))).toBe(true);
  });

  test("puts out names", () => {
    expect(resources.outputs()).toMatchObject({
      TableName: expect.stringMatching(/^Data-Table/),
      KeyId: "arn of k",
    });
  });
});

describe("what is no assembly", () => {
  const folder = (files: Record<string, unknown>) => {
    const path = temporaryFolder();
    for (const [name, content] of Object.entries(files)) {
      writeFileSync(join(path, name), JSON.stringify(content));
    }
    return path;
  };

  test.each([
    ["nothing", {}, "Cannot read"],
    ["no stack", { "manifest.json": { artifacts: {} } }, "There is no stack in"],
    ["another manifest", { "manifest.json": { artifacts: [1] } }, "is not as expected at artifacts"],
    [
      "no template",
      { "manifest.json": { artifacts: { S: { type: "aws:cloudformation:stack" } } } },
      "S.template.json",
    ],
  ])("%s", (_, files, message) => {
    expect(() => readAssembly(folder(files))).toThrow(message);
  });
});

describe("functions that a sandbox cannot run", () => {
  const good = { Code: { S3Key: "code.zip" }, Handler: "index.handler", Runtime: "nodejs24.x" };
  const define = (Properties: Record<string, unknown>) => {
    const template = {
      Resources: { Fn: { Type: "AWS::Lambda::Function", Properties: { ...good, ...Properties } } },
      Outputs: {},
      Parameters: {},
      Conditions: {},
    };
    const stacks = [{ name: "S", template }];
    const assetFolder = (key: string) => (key === "code.zip" ? "/code" : undefined);
    return resolveStacks(stacks, types)
      .all.map((resource) => defineFunction(resource, { stacks, assetFolder }))
      .at(0);
  };

  test("what is not said is as Lambda has it", () => {
    expect(define({})).toMatchObject({
      name: "S-Fn",
      codeFolder: "/code",
      memoryMB: 128,
      timeoutSeconds: 3,
      variables: {},
      log: { format: "Text", level: "TRACE", group: "/aws/lambda/S-Fn" },
    });
  });

  test.each([
    [{ Runtime: "python3.13" }, "S.Resources.Fn.Properties.Runtime: must be a Node.js runtime"],
    [{ Layers: ["arn"] }, "S.Resources.Fn.Properties.Layers: a layer is not emulated"],
    [{ Code: { ZipFile: "x" } }, "S.Resources.Fn.Properties.Code.S3Key"],
    [{ Code: { S3Key: "other.zip" } }, "S.Resources.Fn: there is no asset other.zip"],
  ])("%j", (properties, message) => {
    expect(() => define(properties)).toThrow(message);
  });
});
