import { type Command, Option } from "commander";
import type { Item } from "../../../table/table.ts";
import { readAddress } from "../../../trading/core/address.ts";
import { coinText } from "../../../trading/core/decimal-text.ts";
import { chainFacts, type EvmChain, evmChains } from "../../../trading/core/trading-chain.ts";
import { contentOf } from "../../../trading/items/items.ts";
import { everyLedger } from "../../../trading/items/keys.ts";
import { targeted } from "../options.ts";
import { scan } from "../scan.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { harmless, print } from "../terminal.ts";

type SignedOptions = TargetOptions & { chain: EvmChain; from: string };

export function showSigned(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("show-signed <wallet>")
      .description(
        "List the nonces of a wallet for which the signer has signed transactions, with the most that each may " +
          "pay the network. Reads the whole table.",
      )
      .addOption(new Option("--chain <chain>", "the chain").choices([...evmChains]).makeOptionMandatory())
      .option("--from <nonce>", "only from this nonce on, such as the wallet's next one on chain", "0"),
  ).action(async (address: string, { chain, from, ...options }: SignedOptions) => {
    const { table } = await deps.openTarget(options);
    const wallet = readAddress(chain, address, "wallet");
    const lines: [nonce: number, line: string][] = [];
    for await (const item of scan<Item<object>>(table, everyLedger, attributes)) {
      const ledger = contentOf("ledger", item);
      if (ledger.chain !== chain || ledger.wallet !== wallet || !("fees" in ledger)) continue;
      for (const [nonce, { most }] of Object.entries(ledger.fees)) {
        const purpose = ledger.swap?.nonce === Number(nonce) ? "swap" : "approval";
        const fee = `${coinText(chain, most)} ${chainFacts[chain].coin.symbol}`;
        const line = `${nonce}  ${purpose}  at most ${fee}  order ${ledger.orderId} of ${ledger.userID}`;
        if (Number(nonce) >= Number(from)) lines.push([Number(nonce), line]);
      }
    }
    for (const [, line] of lines.toSorted(([a], [b]) => a - b)) print(deps.stdout, harmless(line));
  });
}

const attributes = [
  ...["PK", "SK", "orderId", "userID", "chain", "wallet", "fees", "swap", "approveNonces", "revision"],
] as never[];
