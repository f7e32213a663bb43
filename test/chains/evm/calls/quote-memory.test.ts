import { describe, expect, it } from "vitest";
import { quoteMemory, shared } from "../../../../lib/chains/evm/calls/quote-memory.ts";
import { HostFault } from "../../../../lib/chains/hosts/host-fault.ts";
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
  lie: ((asked: Asked) => string) | undefined;
  /** Names of the questions that it was asked, without those for blocks. */
  readonly asked: unknown[] = [];
  readonly blocks: unknown[] = [];

  request: RpcHost["request"] = async (calls) => {
    if (this.isAway) throw new HostFault("TIMEOUT", "all");
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
  const memory = quoteMemory(chain, { hosts, inOrder: () => hosts }, () => clock.ms);
  /** Asks for shared values. Undefined if the memory cannot be used. */
  async function ask(...names: string[]) {
    clock.ms += 1000;
    const named = await memory.atNamedBlock();
    return named?.ask(names.map((name) => shared(call(name, named.number))));
  }
  const timesAsked = (name: string) =>
    hosts.flatMap(({ asked }) => asked).filter((each) => each === name).length;
  const [a, b] = hosts as [FakeHost, FakeHost];
  return { memory, clock, hosts, a, b, ask, timesAsked };
}

/** Asks until a value is remembered. */
async function remembered(name: string, options = {}) {
  const all = opened(options);
  for (let time = 0; time < 3; time++) await all.ask(name);
  expect(all.timesAsked(name)).toBe(Math.min(2, all.hosts.length));
  return all;
}

describe("quoteMemory", () => {
  it("answers from memory once both hosts have given the same answer at the same block", async () => {
    const { a, b, ask } = opened();
    const answers = [await ask("pools"), await ask("pools"), await ask("pools"), await ask("pools")];
    expect(answers).toEqual(Array.from({ length: 4 }, () => ["pools at 100 of 1"]));
    expect([a.asked, b.asked]).toEqual([["pools"], ["pools"]]);
  });

  it("uses an answer only after both hosts have named its block again", async () => {
    const { memory, clock, ask, timesAsked } = opened();
    await ask("pools");
    clock.ms += 1000;
    const named = await memory.atNamedBlock();
    if (named === undefined) throw new Error("The hosts name no block");
    const pools = [shared(call("pools", named.number))] as const;
    await named.ask(pools);
    await named.ask(pools);
    expect(timesAsked("pools")).toBe(3);
    await ask("pools");
    expect(timesAsked("pools")).toBe(3);
  });

  it("forgets everything with a new block", async () => {
    const { hosts, ask, timesAsked } = await remembered("pools");
    for (const host of hosts) host.head++;
    expect(await ask("pools")).toEqual(["pools at 101 of 1"]);
    expect(timesAsked("pools")).toBe(3);
  });

  it("forgets everything when another block replaces the newest one, even if the first one returns", async () => {
    const { hosts, ask, timesAsked } = await remembered("pools");
    for (const host of hosts) host.fork = 2;
    expect(await ask("pools")).toEqual(["pools at 100 of 2"]);
    for (const host of hosts) host.fork = 1;
    expect(await ask("pools")).toEqual(["pools at 100 of 1"]);
    expect(timesAsked("pools")).toBe(4);
  });

  it("never remembers the answer of a host that lies, however often it repeats it", async () => {
    const { a, b, ask } = opened();
    a.lie = () => "a lie";
    for (let time = 0; time < 6; time++) await ask("pools");
    expect(a.asked.length + b.asked.length).toBe(6);
    a.lie = undefined;
    expect((await ask("pools"))?.[0]).toBe("pools at 100 of 1");
  });

  it("does not count the same host's answer twice", async () => {
    const { a, b, clock, memory } = opened();
    a.lie = () => "a lie";
    for (let time = 0; time < 4; time++) {
      clock.ms += 1000;
      const named = await memory.atNamedBlock();
      b.isAway = true;
      await named?.ask([shared(call("pools", named.number))]);
      b.isAway = false;
    }
    expect(a.asked).toHaveLength(4);
  });

  it("asks for everything that is not shared each time, such as the balances of two wallets", async () => {
    const { memory, clock, a, b } = opened();
    const wallets = ["alice", "bob", "alice", "alice", "bob"];
    for (const wallet of wallets) {
      clock.ms += 1000;
      const named = await memory.atNamedBlock();
      const asked = [shared(call("pools", 100)), call(wallet, 100)] as const;
      expect(await named?.ask(asked)).toEqual(["pools at 100 of 1", `${wallet} at 100 of 1`]);
    }
    const all = [...a.asked, ...b.asked];
    expect(all.filter((name) => name === "pools")).toHaveLength(2);
    expect(all.filter((name) => name !== "pools").toSorted()).toEqual(wallets.toSorted());
  });

  it("keeps answers to different questions apart", async () => {
    const { ask } = await remembered("0.5 coins");
    expect(await ask("0.5 coins", "0.6 coins")).toEqual(["0.5 coins at 100 of 1", "0.6 coins at 100 of 1"]);
  });

  it("remembers at most 200 answers and forgets the one that was not used for longest", async () => {
    const { ask, timesAsked } = await remembered("first");
    const many = Array.from({ length: 200 }, (_, index) => `pool ${index}`);
    await ask(...many);
    await ask("first");
    expect(timesAsked("first")).toBe(3);
  });

  it("forgets everything after a minute, even if no block comes", async () => {
    const { clock, ask, timesAsked } = await remembered("pools");
    clock.ms += 56_000;
    await ask("pools");
    expect(timesAsked("pools")).toBe(2);
    clock.ms += 1000;
    await ask("pools");
    expect(timesAsked("pools")).toBe(3);
  });

  it("reads at the newest block that both hosts have", async () => {
    const { a, ask } = await remembered("pools");
    a.head = 101;
    expect(await ask("pools")).toEqual(["pools at 100 of 1"]);
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
    expect(await ask("pools")).toBeUndefined();
    Object.assign(a, { fork, head, isAway });
    const questions = b.blocks.length;
    clock.ms += 8000;
    expect(await ask("pools")).toBeUndefined();
    expect(b.blocks).toHaveLength(questions);
    expect(await ask("pools")).toEqual(["pools at 100 of 1"]);
  });

  it("asks the other host if one fails", async () => {
    const { a, memory } = opened();
    const named = await memory.atNamedBlock();
    a.isAway = true;
    expect(await named?.ask([call("pools", 100)])).toEqual(["pools at 100 of 1"]);
  });

  it("trusts the only host of a chain", async () => {
    const { timesAsked, ask } = opened({ count: 1 });
    for (let time = 0; time < 3; time++) await ask("pools");
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
    const { memory } = opened();
    const named = await memory.atNamedBlock();
    const { method, params } = call("pools", 100);
    const odd = shared({ method, params, read: () => new Map([["a", 1]]) });
    await expect(named?.ask([odd])).rejects.toThrow("plain data");
  });
});
