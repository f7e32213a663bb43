import { type Command, Option } from "commander";
import { readAddress } from "../../../chains/families/address.ts";
import { type TradingChain, tradingChains } from "../../../core/chain-facts.ts";
import type { Item } from "../../../table/table.ts";
import { contentOf } from "../../../trading/items/items.ts";
import { everyLedger } from "../../../trading/items/keys.ts";
import type { SignedLine } from "../hidden-facts.ts";
import { OperatorError } from "../operator-error.ts";
import { targeted } from "../options.ts";
import { factsOf } from "../order-facts.ts";
import { scan } from "../scan.ts";
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
    const lines: SignedLine[] = [];
    for await (const item of scan<Item<object>>(table, everyLedger, attributes)) {
      const ledger = contentOf("ledger", item);
      if (ledger.chain === chain && ledger.wallet === wallet)
        lines.push(...factsOf(chain).linesOf(ledger, Number(from)));
    }
    for (const { text } of lines.toSorted(byPlace)) print(deps.stdout, harmless(text));
  });
}

/** Sorts transactions on sol by their orders, because order ids sort by the time of placing. */
const byPlace = (a: SignedLine, b: SignedLine) => a.nonce - b.nonce || (a.orderId < b.orderId ? -1 : 1);

const attributes = [
  ...["PK", "SK", "orderId", "userID", "chain", "wallet", "fees", "swap", "approveNonces", "messages"],
  "revision",
] as never[];
