import { defineConfig } from "vitest/config";
import { foldersFor } from "./test/e2e/folders.ts";

/** A project per layer. `unit` opens no socket and starts no process; the others say in their set-up what they need. */
const project = (name: string, folders: string[], rest: object = {}) => ({
  extends: true as const,
  test: { name, include: folders.map((folder) => `test/${folder}/**/*.test.ts`), ...rest },
});

const inE2e = (folders: string[]) => folders.map((folder) => `e2e/${folder}`);

const patient = { testTimeout: 60_000, hookTimeout: 120_000 };

export default defineConfig({
  test: {
    reporters: process.env.CI ? ["default", "./test/closing-line.ts"] : ["default"],
    projects: [
      project("unit", [
        "domain",
        "api",
        "runtime",
        "documents",
        "functions",
        "structure",
        "realtime/unit",
        "prices/rules",
      ]),
      project("feeds", ["prices/sockets", "dev"], patient),
      project("aws", ["aws", "users", "wallets", "realtime/table", "admin", "plans"], patient),
      // CDK takes seconds to load: so once for each worker, not for each file.
      project("infra", ["infra"], { ...patient, isolate: false }),
      { extends: true, test: { name: "local", include: ["lib/local/test/**/*.test.ts"], ...patient } },
      project("e2e", inE2e(foldersFor(process.env)), {
        ...patient,
        globalSetup: ["test/e2e/global-setup.ts"],
      }),
    ],
  },
});
