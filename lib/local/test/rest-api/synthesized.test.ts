import { describe, expect, it } from "vitest";
import { apis } from "./cdk.ts";
import { type ApiName, fileOf } from "./synthesized.ts";

describe("synthesized/", () => {
  // Run `vitest run -u` to rewrite the files.
  it.each(Object.keys(apis) as ApiName[])("contains %s as CDK synthesizes it", async (name) => {
    await expect(`${JSON.stringify(apis[name](), null, 2)}\n`).toMatchFileSnapshot(fileOf(name));
  });
});
