import { portsOf } from "trading-terminal-devnet/local-chains";
import type { TradingChain } from "../../../lib/core/chain-facts.ts";

/** The faults of a chain's hosts and of its relay. */
export type ChainFaults = {
  chain: TradingChain;
  /** Sets faults of the second host. */
  setHostFaults(faults: object): Promise<void>;
  /** Sets more faults, of both hosts. */
  setUnkindness(first: object, second: object): Promise<void>;
  /** Undefined if the chain has no relay. */
  setRelayFaults: ((faults: object) => Promise<void>) | undefined;
};

export const urlAt = (port: number): string => `http://127.0.0.1:${port}`;

async function put(url: string, body: object): Promise<void> {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(`${url}/_local/faults`, { method: "PUT", headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status} to its faults: ${await answer.text()}`);
}

/** @param port the runner's `--chain-port` */
export function faultsOf(chain: TradingChain, port: number): ChainFaults {
  const { firstHost, secondHost, relay } = portsOf(chain, port);
  let faults: object = {};
  let unkindness: object = {};
  const setSecond = () => put(urlAt(secondHost), { ...faults, ...unkindness });
  return {
    chain,
    setHostFaults(next) {
      faults = next;
      return setSecond();
    },
    async setUnkindness(first, second) {
      unkindness = second;
      await Promise.all([put(urlAt(firstHost), first), setSecond()]);
    },
    setRelayFaults: relay === undefined ? undefined : (faults) => put(urlAt(relay), faults),
  };
}
