import {
  type JupiterServerOptions,
  type LocalJupiter,
  startJupiterServer,
} from "../../lib/tools/dev/chains/sol/jupiter-server.ts";
import type { TestSurfnet } from "./surfnet.ts";

/** Jupiter's stand-in on a test chain, with all that it was asked for. */
export type TestJupiter = LocalJupiter & {
  asked: Readonly<Record<string, string>>[];
  keys: (string | undefined)[];
};

export async function startTestJupiter(
  chain: TestSurfnet,
  options: Pick<JupiterServerOptions, "symbols"> = {},
): Promise<TestJupiter> {
  const asked: TestJupiter["asked"] = [];
  const keys: TestJupiter["keys"] = [];
  const server = await startJupiterServer({
    ...{ node: chain, jupiter: chain.deployment.jupiter, ...options },
    onRequest(query, key) {
      asked.push(query);
      keys.push(key);
    },
  });
  return Object.assign(server, { asked, keys });
}
