import { describe, expect, it } from "vitest";
import { quoteMemory, shared } from "../../../../lib/chains/evm/calls/quote-memory.ts";
import { HostFault } from "../../../../lib/chains/hosts/host-fault.ts";
import { hostGroup } from "../../../../lib/chains/hosts/host-group.ts";
import type { RpcCall } from "../../../../lib/chains/hosts/rpc-call.ts";
import type { RpcHost } from "../../../../lib/chains/hosts/rpc-host.ts";
import type { EvmChain } from "../../../../lib/core/chain-facts.ts";

const startMs = Date.UTC(2026, 10, 21);

const hex = (value: number) => `0x${value.toString(16)}`;

/** Makes a hash of a block. The fork tells blocks of the same number apart. */
const hashOf = (number: number, fork: number) => `0x${fork}${number.toString(16).padStart(63, "0")}`;

type Asked = { name: unknown; block: number };

/** A host that answers any question with its name and its block, unless it lies. */
class FakeHost implements RpcHost {
  head = 100;
  fork = 1;
  isAway = false;
  /** Called for a request with anything but blocks. Throws if the host does not answer it. */
  onCalls: (() => void) | undefined;
  /** Delays the answers to requests. */
  held: Promise<void> | undefined;
  lie: ((asked: Asked) => string) | undefined;
  /** Names of the questions that it was asked, without those for blocks. */
  readonly asked: unknown[] = [];
  readonly blocks: unknown[] = [];

