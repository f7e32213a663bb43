import { familyOf } from "../../core/chain-facts.ts";
import type { AskedChild, BothWords } from "../../orders/resting/firing.ts";
import { nonceWordsOf } from "../evm/looks/nonce-words.ts";
import { messageWordsOf } from "../sol/looks/message-words.ts";
import type { Family } from "./family.ts";
import type { ChainReader } from "./open-chains.ts";

type WordsFamily = { childWordsOf(reader: ChainReader, asked: AskedChild): Promise<BothWords> };

/** The assignment is safe, because all that is signed on a chain belongs to the chain's family. */
const families: Readonly<Record<Family, WordsFamily>> = {
  evm: { childWordsOf: nonceWordsOf },
  sol: { childWordsOf: messageWordsOf },
};

/** Asks both hosts of a chain about a child's transactions. A host without a clear answer has none. */
export const childWordsOf = (reader: ChainReader, asked: AskedChild): Promise<BothWords> =>
  families[familyOf(reader.chain)].childWordsOf(reader, asked);
