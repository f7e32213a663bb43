import { afterAll, vi } from "vitest";
import { cleanUpAtEnd } from "./clean-up.ts";

cleanUpAtEnd();

// Test files share their worker, so none may leave a mock behind.
afterAll(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});
