import { setTimeout as pause } from "node:timers/promises";
import type { CompiledTransactionMessage } from "@solana/web3.js";
import { json, pathOf, ratesSchema, strikesOf } from "cdk-local-runner";
import * as v from "valibot";
import { type RpcReply, refusal } from "../rpc-service.ts";
import { listenAs, relayFaults, relayService, type StandInOptions } from "../stand-in.ts";
import { programs } from "./published.ts";
import type { SolNode } from "./sol-node.ts";
import { transactionIn } from "./wire-message.ts";

/** Share of transactions that meet each fault. All other transactions are sent to the chain after a number of slots. */
const SolRelayFaults = ratesSchema(relayFaults, {
  delaySlots: v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))),
});

export type LocalSolRelay = {
  /** URL that takes transactions. `/_local/faults` is on the same port. */
  url: string;
  faults: v.InferOutput<typeof SolRelayFaults>;
  close(): Promise<void>;
};

export type SolRelayOptions = StandInOptions & {
  node: SolNode;
  tipAccounts: readonly string[];
  /** Milliseconds per slot. */
  slotMs: number;
};

const path = "/api/v1/transactions";

/** Lowest tip that the relay accepts. */
export const leastTip = { lamports: 1000n, sol: "0.000001" };

/**
 * Imitates Jito's block engine. Accepts only transactions that pay a tip, and sends them to the chain, even if they
 * will fail. Until they are sent, no host shows them.
 *
 * @throws StartupError if the port is in use
 */
export async function startSolRelay(options: SolRelayOptions): Promise<LocalSolRelay> {
  const { node, tipAccounts, slotMs, seed = 1 } = options;
  const strikes = strikesOf(relayFaults, seed, () => relay.faults);
  const closed = new AbortController();

  /** Sends a transaction and ignores the reply, because real relays do not report the outcome. */
  async function send(text: unknown, delayMs: number): Promise<void> {
    if (delayMs > 0) await pause(delayMs, undefined, { signal: closed.signal });
    const params = [text, { encoding: "base64", skipPreflight: true }];
    await node.replyTo({ id: null, method: "sendTransaction", params });
  }

  function take([text, config]: readonly unknown[]): RpcReply | "nothing" {
    if ((config as { encoding?: unknown } | undefined)?.encoding !== "base64")
      return refusal(-32602, "Transactions must be in base64");
    const sent = transactionIn([text, config]);
    if (sent === undefined) return refusal(-32602, "Invalid transaction");
    if (tipIn(sent.message, tipAccounts) < leastTip.lamports)
      return refusal(-32602, `Transactions must pay a tip of ${leastTip.lamports} lamports`);
    if (strikes("refused")) return refusal(-32000, "Request rejected");
    const isStalled = strikes("stalled");
    if (!isStalled && !strikes("lost")) send(text, (relay.faults.delaySlots ?? 0) * slotMs).catch(() => {});
    return isStalled || strikes("silent") ? "nothing" : { result: sent.signature };
  }

  const serve = relayService("sendTransaction", take);
  const listener = await listenAs(
    () => relay,
    SolRelayFaults,
    options,
    async (request) => (pathOf(request) === path ? serve(request) : json(404, { error: "Not found" })),
  );
  const relay: LocalSolRelay = {
    url: `${listener.url}${path}`,
    faults: {},
    async close() {
      closed.abort();
      await listener.close();
    },
  };
  return relay;
}

/** Number that begins the data of a transfer by the System program, before the lamports. */
const transfer = 2;

/** Sums up the lamports that a message transfers to tip accounts. */
function tipIn(
  { staticAccounts, instructions }: CompiledTransactionMessage,
  tipAccounts: readonly string[],
): bigint {
  const tips = instructions.map(({ programAddressIndex, accountIndices = [], data = new Uint8Array() }) => {
    const bytes = Buffer.from(data);
    const isTransfer =
      staticAccounts[programAddressIndex] === programs.system &&
      bytes.length === 12 &&
      bytes.readUInt32LE() === transfer;
    const isTip = tipAccounts.includes(staticAccounts[accountIndices[1] ?? -1] ?? "");
    return isTransfer && isTip ? bytes.readBigUInt64LE(4) : 0n;
  });
  return tips.reduce((sum, each) => sum + each, 0n);
}
