import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { ChainRefusal } from "trading-terminal-devnet/chain-refusal";
import { localGenesisHash } from "trading-terminal-devnet/sol/sol-node";
import { describe, expect, it, onTestFinished } from "vitest";
import { clusterNameLength } from "../../../lib/chains/sol/calls/rpc-call.ts";
import { main } from "../../../lib/tools/hosts/program.ts";
import { startTestJupiter } from "../../support/jupiter.ts";
import { solDeskForTests, type TestSolHost } from "../../support/sol-reader.ts";
import { stdioForTests } from "../runner/support/stdio.ts";

/** A placeholder for a provider's secret key in a URL. */
const secret = "c0ffee5ec4e7";

const { chain, hosts } = solDeskForTests();

function contextOf(changes: object) {
  const { MOON } = chain.deployment.tokens;
  return {
    hosts: [hosts[0].url, `${hosts[1].url}/?key=${secret}`],
    cluster: localGenesisHash.slice(0, clusterNameLength),
    payer: chain.deployment.payer,
    tokens: [{ token: MOON.mint, symbol: "MOON", name: "Moon", decimals: 6 }],
    ...changes,
  };
}

async function check(changes: object = {}, more: readonly string[] = []) {
  const chains = JSON.stringify({ sol: contextOf(changes) });
  return run(["--chain", "sol", "-c", `chains=${chains}`, ...more]);
}

async function run(args: readonly string[]) {
  const stdio = stdioForTests();
  const status = await main(args, stdio, new AbortController().signal);
  const { out, err } = stdio.printed;
  expect(out + err).not.toContain(secret);
  return { status, out, err };
}

const fatalIn = (out: string) => out.split("Would fail:\n")[1] ?? "";

describe("the hosts program on Solana", () => {
  it("shows each trading call and equal quotes when nothing would fail", async () => {
    const { status, out, err } = await check();
    expect({ status, err }).toEqual({ status: 0, err: "Asking 2 hosts of sol\n" });
    const calls = [
      ...["cluster", "time", "blockhash", "blockhash valid", "accounts"],
      ...["rent of a marker", "rent of wrapped SOL", "recent prices", "pools of MOON", "fee of a message"],
      "buy and sell MOON",
    ];
    for (const call of calls)
      expect(out.match(new RegExp(`^    ${call} +[1-9]\\d* +\\d+$`, "gm")), call).toHaveLength(2);
    expect(out).toContain("MOON, hosts differ by 0 basis points");
    expect(out).toMatch(/\nNothing would fail\.\n/);
  });

  it.each<[string, TestSolHost["lie"], RegExp]>([
    [
      "is of another cluster",
      (method, result) =>
        method === "getGenesisHash" ? "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d" : result,
      /cluster: belongs to another cluster/,
    ],
    [
      "does not know its blockhash",
      (method, result) => (method === "isBlockhashValid" ? { context: { slot: 1 }, value: false } : result),
      /blockhash valid: does not know the blockhash/,
    ],
    [
      "cannot wait for a slot",
      (method, result) => {
        if (method === "getMultipleAccounts")
          throw new ChainRefusal(method, {
            code: -32016,
            message: "Minimum context slot has not been reached",
          });
        return result;
      },
      /accounts: refuses the call with code -32016/,
    ],
    [
      "is far behind",
      (method, result) => {
        if (method !== "getEpochInfo") return result;
        const time = result as { absoluteSlot: number };
        // Leaves the other host behind, because a young chain has too few slots to be behind.
        return { ...time, absoluteSlot: time.absoluteSlot + 10_000 };
      },
      /lag: is further behind the newest host/,
    ],
  ])("reports a host that %s", async (_, lie, line) => {
    hosts[1].lie = lie;
    const { status, out } = await check();
    expect(status).toBe(1);
    expect(fatalIn(out)).toMatch(line);
  });

  it("accepts a host that cannot simulate, and reports tokens that cannot be sold", async () => {
    hosts[1].lie = (method, result) => {
      if (method === "simulateTransaction")
        throw new ChainRefusal(method, { code: -32601, message: "Method not found" });
      return result;
    };
    const { status, out } = await check();
    expect(status).toBe(0);
    expect(out).toContain("so only the other hosts show whether a token can be sold");
    const { TRAP } = chain.deployment.tokens;
    const tokens = [{ token: TRAP.mint, symbol: "TRAP", name: "Trap", decimals: 6 }];
    const trapped = await check({ tokens });
    expect(fatalIn(trapped.out)).toMatch(/buy and sell TRAP: fails in its simulation at instruction \d/);
  });

  it("fails if Jupiter is configured and an exchange has no route, even for tokens given by --token", async () => {
    const jupiter = await startTestJupiter(chain);
    onTestFinished(() => jupiter.close());
    const changes = { tokens: [], jupiter: { url: jupiter.url, key: secret } };
    const { mint } = chain.deployment.tokens.TRAP;
    const { status, out } = await check(changes, ["--token", mint]);
    expect(status).toBe(1);
    expect(fatalIn(out)).toMatch(/^ {2}sol by Jupiter, Pump\.fun: has no route .* by --token$/m);
    expect(jupiter.asked.map(({ outputMint }) => outputMint)).toEqual(Array(4).fill(mint));
  });

  it("ignores the stand-in for Jupiter of a local service", async () => {
    const sol = contextOf({ jupiter: { url: "http://127.0.0.1:1" } });
    const service = createServer((_, response) => response.end(JSON.stringify({ sol })));
    onTestFinished(() => void service.close());
    await once(service.listen(0, "127.0.0.1"), "listening");
    const { port } = service.address() as AddressInfo;
    const { status, out } = await run(["--chain", "sol", "--local", `${port}`]);
    expect(out).toContain("Nothing would fail.");
    expect(out).not.toContain("Jupiter");
    expect(status).toBe(0);
  });

  it("rejects an invalid token address", async () => {
    const { status, err } = await check({}, ["--token", "0x1"]);
    expect(status).toBe(2);
    expect(err).toContain("must be an address: base58 of 32 bytes");
  });
});