  request: RpcHost["request"] = async (calls) => {
    if (this.isAway) throw new HostFault("TIMEOUT", "all");
    if (calls.some(({ method }) => method === "eth_call")) this.onCalls?.();
    await this.held;
    return calls.map(({ method, params, read }) => read(this.#answer(method, params))) as never;
  };

  #answer(method: string, [first, second]: readonly unknown[]): unknown {
    if (method !== "eth_getBlockByNumber") {
      this.asked.push(first);
      const asked = { name: first, block: Number(second) };
      return this.lie?.(asked) ?? `${asked.name} at ${asked.block} of ${this.fork}`;
    }
    this.blocks.push(first);
    const number = first === "latest" ? this.head : Number(first);
    return { number: hex(number), hash: hashOf(number, this.fork), timestamp: hex(12 * number) };
  }
}

const call = (name: string, block: number): RpcCall<string> => ({
  method: "eth_call",
  params: [name, hex(block)],
  read: String,
});

/** Opens a memory on fake hosts. Each ask takes a second. */
function opened({ chain = "eth", count = 2 }: { chain?: EvmChain; count?: number } = {}) {
  const hosts = Array.from({ length: count }, () => new FakeHost());
  const clock = { ms: startMs };
  const group = hostGroup(chain, hosts, () => clock.ms);
  const memory = quoteMemory(chain, group, () => clock.ms);
  /** Looks as often as it takes until the token is popular. */
  async function look() {
    clock.ms += 1000;
    for (let quotes = 0; quotes < 3; quotes++) {
      const named = await memory.atNamedBlock("0xa");
      if (named !== undefined) return named;
    }
    return undefined;
  }
  /** Asks for shared values. Undefined if the memory cannot be used. */
  async function ask(...names: string[]) {
    const named = await look();
    return named?.ask(names.map((name) => shared(call(name, named.number))));
  }
  const timesAsked = (name: string) =>
    hosts.flatMap(({ asked }) => asked).filter((each) => each === name).length;
  const [a, b] = hosts as [FakeHost, FakeHost];
  return { memory, group, clock, hosts, a, b, look, ask, timesAsked };
}

/** Asks until a value is remembered. */
async function remembered(name: string, options = {}) {
  const all = opened(options);
  for (let time = 0; time < 4; time++) await all.ask(name);
  const before = all.timesAsked(name);
  await all.ask(name);
  expect(all.timesAsked(name)).toBe(before);
  return { ...all, timesAskedAgain: () => all.timesAsked(name) - before };
}

describe("quoteMemory", () => {
  it("answers from memory once both hosts have given the same answer at the same block", async () => {
    const { a, b, ask } = opened();
    for (let time = 0; time < 9; time++) expect(await ask("pools")).toEqual(["pools at 100 of 1"]);
    expect(a.asked).toContain("pools");
    expect(b.asked).toContain("pools");
    expect(a.asked.length + b.asked.length).toBe(3);
  });

  it("uses an answer only after each host has named its block again", async () => {
    const { look, timesAsked } = opened();
    const ask = async (times: number) => {
      const named = await look();
      for (let time = 0; time < times; time++) await named?.ask([shared(call("pools", named.number))]);
      return timesAsked("pools");
    };
    expect(await ask(3)).toBe(3);
    expect(await ask(1)).toBe(4);
    expect(await ask(1)).toBe(4);
  });

  it("looks at hosts in turn, and only from the third quote of a token in the time of a block", async () => {
    const { memory, clock, a, b } = opened();
    const quotes = async (token: string, ms: readonly number[]) => {
      for (const each of ms) {
        clock.ms += each;
        await memory.atNamedBlock(token);
      }
      return a.blocks.length + b.blocks.length;
    };
    expect(await quotes("0xa", [0, 6000, 7000, 7000, 13_000])).toBe(0);
    expect(await quotes("0xb", [0, 0])).toBe(0);
    expect(await quotes("0xb", [1000])).toBe(2);
    expect(await quotes("0xb", [1000, 1000, 1000])).toBe(5);
    expect(Math.abs(a.blocks.length - b.blocks.length)).toBe(1);
  });

  it("forgets everything with a new block", async () => {
    const { hosts, ask, timesAskedAgain } = await remembered("pools");
    for (const host of hosts) host.head++;
    expect(await ask("pools")).toEqual(["pools at 101 of 1"]);
    expect(timesAskedAgain()).toBe(1);
  });

  it("forgets everything when another block replaces the newest one, even if the first one returns", async () => {
    const { hosts, ask, timesAskedAgain } = await remembered("pools");
    for (const host of hosts) host.fork = 2;
    expect(await ask("pools")).toEqual(["pools at 100 of 2"]);
    for (const host of hosts) host.fork = 1;
    expect(await ask("pools")).toEqual(["pools at 100 of 1"]);
    expect(timesAskedAgain()).toBe(2);
  });

  it("never remembers the answer of a host that lies, however often it repeats it", async () => {
    const { a, ask, timesAsked } = opened();
    a.lie = () => "a lie";
    for (let time = 0; time < 9; time++) await ask("pools");
    expect(timesAsked("pools")).toBe(9);
    a.lie = undefined;
    expect(await ask("pools")).toEqual(["pools at 100 of 1"]);
  });

  it("does not count the same host's answer twice", async () => {
    const { a, look, ask, timesAsked } = opened();
    a.lie = () => "a lie";
    const named = await look();
    // The other host has answered more of the last questions, so the first one answers again.
    for (const names of [["pools"], ["pools", "prices"], ["pools", "prices"]])
      await named?.ask(names.map((name) => shared(call(name, named.number))));
    expect(a.asked).toEqual(["pools", "pools", "prices"]);
    for (let time = 0; time < 4; time++) await ask("pools");
    expect(timesAsked("pools")).toBe(7);
  });

  it("asks for everything that is not shared each time, such as the balances of two wallets", async () => {
    const { look, a, b } = await remembered("pools");
    const before = a.asked.length + b.asked.length;
    const wallets = ["alice", "bob", "alice", "alice", "bob"];
    for (const wallet of wallets) {
      const asked = [shared(call("pools", 100)), call(wallet, 100)] as const;
      const answers = await (await look())?.ask(asked);
      expect(answers).toEqual(["pools at 100 of 1", `${wallet} at 100 of 1`]);
    }
    const named = [...a.asked, ...b.asked].filter((name) => name !== "pools");
    expect(named.toSorted()).toEqual(wallets.toSorted());
    expect(a.asked.length + b.asked.length - before).toBe(wallets.length);
  });

  it("keeps answers to different questions apart", async () => {
    const { ask } = await remembered("0.5 coins");
    expect(await ask("0.5 coins", "0.6 coins")).toEqual(["0.5 coins at 100 of 1", "0.6 coins at 100 of 1"]);
  });

  it("remembers at most 200 answers and forgets the one that was not used for longest", async () => {
    const { ask, timesAskedAgain } = await remembered("first");
    await ask(...Array.from({ length: 200 }, (_, index) => `pool ${index}`));
    await ask("first");
    expect(timesAskedAgain()).toBe(1);
  });

  it("forgets everything after a minute, even if no block comes", async () => {
    const { clock, ask, timesAskedAgain } = await remembered("pools");
    clock.ms += 54_000;
    await ask("pools");
    expect(timesAskedAgain()).toBe(0);
    clock.ms += 1000;
    await ask("pools");
    expect(timesAskedAgain()).toBe(1);
  });

  it("reads at the newest block that both hosts have", async () => {
    const { a, ask } = await remembered("pools");
    a.head = 101;
    for (let time = 0; time < 2; time++) expect(await ask("pools")).toEqual(["pools at 100 of 1"]);
    expect(a.blocks).toContain(hex(100));
  });

  it.each<[string, (host: FakeHost) => void]>([
    ["names another block", (host) => Object.assign(host, { fork: 2 })],
    ["names another block before its newest one", (host) => Object.assign(host, { fork: 2, head: 101 })],
    ["is far behind", (host) => Object.assign(host, { head: 90 })],
    ["does not answer", (host) => Object.assign(host, { isAway: true })],
  ])("cannot be used for ten seconds after a host %s", async (_, disturb) => {
    const { a, b, clock, ask } = await remembered("pools");
    const { fork, head, isAway } = a;
    disturb(a);
    // The first of two looks may ask the other host.
    await ask("pools");
    expect(await ask("pools")).toBeUndefined();
    Object.assign(a, { fork, head, isAway });
    const questions = b.blocks.length;
    clock.ms += 7000;
    expect(await ask("pools")).toBeUndefined();
    expect(b.blocks).toHaveLength(questions);
    clock.ms += 2000;
    expect(await ask("pools")).toEqual(["pools at 100 of 1"]);
  });

  it("asks the other host if one fails", async () => {
    const { a, look } = opened();
    const named = await look();
    a.isAway = true;
    expect(await named?.ask([call("pools", 100)])).toEqual(["pools at 100 of 1"]);
  });

  it.each([0, 1])(
    "lets host %d, which names blocks and answers nothing else, delay one quote in ten seconds",
    async (index) => {
      const { clock, hosts, group, look } = opened();
      const delaysMs: number[] = [];
      (hosts[index] as FakeHost).onCalls = () => {
        clock.ms += 2000;
        throw new HostFault("TIMEOUT", "eth_call");
      };
      for (const endMs = startMs + 60_000; clock.ms < endMs; ) {
        const named = await look();
        const beforeMs = clock.ms;
        for (const name of ["pools", "states", "prices"])
          await (named?.ask ?? group.read)([shared(call(name, 100))]);
        delaysMs.push(clock.ms - beforeMs);
      }
      expect(Math.max(...delaysMs)).toBe(2000);
      expect(delaysMs.filter((ms) => ms > 0).length).toBeLessThanOrEqual(6);
    },
  );

  it("answers a look that began before another one found that hosts name no common block", async () => {
    const { a, memory, look } = opened();
    await look();
    const { promise, resolve } = Promise.withResolvers<void>();
    a.held = promise;
    const first = memory.atNamedBlock("0xa");
    a.held = undefined;
    a.fork = 2;
    expect(await memory.atNamedBlock("0xa")).toBeUndefined();
    a.fork = 1;
    resolve();
    expect(await first).toMatchObject({ number: 100 });
  });

  it("trusts the only host of a chain", async () => {
    const { timesAsked, ask } = opened({ count: 1 });
    for (let time = 0; time < 4; time++) await ask("pools");
    expect(timesAsked("pools")).toBe(1);
  });

  it.each(["base", "bsc", "avax"] as const)(
    "asks nothing on %s, where blocks come too fast",
    async (chain) => {
      const { a, ask } = opened({ chain });
      expect(await ask("pools")).toBeUndefined();
      expect(a.blocks).toEqual([]);
    },
  );

  it("refuses values that cannot be compared in full", async () => {
    const named = await opened().look();
    const { method, params } = call("pools", 100);
    const odd = shared({ method, params, read: () => new Map([["a", 1]]) });
    await expect(named?.ask([odd])).rejects.toThrow("plain data");
  });
});
