import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { consoleFiles, consolePolicy } from "../../pages.ts";
import { brokenRules, visitsForTests } from "../support/browser.ts";

const visit = visitsForTests();
const filesFor = consoleFiles();

const server = createServer(async ({ url = "/" }, response) => {
  const name = url.slice(1);
  const file = (await filesFor(name)).get(name);
  if (file === undefined) return response.writeHead(404).end();
  return response
    .writeHead(200, { "Content-Type": file.type, "Content-Security-Policy": consolePolicy })
    .end(file.body);
});

beforeAll(async () => void (await once(server.listen(0, "127.0.0.1"), "listening")));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe("the gallery", () => {
  it.each(["light", "dark"] as const)(
    "passes all accessibility checks and loads only local files, in the %s theme",
    async (colorScheme) => {
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const { page, context, complaints, origins, screenshot } = await visit(`${origin}/components.html`, {
        colorScheme,
      });
      await page.getByRole("heading", { name: "Components" }).waitFor();
      expect(await brokenRules(page)).toEqual([]);
      for (const width of colorScheme === "light" ? [1440, 360] : [900]) {
        await page.setViewportSize({ width, height: 900 });
        await screenshot(`components-${colorScheme}-${width}`);
      }
      expect(complaints).toEqual([]);
      expect([...origins]).toEqual([origin]);
      await context.close();
    },
  );
});
