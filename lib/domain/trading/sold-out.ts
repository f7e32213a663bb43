import { type Block, bothAnswered, type Sights } from "./sight.ts";
import type { OrderEnd, TradeOrder } from "./trade-order.ts";

/** Blocks that two hosts see at the same time. Further apart, one of them is made up. */
const mostApart = 100;

/** The hosts' latest blocks, in which a wallet held nothing. Undefined if they are not of the same time. */
export function blocksSeen([a, b]: readonly [{ latest: Block }, { latest: Block }]): OrderEnd["soldOutIn"] {
  if (Math.abs(a.latest.number - b.latest.number) > mostApart) return undefined;
  return [a, b].map(({ latest: { number, hash } }) => ({ number, hash }));
}

/**
 * Whether a sale has found nothing in the final chain, too. Its wallet held nothing in blocks that the chain may have taken
 * back since. Undefined until both hosts say that blocks of these numbers are final. True for an order that has not ended this way.
 */
export function isFoundFinal({ ending }: TradeOrder, sights: Sights): boolean | undefined {
  if (ending?.soldOutAt === undefined) return true;
  if (!bothAnswered(sights)) return undefined;
  const seen = ending.soldOutIn ?? [];
  const answers = sights.flatMap(({ finalized, blocks }) =>
    seen.map(({ number, hash }) => {
      const final = number <= finalized.number ? blocks.get(number) : undefined;
      return final && final === hash;
    }),
  );
  return answers.includes(undefined) ? undefined : answers.every((isSame) => isSame);
}
