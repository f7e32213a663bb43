import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { evmClient } from "../../../lib/chains/evm/calls/hosts.ts";
import { evmEffects } from "../../../lib/chains/evm/look.ts";
import type { EvmConfiguration } from "../../../lib/chains/evm/rules/configuration.ts";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { EvmReader } from "../../../lib/chains/evm/venues/reader.ts";
import type { RpcHost } from "../../../lib/chains/hosts/rpc-host.ts";
import { defaultChains } from "../../../lib/infra/default-chains.ts";
import type { Question, Recipients } from "../../../lib/orders/effects.ts";
import { chainEffects, effectsOfChains } from "../../../lib/trading/execution/chain-effects.ts";
import {
  answering,
  hangingUp,
  RpcFailure,
  type RpcServer,
  startRpcServer,
} from "../../support/json-rpc-server.ts";

const hashOf = (text: string) => `0x${text.repeat(64)}`;
const raw = "0x02f8";

let first: RpcServer;
let second: RpcServer;
let relay: RpcServer;
let gone: string;

beforeAll(async () => {
  [first, second, relay] = await Promise.all([startRpcServer(), startRpcServer(), startRpcServer()]);
  const closed = await startRpcServer();
  await closed.stop();
  gone = closed.url;
});
beforeEach(() => {
  for (const server of [first, second, relay]) {
    server.misbehaviour = undefined;
    server.requests.length = 0;
    server.answers = { eth_chainId: "0x1", eth_sendRawTransaction: hashOf("1") };
  }
});
afterAll(() => Promise.all([first, second, relay].map((server) => server.stop())));

function chainsOf(changes: Partial<EvmConfiguration> = {}) {
  const configuration = {
    ...defaultChains.eth,
    hosts: [first.url, second.url],
    relay: relay.url,
    ...changes,
  };
  const client = evmClient({ chain: "eth", hosts: configuration.hosts });
  return new Map([
    ["eth", { family: "evm", chain: "eth", configuration, client } satisfies EvmReader],
  ] as const);
}

const sentTo = (server: RpcServer) =>
  server.requests.flat().filter(({ method }) => method === "eth_sendRawTransaction").length;

describe("chainEffects.send", () => {
  const send = (to: Recipients = "hosts", changes: Partial<EvmConfiguration> = {}) =>
    chainEffects(chainsOf(changes)).send({ chain: "eth", raw, to });

  it.each<[string, Recipients, readonly number[]]>([
    ["every host, and not to the relay", "hosts", [1, 1, 0]],
    ["the relay alone", "relay", [0, 0, 1]],
    ["the relay and every host", "relay and hosts", [1, 1, 1]],
  ])("sends a transaction to %s", async (_, to, sent) => {
    expect(await send(to)).toBe("reached");
    expect([first, second, relay].map(sentTo)).toEqual(sent);
    const [server] = [first, second, relay].filter((each) => sentTo(each) > 0) as [RpcServer];
    expect(server.requests.flat()).toContainEqual(expect.objectContaining({ params: [raw] }));
  });

  it("sends a private transaction to nobody if the relay is no longer configured", async () => {
    const { relay: _, ...rest } = defaultChains.eth;
    const client = evmClient({ chain: "eth", hosts: [first.url] });
    const chains = new Map([
      ["eth", { family: "evm", chain: "eth", configuration: rest, client } as const],
    ] as const);
    expect(await chainEffects(chains).send({ chain: "eth", raw, to: "relay" })).toBe("unreached");
    expect(sentTo(first)).toBe(0);
  });

  it("sends nothing to a chain that no longer trades", async () => {
    expect(await chainEffects(new Map()).send({ chain: "eth", raw, to: "hosts" })).toBe("unreached");
  });

  it.each([
    ["nothing listens", () => gone, undefined],
    ["a host takes no more requests", () => relay.url, answering("", 429)],
    ["a host answers with status 500", () => relay.url, answering("", 500)],
    ["a host hangs up", () => relay.url, hangingUp],
  ])("reports a transaction as not sent if %s", async (_, url, misbehaviour) => {
    relay.misbehaviour = misbehaviour;
    expect(await send("relay", { relay: url() })).toBe("unreached");
  });

  const refusing = (message: string) => ({
    eth_chainId: "0x1",
    eth_sendRawTransaction: new RpcFailure(-32000, message),
  });

  it.each([
    ["already known", "reached"],
    ["known transaction: 1f2e3d", "reached"],
    ["AlreadyKnown", "reached"],
    ["nonce too low: next nonce 8, tx nonce 7", "reached"],
    ["replacement transaction underpriced", "underpriced"],
    ["transaction underpriced: gas tip cap 1, minimum needed 50000000", "underpriced"],
    ["transaction underpriced: gas fee cap 5 < pool minimum fee cap 10", "underpriced"],
    ["max fee per gas less than block base fee", "underpriced"],
    ["FeeTooLowToCompete", "underpriced"],
    ["insufficient funds for gas * price + value: balance 1, tx cost 2", "unfunded"],
    ["Upfront cost exceeds account balance", "unfunded"],
    ["intrinsic gas too low: gas 20000, minimum needed 21000", "unreached"],
    ["in-flight transaction limit reached for delegated accounts", "unreached"],
    ["exceeds block gas limit", "unreached"],
    ["nonce too high", "unreached"],
    ["the sky falls", "unreached"],
  ] as const)('treats the refusal "%s" as %s', async (message, answer) => {
    relay.answers = refusing(message);
    expect(await send("relay")).toBe(answer);
  });

  it("reports a transaction as sent if one of the hosts has it", async () => {
    first.answers = refusing("transaction underpriced");
    expect(await send()).toBe("reached");
    expect(await send("hosts", { hosts: [gone, second.url] })).toBe("reached");
    expect(await send("hosts", { hosts: [gone] })).toBe("unreached");
  });

  it("accepts a reason for a refusal only if two hosts agree", async () => {
    first.answers = refusing("transaction underpriced");
    expect(await send("hosts", { hosts: [first.url, gone] })).toBe("unreached");
    second.answers = refusing("insufficient funds");
    expect(await send()).toBe("unreached");
    second.answers = refusing("fee too low");
    expect(await send()).toBe("underpriced");
  });

  it("asks only the hosts, not the relay, whether a transaction reached a public pool", async () => {
    first.answers = second.answers = refusing("replacement transaction underpriced");
    expect(await send("relay and hosts")).toBe("underpriced");
    first.answers = { eth_chainId: "0x1", eth_sendRawTransaction: hashOf("1") };
    expect(await send("relay and hosts", { relay: gone })).toBe("reached");
  });
});

