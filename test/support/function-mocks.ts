import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, vi } from "vitest";
import { quietConsole } from "./console.ts";

/**
 * Mocks for tests of handlers: the table and the network do not respond unless a test sets responses, and the
 * console is silent.
 */
export function mockFunctions() {
  const table = mockClient(DynamoDBDocumentClient);
  const logged = quietConsole();
  const fetched = vi.fn<typeof fetch>();
  beforeEach(() => {
    table.reset();
    fetched.mockReset();
    vi.stubGlobal("fetch", fetched);
  });
  afterEach(() => vi.unstubAllGlobals());
  return { table, logged, fetched };
}
