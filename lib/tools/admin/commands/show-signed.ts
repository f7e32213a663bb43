import { type Command, Option } from "commander";
import { readAddress } from "../../../chains/families/address.ts";
import type { Family } from "../../../chains/families/types.ts";
import { chainFacts, type TradingChain, tradingChains } from "../../../core/chain-facts.ts";
import { coinText } from "../../../orders/decimal-text.ts";
import type { Ledger } from "../../../orders/table-step.ts";
import type { Item } from "../../../table/table.ts";
import { contentOf } from "../../../trading/items/items.ts";
import { everyLedger } from "../../../trading/items/keys.ts";
import { OperatorError } from "../operator-error.ts";
import { targeted } from "../options.ts";
import { scan } from "../scan.ts";
import { messageFacts } from "../sol-facts.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { harmless, print } from "../terminal.ts";

type SignedOptions = TargetOptions & { chain: TradingChain; from?: string };

export function showSigned(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("show-signed <wallet>")
      .description(
        "List the nonces of a wallet for which the signer has signed transactions, or its transactions on sol, " +
          "with the most that each may pay the network. Reads the whole table.",
      )
      .addOption(new Option("--chain <chain>", "the chain").choices([...tradingChains]).makeOptionMandatory())
      .option("--from <nonce>", "only from this nonce on, such as the wallet's next one on chain"),
  ).action(async (address: string, { chain, from, ...options }: SignedOptions) => {
    if (chain === "sol" && from !== undefined) throw new OperatorError("Transactions on sol have no nonces");
    const { table } = await deps.openTarget(options);
    const wallet = readAddress(chain, address, "wallet");
    const lines: Line[] = [];
    for await (const item of scan<Item<object>>(table, everyLedger, attributes)) {
      const ledger = contentOf("ledger", item);
      if (ledger.chain === chain && ledger.wallet === wallet) lines.push(...linesOf(ledger, Number(from)));
    }
    for (const { text } of lines.toSorted(byPlace)) print(deps.stdout, harmless(text));
  });
}

/** On sol, transactions sort by their orders, whose ids sort by the times of placing. */
type Line = { nonce: number; orderId: string; text: string };

const byPlace = (a: Line, b: Line) => a.nonce - b.nonce || (a.orderId < b.orderId ? -1 : 1);

/** @param from NaN for all nonces. */
function linesOf(ledger: Ledger<Family>, from: number): Line[] {
  const { orderId, userID, chain } = ledger;
  const order = `order ${orderId} of ${userID}`;
  if ("messages" in ledger)
    return Object.values(messageFacts(ledger.messages)).map((text) => ({
      ...{ nonce: 0, orderId },
      text: `${text}  ${order}`,
    }));
  const nonces = Object.entries(ledger.fees).map(([nonce, { most }]) => ({ nonce: Number(nonce), most }));
  return nonces
    .filter(({ nonce }) => !(nonce < from))
    .map(({ nonce, most }) => {
      const purpose = ledger.swap?.nonce === nonce ? "swap" : "approval";
      const fee = `${coinText(chain, most)} ${chainFacts[chain].coin.symbol}`;
      return { nonce, orderId, text: `${nonce}  ${purpose}  at most ${fee}  ${order}` };
    });
}

const attributes = [
  ...["PK", "SK", "orderId", "userID", "chain", "wallet", "fees", "swap", "approveNonces", "messages"],
  "revision",
] as never[];