describe("chainEffects.hostSnapshot", () => {
  const question: Question<Evm> = { chain: "eth", wallet: "0xf39F", hashes: [], orders: [] };
  const hostNames = ["a", "b", "c", "d"].map((name) => `http://${name}.example`);

  /** Returns effects that answer with these snapshots, given by the host's number. All other hosts fail. */
  function asking(hosts: number, snapshots: Record<number, Promise<EvmSnapshot> | EvmSnapshot>) {
    const chains = chainsOf({ hosts: hostNames.slice(0, hosts) });
    const all = chains.get("eth")?.client.hosts ?? [];
    const see = vi.fn(async (host: RpcHost) => snapshots[all.indexOf(host)]);
    return {
      see,
      effects: effectsOfChains(
        new Map([...chains].map(([chain, reader]) => [chain, evmEffects(reader, see)])),
      ),
    };
  }
  const snapshot = (coins: bigint) => ({ coins }) as EvmSnapshot;

  it("queries both hosts at once", async () => {
    const { promise, resolve } = Promise.withResolvers<EvmSnapshot>();
    const { see, effects } = asking(2, { 0: promise, 1: snapshot(1n) });
    const asked = effects.hostSnapshot({ host: 0, question });
    expect(see).toHaveBeenCalledTimes(2);
    resolve(snapshot(0n));
    expect([await asked, await effects.hostSnapshot({ host: 1, question })]).toEqual([
      snapshot(0n),
      snapshot(1n),
    ]);
    expect(see).toHaveBeenCalledTimes(2);
  });

  it("queries the hosts again for a different question", async () => {
    const { see, effects } = asking(2, {});
    await effects.hostSnapshot({ host: 0, question });
    await effects.hostSnapshot({ host: 0, question: { ...question } });
    expect(see).toHaveBeenCalledTimes(4);
  });

  it("queries hosts in reserve, but never counts one host twice", async () => {
    const { effects } = asking(4, { 2: snapshot(2n), 3: snapshot(3n) });
    expect(await effects.hostSnapshot({ host: 0, question })).toEqual(snapshot(2n));
    expect(await effects.hostSnapshot({ host: 1, question })).toEqual(snapshot(3n));
    const odd = asking(3, { 0: snapshot(0n), 2: snapshot(2n) });
    expect(await odd.effects.hostSnapshot({ host: 1, question })).toBeUndefined();
  });

  it("counts the snapshot of a lone host for both hosts", async () => {
    const { see, effects } = asking(1, { 0: snapshot(0n) });
    expect(await effects.hostSnapshot({ host: 0, question })).toBe(
      await effects.hostSnapshot({ host: 1, question }),
    );
    expect(see).toHaveBeenCalledOnce();
  });

  it("returns no snapshot of a chain that no longer trades", async () => {
    expect(await chainEffects(new Map()).hostSnapshot({ host: 0, question })).toBeUndefined();
  });
});
