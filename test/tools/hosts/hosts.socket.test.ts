import { freePort } from "cdk-local-runner/testing";
import { parseEther } from "ethers/utils";
import { localAddresses } from "trading-terminal-devnet/evm/deployment";
import { type HostFaults, type SecondHost, startSecondHost } from "trading-terminal-devnet/evm/second-host";
import { alice, startTestChain, type TestChain } from "trading-terminal-devnet/evm/test-chain";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { V2Contracts, V3Contracts } from "../../../lib/chains/evm/rules/configuration.ts";
import { main, symbolsFor } from "../../../lib/tools/hosts/program.ts";
import { answering, type RpcServer, startRpcServer } from "../../support/json-rpc-server.ts";
import { stdioForTests } from "../runner/support/stdio.ts";

/** A placeholder for a provider's secret key in a URL. */
const secret = "c0ffee5ec4e7";

let chain: TestChain;
let second: SecondHost;
let fake: RpcServer;

beforeAll(async () => {
  chain = await startTestChain();
  // Mines blocks one second apart, so that an old head exceeds the age that trading allows.
  await chain.request("anvil_mine", ["0x1e", "0x1"]);
  await chain.transact({ from: alice.address, to: alice.address });
  second = await startSecondHost({ chainUrl: chain.url });
  fake = await startRpcServer();
});
afterAll(async () => {
  await fake.stop();
  await second.close();
  await chain.close();
});
beforeEach(() => {
  second.faults = {};
  second.lie = (_, reply) => reply;
  fake.misbehaviour = undefined;
});

type Setup = { hosts?: readonly string[]; changes?: object; args?: readonly string[] };

/** Checks eth with two hosts. The second has a key in its URL. */
async function hosts({ hosts = [chain.url, withKey(second.url)], changes = {}, args = [] }: Setup = {}) {
  const eth = { ...chain.contracts, hosts, relay: null, ...changes };
  const stdio = stdioForTests();
  const given = ["--chain", "eth", "-c", `chains=${JSON.stringify({ eth })}`, ...args];
  const status = await main(given, stdio, new AbortController().signal);
  const { out, err } = stdio.printed;
  expect(out + err).not.toContain(secret);
  return { status, out, err };
}

/** Extracts the part of the output that names fatal problems. */
const fatalIn = (out: string) => out.split("Would fail:\n")[1] ?? "";

const withKey = (url: string) => `${url}/${secret}?key=${secret}`;
const nameOf = (url: string) => new URL(url).host;

