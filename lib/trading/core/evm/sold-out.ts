import type { OrderEnd, TradeOrder } from "../trade-order.ts";
import { type Block, bothAnswered, type HostSnapshots } from "./host-snapshot.ts";

/** The times of honest hosts' latest blocks are at most this far apart. */
const mostApartSeconds = 200;

/** Returns the hosts' latest blocks, in which a wallet held nothing. Undefined if they are too far apart. */
export function blocksSeen([a, b]: readonly [{ latest: Block }, { latest: Block }]): OrderEnd["soldOutIn"] {
  if (Math.abs(a.latest.time - b.latest.time) > mostApartSeconds) return undefined;
  return [a, b].map(({ latest: { number, hash } }) => ({ number, hash }));
}

/**
 * Checks whether the final chain confirms that a sale found nothing. The chain may have taken back the blocks in which
 * the wallet was empty. Undefined until both hosts say that blocks of these numbers are final. True for an order that
 * ended in another way.
 */
export function isFoundFinal({ ending }: TradeOrder, snapshots: HostSnapshots): boolean | undefined {
  if (ending?.soldOutAt === undefined) return true;
  if (!bothAnswered(snapshots)) return undefined;
  const seen = ending.soldOutIn ?? [];
  const answers = snapshots.flatMap(({ finalized, blocks }) =>
    seen.map(({ number, hash }) => {
      const final = number <= finalized.number ? blocks.get(number) : undefined;
      return final && final === hash;
    }),
  );
  return answers.includes(undefined) ? undefined : answers.every((isSame) => isSame);
}
