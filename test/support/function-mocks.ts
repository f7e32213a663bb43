import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { mockClient } from "aws-sdk-client-mock";
import { afterEach, beforeEach, vi } from "vitest";
import { quietConsole } from "./console.ts";

/**
 * Mocks the environment of handlers. The table and the network respond only as a test defines, and the console is
 * silent.
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
