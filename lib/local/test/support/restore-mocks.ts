import { createRequire } from "node:module";
import { afterAll, vi } from "vitest";

// Loads Sinon with `require` like aws-sdk-client-mock, because `import` returns another instance.
const sinon: typeof import("sinon") = createRequire(import.meta.url)("sinon");

// Restores mocks, because test files share their worker.
afterAll(() => {
  sinon.restore();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
