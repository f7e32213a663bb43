import { describe, expect, it } from "vitest";
import { resourceTypes } from "../../src/cloudformation/resource-types.ts";
import { resolveStacks } from "../../src/cloudformation/resources.ts";
import { defineFunction } from "../../src/lambda/function-definition.ts";

const types = resourceTypes(() => ({ keyId: "k", arn: "arn of k" }));

describe("defineFunction", () => {
  const good = {
    Code: { S3Key: "code.zip" },
    Handler: "index.handler",
    Role: "arn:aws:iam::000000000000:role/r",
    Runtime: "nodejs24.x",
  };
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

  it("uses Lambda's defaults for omitted properties", () => {
    expect(define({})).toMatchObject({
      name: "S-Fn",
      codeFolder: "/code",
      memoryMB: 128,
      timeoutSeconds: 3,
      variables: {},
      log: { format: "Text", level: "TRACE", group: "/aws/lambda/S-Fn" },
    });
  });

  it("accepts variables of 4,096 bytes", () => {
    const ORIGINS = "x".repeat(4096 - '{"ORIGINS":""}'.length);
    expect(define({ Environment: { Variables: { ORIGINS } } })?.variables).toEqual({ ORIGINS });
  });

  it.each([
    [{ Runtime: "python3.13" }, "S.Resources.Fn.Properties.Runtime: must be a Node.js runtime"],
    [{ Layers: ["arn"] }, "S.Resources.Fn.Properties.Layers: a layer is not emulated"],
    [
      // Variables one byte over the limit as JSON.
      { Environment: { Variables: { ORIGINS: "x".repeat(4097 - '{"ORIGINS":""}'.length) } } },
      "S.Resources.Fn.Properties.Environment.Variables: variables may have at most 4096 bytes",
    ],
    [{ Code: { ZipFile: "x" } }, "S.Resources.Fn.Properties.Code.S3Key"],
    [{ Code: { S3Key: "other.zip" } }, "S.Resources.Fn: there is no asset other.zip"],
  ])("rejects the function properties %j", (properties, message) => {
    expect(() => define(properties)).toThrow(message);
  });
});