describe("hosts", () => {
  it("shows the size and time of each trading call and equal quotes when nothing would fail", async () => {
    const { status, out, err } = await hosts();
    expect({ status, err }).toEqual({ status: 0, err: "Asking 2 hosts of eth\n" });
    const calls = [
      ...["chain id", "block latest", "block finalized", "block safe", "fee history", "tip"],
      ...["balance", "nonce latest", "nonce pending", "Multicall3", "quotes", "quotes over quote tokens"],
      ...["simulation", "gas estimate", "receipt", "transaction", "block by hash"],
      ...[
        "state 3 s back",
        "state 60 s back",
        "logs",
        "batch of 3",
        "batch of 10",
        "batch of 30",
        "batch of 100",
      ],
      "code of 12 contracts",
      "contracts of venues",
      `bridges to ${localAddresses.usdx.slice(0, 8)}`,
    ];
    for (const call of calls)
      expect(out.match(new RegExp(`^    ${call} +[1-9]\\d* +\\d+$`, "gm")), call).toHaveLength(2);
    expect(out).toContain("MOON, hosts differ by 0 basis points");
    expect(out).toContain("USDX, hosts differ by 0 basis points");
    expect(out).toMatch(/\nNothing would fail\.\n$/);
  });

  it.each<[string, HostFaults, string, number]>([
    [
      "batches of 10",
      { batchLimit: "base" },
      "batch of 30: is refused, so it is sent in parts of at most 10 calls",
      0,
    ],
    [
      "batches of 3",
      { batchLimit: "drpc" },
      "batch of 10: is refused, so it is sent in parts of at most 3 calls",
      0,
    ],
    [
      "no simulation",
      { simulation: "unsupported" },
      "simulation: does not know this method, or does not allow it",
      0,
    ],
    [
      "no logs",
      { refusesLogs: "unknown" },
      "logs: does not know this method, or does not allow it, so the",
      0,
    ],
    ["an old head", { blocksBehind: 20 }, "lag: is further behind the newest host than the 15 s", 1],
    ["huge errors", { longError: 1 }, "chain id: refuses the call with code -32603", 1],
    ["another chain", { otherChain: 1 }, "chain id: belongs to another chain, 5477689 instead of 1", 1],
  ])("reports the host with %s", async (_, faults, words, expected) => {
    second.faults = faults;
    const { status, out } = await hosts();
    expect(out).toContain(`  eth ${nameOf(second.url)}, ${words}`);
    expect({ status, isFatal: fatalIn(out) !== "" }, fatalIn(out)).toEqual({
      status: expected,
      isFatal: expected === 1,
    });
  });

  it("reports contracts without code and fails", async () => {
    const [v2, v3] = chain.contracts.venues;
    const quoter = `0x${"2".repeat(40)}`;
    const { status, out } = await hosts({ changes: { venues: [v2, { ...v3, quoter }], quoteTokens: [] } });
    expect(out).toContain(`eth ${nameOf(chain.url)}, quoter of uniswap-v3: has no code at its address`);
    expect(status).toBe(1);
  });

  it("reports routers of other exchanges and bridges without a pool", async () => {
    const [v2, v3, pancake] = chain.contracts.venues as [V2Contracts, V3Contracts, V3Contracts];
    const bridges = [{ venue: "uniswap-v3", feeBps: 100 }];
    const quoteTokens = [{ token: localAddresses.usdx, isStable: true, bridges }];
    const venues = [v2, v3, { ...pancake, router: v3.router }];
    const { status, out } = await hosts({ changes: { venues, quoteTokens } });
    const of = `eth ${nameOf(chain.url)},`;
    expect(out).toContain(
      `${of} factory of the router of pancakeswap-v3: is not ${pancake.factory}: remove the row of the venue`,
    );
    expect(out).toContain(
      `${of} bridge uniswap-v3 at 100 bps to ${localAddresses.usdx}: has no pool that pays`,
    );
    expect(fatalIn(out)).not.toContain("WETH");
    expect(fatalIn(out).split("Trading works around")[0]).not.toContain("bridge");
    expect(status).toBe(1);
  });

  it.each(["base", "avax"] as const)(
    "finds no problem with the exchanges that exist only on %s",
    async (name) => {
      const own = await startTestChain({ chain: name });
      const other = await startSecondHost({ chainUrl: own.url });
      try {
        const changes = { ...own.contracts, hosts: [own.url, other.url], relay: null };
        const given = ["--chain", name, "-c", `chains=${JSON.stringify({ [name]: changes })}`];
        const stdio = stdioForTests();
        await main(given, stdio, new AbortController().signal);
        expect(stdio.printed.out).toMatch(/\nNothing would fail\.\n$/);
        expect(stdio.printed.out).not.toContain("has no pool that pays");
      } finally {
        await other.close();
        await own.close();
      }
    },
  );

  it("reports a router of another set of Slipstream's contracts", async () => {
    const own = await startTestChain({ chain: "base" });
    try {
      const { venues, ...contracts } = own.contracts;
      const [initial, , newest] = venues.filter(({ venue }) => venue.startsWith("slipstream"));
      const mixed = venues.map((row) => (row === newest ? { ...row, router: initial?.router } : row));
      const changes = { ...contracts, venues: mixed, hosts: [own.url], relay: null };
      const stdio = stdioForTests();
      const given = ["--chain", "base", "-c", `chains=${JSON.stringify({ base: changes })}`];
      expect(await main(given, stdio, new AbortController().signal)).toBe(1);
      expect(stdio.printed.out).toContain(
        `factory of the router of slipstream-v3: is not ${newest?.factory}: remove the row of the venue`,
      );
    } finally {
      await own.close();
    }
  });

  it("reports differing quotes at one block, which trading would refuse", async () => {
    const { out: before } = await hosts();
    const [, amount = ""] = before.match(/MOON, .*\n +\S+ +(\S+)/) ?? [];
    const units = parseEther(amount).toString(16);
    const half = (parseEther(amount) / 2n).toString(16).padStart(units.length, "0");
    second.lie = (_, reply) => JSON.parse(JSON.stringify(reply).replaceAll(units, half));
    const { status, out } = await hosts();
    expect(out).toMatch(/MOON, hosts differ by [1-9][\d.]* basis points/);
    expect(out).toContain("  eth, quote of MOON: the hosts disagree about the trade");
    expect(out).not.toContain("quote of USDX");
    expect(status).toBe(1);
  });

  it("prints no response of a host and no key", async () => {
    fake.misbehaviour = answering(`<html>${secret.repeat(10_000)}</html>`, 502);
    const { status, out } = await hosts({ hosts: [chain.url, withKey(fake.url)] });
    expect(out).toContain(`eth ${nameOf(fake.url)}, chain id: answers with an HTTP error`);
    expect(status).toBe(1);
  });

  it("never prints a malformed context", async () => {
    const { status, err } = await hosts({ args: ["-c", `chains={"eth":"https://rpc.example/${secret}`] });
    expect({ status, err }).toEqual({ status: 1, err: "Context chains is not JSON\n" });
  });

  it("requires custom hosts, as a deployment does", async () => {
    const stdio = stdioForTests();
    expect(await main(["--chain", "eth"], stdio, new AbortController().signal)).toBe(1);
    expect(stdio.printed.err).toContain("chains.eth.hosts must name your own hosts");
  });

  it("reports in one line that no local service with chains is running", async () => {
    const port = await freePort();
    const { status, out, err } = await hosts({ args: ["--local", `${port}`] });
    expect({ status, out }).toEqual({ status: 1, out: "" });
    expect(err).toBe(`No service with local chains answers at port ${port}. Start it with npm start.\n`);
  });
});

