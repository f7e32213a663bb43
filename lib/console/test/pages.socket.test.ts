import { describe, expect, it } from "vitest";
import { consoleFiles } from "../pages.ts";

describe("the console", () => {
  it("bundles the console when somebody visits it", async () => {
    const files = await consoleFiles()("index.html");
    const [page, script, style] = ["index.html", "console.js", "console.css"].map((name) => files.get(name));
    expect(String(page?.body)).toContain('src="console.js"');
    expect(String(script?.body)).toContain("access_token");
    expect(String(style?.body)).toContain("prefers-reduced-motion");
    // Limits the size of the bundle, most of which is the chart.
    expect(script?.body.length).toBeLessThan(330_000);
  });

  it("bundles the console again on each reload if watched, or else only once", async () => {
    const bundles = async (isWatched: boolean) => {
      const filesFor = consoleFiles({ isWatched });
      const scripts: unknown[] = [];
      for (const name of ["index.html", "console.js", "index.html"])
        scripts.push((await filesFor(name)).get("console.js"));
      return new Set(scripts).size;
    };
    expect(await bundles(true)).toBe(2);
    expect(await bundles(false)).toBe(1);
  });
});
