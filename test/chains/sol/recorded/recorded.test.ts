import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { expectBuildIsAccepted, expectLandedIsRead } from "../../../support/sol-recordings.ts";

/** Answers of real servers, which `npm run hosts -- --record test/chains/sol/recorded/fixtures` keeps here. */
const folder = fileURLToPath(new URL("fixtures/", import.meta.url));
const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(".json")) : [];

describe("recordings of the real network", () => {
  it.each(files)("reads %s as orders do", async (file) => {
    const content = JSON.parse(readFileSync(`${folder}${file}`, "utf8"));
    await (file.startsWith("build ") ? expectBuildIsAccepted(content) : expectLandedIsRead(content));
  });

  it("names each recording by its kind", () => {
    for (const file of files) expect(file).toMatch(/^(build|landed) /);
  });
});