describe("hosts --watch", () => {
  it("asks about all tokens first, and then about each in turn", () => {
    const configuration = { tokens: [{ symbol: "A" }, { symbol: "B" }] };
    const rounds = [0, 1, 2, 3].map((round) => symbolsFor({ configuration }, round).join());
    expect(rounds).toEqual(["A,B", "B", "A", "B"]);
  });

  it("prints a line at each change and a summary at the end", async () => {
    const stop = new AbortController();
    const eth = { ...chain.contracts, hosts: [chain.url, second.url], relay: null };
    const steps: HostFaults[] = [{}, { blocksBehind: 20 }, { blocksBehind: 20 }, {}];
    const stdio = stdioForTests();
    const pause = async () => {
      const faults = steps.shift();
      if (faults === undefined) stop.abort();
      second.faults = faults ?? {};
    };
    const args = ["--chain", "eth", "--watch", "-c", `chains=${JSON.stringify({ eth })}`];
    const status = await main(args, stdio, stop.signal, { nowMs: () => 0, pause });
    const [, watch] = stdio.printed.out.split("Nothing would fail.\n");
    const lag = `eth ${nameOf(second.url)}, lag`;
    expect(watch?.split("\n")).toEqual([
      `1970-01-01T00:00:00.000Z ${lag}: is further behind the newest host than the 15 s that trading allows`,
      `1970-01-01T00:00:00.000Z ${lag}: works again`,
      `eth ${nameOf(chain.url)}: at most 0 s behind`,
      expect.stringMatching(/: at most [1-9]\d* s behind$/),
      `${lag}: a problem in 2 of 5 checks, 2 of which would fail`,
      "",
    ]);
    expect(status).toBe(1);
  });
});
