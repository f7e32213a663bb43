import { familyOf } from "../../core/chain-facts.ts";
import type { Network } from "../../core/network.ts";
import { greatest, least } from "../../orders/bigints.ts";
import type { FamilyTypes } from "../../orders/family.ts";
import type { ChildView, FiringFamily, HeldQuestion, HeldUnits } from "../../orders/resting/firing.ts";
import type { Ledger } from "../../orders/table-step.ts";
import { evmFiring, signedByEvm } from "../evm/fire.ts";
import { heldOnEvm } from "../evm/held.ts";
import type { Ask } from "../hosts/ask-together.ts";
import { askInTwo } from "../hosts/look.ts";
import { signedBySol, solFiring } from "../sol/fire.ts";
import { heldOnSol } from "../sol/held.ts";
import type { Family } from "./family.ts";
import type { ChainReader } from "./open-chains.ts";

type Firing = {
  firing: FiringFamily;
  held: (ask: Ask, question: HeldQuestion) => Promise<HeldUnits>;
  signedBy(ledger: FamilyTypes["signed"], siblings: readonly FamilyTypes["signed"][]): ChildView["signed"];
};

/** The assignment is safe, because an order's ledgers and all answers about it belong to its chain's family. */
const families: Readonly<Record<Family, Firing>> = {
  evm: { firing: evmFiring, held: heldOnEvm, signedBy: signedByEvm },
  sol: { firing: solFiring, held: heldOnSol, signedBy: signedBySol },
};

/** Returns the transactions of a child that the signer's ledgers show. */
export const signedBy = (ledger: Ledger, siblings: readonly Ledger[]): ChildView["signed"] =>
  families[familyOf(ledger.chain)].signedBy(ledger, siblings);

export const firingOf = (chain: Network): FiringFamily => families[familyOf(chain)].firing;

/** Amounts that wallets hold: the lower of two hosts' answers, and for tokens also the higher one. */
export type FoundUnits = HeldUnits & { most: HeldUnits["tokens"] };

/** Asks two hosts what wallets hold. A wallet is missing if a host is silent about it. */
export async function heldBy({ chain, client }: ChainReader, question: HeldQuestion): Promise<FoundUnits> {
  const [a, b] = await askInTwo(client.hosts, (ask) => families[familyOf(chain)].held(ask, question));
  return {
    coins: joined(least, a?.coins, b?.coins),
    tokens: joined(least, a?.tokens, b?.tokens),
    most: joined(greatest, a?.tokens, b?.tokens),
  };
}

type Units = HeldUnits["coins"];

const joined = (choose: typeof least, a: Units = new Map(), b: Units = new Map()): Units =>
  new Map(
    [...a].flatMap(([wallet, units]) => {
      const other = b.get(wallet);
      return other === undefined ? [] : [[wallet, choose(units, other)] as const];
    }),
  );
