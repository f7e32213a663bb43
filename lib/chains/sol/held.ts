import type { Address } from "@solana/web3.js";
import { inPartsOf } from "../../core/in-parts.ts";
import type { HeldQuestion, HeldUnits } from "../../orders/resting/firing.ts";
import type { Ask } from "../hosts/ask-together.ts";
import { programs, tokenAccountOf } from "./calls/addresses.ts";
import { accountsCall, final, mostAccounts } from "./calls/rpc-call.ts";
import { readTokenAccount, sellableUnits } from "./calls/token-account.ts";

/** A mint belongs to one of these programs, so a wallet has tokens of it only under this program. */
const mintPrograms = [programs.token, programs.token2022];

export async function heldOnSol(ask: Ask, { token, buyers, sellers }: HeldQuestion): Promise<HeldUnits> {
  const accountsOf = (wallet: string) =>
    Promise.all(mintPrograms.map((program) => tokenAccountOf(wallet as Address, token as Address, program)));
  const own = await Promise.all(sellers.map(accountsOf));
  const wanted = [...buyers, ...own.flat()];
  const answers = await ask(inPartsOf(mostAccounts, wanted).map((part) => accountsCall(part, final)));
  const accounts = answers.flatMap((answer) => answer.accounts);
  const found = new Map(wanted.map((address, index) => [address, accounts[index]]));
  const units = (wallet: string, address: string) => {
    const account = found.get(address);
    return sellableUnits(account && readTokenAccount(account), wallet, token);
  };
  return {
    coins: new Map(buyers.map((wallet) => [wallet, found.get(wallet)?.lamports ?? 0n])),
    tokens: new Map(
      sellers.map((wallet, index) => {
        const addresses = own[index] as Address[];
        return [wallet, addresses.reduce((sum, address) => sum + units(wallet, address), 0n)];
      }),
    ),
  };
}
