import { describe, expect, it } from "vitest";
import { apis } from "./cdk.ts";
import { type ApiName, fileOf } from "./synthesized.ts";

describe("synthesized/", () => {
  // Compares with stored files. Run `vitest run -u` to rewrite them.
  it.each(Object.keys(apis) as ApiName[])("stores %s as CDK synthesizes it", async (name) => {
    await expect(`${JSON.stringify(apis[name](), null, 2)}\n`).toMatchFileSnapshot(fileOf(name));
  });
});
