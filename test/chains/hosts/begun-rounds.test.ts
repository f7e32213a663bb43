import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { beginRounds } from "../../../lib/chains/hosts/begun-rounds.ts";
import { HostFault } from "../../../lib/chains/hosts/host-fault.ts";
import { hostGroup } from "../../../lib/chains/hosts/host-group.ts";
import type { RpcHost } from "../../../lib/chains/hosts/rpc-host.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);
beforeEach(() => void process.on("unhandledRejection", note));
afterEach(() => {
  process.off("unhandledRejection", note);
  unhandled.length = 0;
});

const fault = new HostFault("REFUSED", "eth_call");

/** Opens hosts that answer with their names, or fail, and records which of them are asked. */
function open(names: readonly string[], failing: readonly string[] = []) {
  const asked: string[] = [];
  const hosts = names.map(
    (name): RpcHost => ({
      async request() {
        asked.push(name);
        if (failing.includes(name)) throw fault;
        return [name] as never;
      },
    }),
  );
  const group = hostGroup("eth", hosts);
  let nowMs = 0;
  const begin = () =>
    beginRounds(
      group,
      async (ask) => String(await ask([])),
      () => nowMs,
    );
  const wait = (ms: number) => {
    nowMs += ms;
  };
  return { group, asked, begin, wait };
}

describe("beginRounds", () => {
  it("asks the first two hosts at once, and gives each answer to one quote", async () => {
    const { group, asked, begin } = open(["a", "b", "c"]);
    const begun = begin();
    expect(asked).toEqual(["a", "b"]);
    const take = () => Promise.all(group.inOrder().map((host) => begun.take(host)));
    expect(await take()).toEqual(["a", "b", undefined]);
    expect(await take()).toEqual([undefined, undefined, undefined]);
    expect(asked).toEqual(["a", "b"]);
  });

  it("asks a chain's only host", async () => {
    const { group, begin } = open(["a"]);
    const begun = begin();
    expect(await begun.take(group.hosts[0] as RpcHost)).toBe("a");
  });

  it("asks hosts last that have failed recently", async () => {
    const { group, asked, begin } = open(["a", "b", "c"], ["a"]);
    await group
      .inOrder()[0]
      ?.request([])
      .catch(() => undefined);
    begin();
    expect(asked).toEqual(["a", "b", "c"]);
  });

  it.each([
    [1000, "a"],
    [1001, undefined],
  ])("gives an answer that was begun %d ms ago as %j", async (ms, answer) => {
    const { group, begin, wait } = open(["a", "b"]);
    const begun = begin();
    wait(ms);
    expect(await begun.take(group.inOrder()[0] as RpcHost)).toBe(answer);
  });

  it("shows a failure to the quote, and then asks the host last", async () => {
    const { group, asked, begin } = open(["a", "b", "c"], ["a"]);
    const [first] = group.inOrder();
    const begun = begin();
    const taken = begun.take(first as RpcHost);
    await expect(taken).rejects.toBe(fault);
    expect(asked.splice(0)).toEqual(["a", "b"]);
    begin();
    expect(asked).toEqual(["b", "c"]);
  });

  it("shows a failure to nobody if no quote follows", async () => {
    const { group, begin } = open(["a", "b"], ["a", "b"]);
    const [first] = group.inOrder();
    begin();
    await new Promise((done) => setImmediate(done));
    expect(unhandled).toEqual([]);
    // Lambda may have frozen the process meanwhile.
    expect(group.inOrder()[0]).toBe(first);
  });
});
