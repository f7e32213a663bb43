import { parseCLI, startVitest } from "vitest/node";

/** `npm run test:browser` accepts Vitest's options and `--headed`, which shows the browser in slow motion. */
const args = process.argv.slice(2);
if (args.includes("--headed")) process.env.HEADED = "1";
const { filter, options } = parseCLI(["vitest", "run", ...args.filter((arg) => arg !== "--headed")]);
const vitest = await startVitest("test", filter, { config: "test/browser/vitest.config.ts", ...options });
await vitest.close();
// Ends the browser and the page server, too, which stay if the runner does not start.
process.exit();
