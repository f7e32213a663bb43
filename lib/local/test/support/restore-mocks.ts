import { createRequire } from "node:module";
import { afterAll, vi } from "vitest";

// aws-sdk-client-mock loads Sinon with `require`, which returns another instance than `import`.
const sinon: typeof import("sinon") = createRequire(import.meta.url)("sinon");

// Test files share their worker, so none may leave a mock behind.
afterAll(() => {
  sinon.restore();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
