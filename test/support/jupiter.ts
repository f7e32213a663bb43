import {
  type JupiterServerOptions,
  type LocalJupiter,
  startJupiterServer,
} from "trading-terminal-devnet/sol/jupiter-server";
import type { TestSurfnet } from "trading-terminal-devnet/sol/test-surfnet";

/** A stand-in for Jupiter on a test chain. It records its requests. */
export type TestJupiter = LocalJupiter & {
  asked: Readonly<Record<string, string>>[];
  keys: (string | undefined)[];
  /** Selects the faults for a request. */
  faultsOf: ((query: Readonly<Record<string, string>>) => LocalJupiter["faults"]) | undefined;
};

export async function startTestJupiter(
  chain: TestSurfnet,
  options: Pick<JupiterServerOptions, "symbols" | "perMinute"> = {},
): Promise<TestJupiter> {
  const asked: TestJupiter["asked"] = [];
  const keys: TestJupiter["keys"] = [];
  const own: Pick<TestJupiter, "asked" | "keys" | "faultsOf"> = { asked, keys, faultsOf: undefined };
  const server: LocalJupiter = await startJupiterServer({
    node: chain,
    jupiter: chain.deployment.jupiter,
    ...options,
    onRequest(query, key) {
      asked.push(query);
      keys.push(key);
      const faults = jupiter.faultsOf?.(query);
      if (faults !== undefined) jupiter.faults = faults;
    },
  });
  const jupiter = Object.assign(server, own);
  return jupiter;
}
