import { familyOf } from "../../core/chain-facts.ts";
import type { Bought } from "../../orders/resting/exits/entry.ts";
import type { AskedChild, BothWords } from "../../orders/resting/firing.ts";
import { boughtOnEvm } from "../evm/looks/bought.ts";
import { nonceWordsOf } from "../evm/looks/nonce-words.ts";
import { boughtOnSol } from "../sol/looks/bought.ts";
import { messageWordsOf } from "../sol/looks/message-words.ts";
import type { Family } from "./family.ts";
import type { ChainReader } from "./open-chains.ts";

type WordsFamily = {
  childWordsOf(reader: ChainReader, asked: AskedChild): Promise<BothWords>;
  boughtBy(reader: ChainReader, wallet: string, signed: unknown): Promise<Bought | undefined>;
};

/** The assignment is safe, because all that is signed on a chain belongs to the chain's family. */
const families: Readonly<Record<Family, WordsFamily>> = {
  evm: { childWordsOf: nonceWordsOf, boughtBy: boughtOnEvm },
  sol: { childWordsOf: messageWordsOf, boughtBy: boughtOnSol },
};

/** Asks both hosts of a chain about a child's transactions. A host without a clear answer has none. */
export const childWordsOf = (reader: ChainReader, asked: AskedChild): Promise<BothWords> =>
  families[familyOf(reader.chain)].childWordsOf(reader, asked);

/**
 * Asks both hosts of a chain what a wallet's buy has brought. Undefined while they do not agree.
 *
 * @param signed What the signer's ledger says about the buy's transactions.
 */
export const boughtBy = (reader: ChainReader, wallet: string, signed: unknown): Promise<Bought | undefined> =>
  families[familyOf(reader.chain)].boughtBy(reader, wallet, signed);
