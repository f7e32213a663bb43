import { defineConfig } from "vitest/config";

/** A project per layer: `unit` opens no socket and starts no process; the others say what they need in their set-up. */
const project = (name: string, include: string[], rest: object = {}) => ({
  extends: true as const,
  test: { name, include: include.map((folder) => `test/${folder}/**/*.test.ts`), ...rest },
});

export default defineConfig({
  test: {
    projects: [
      project("unit", ["domain", "api", "runtime", "documents"]),
      project("aws", ["aws", "admin"]),
      project("infra", ["infra"], { testTimeout: 60_000, hookTimeout: 120_000 }),
      project("local", ["local"], { testTimeout: 30_000, hookTimeout: 120_000 }),
      project("e2e", ["e2e"], { testTimeout: 60_000, hookTimeout: 120_000 }),
    ],
  },
});
