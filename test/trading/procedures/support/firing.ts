import type { Network } from "../../../../lib/core/network.ts";
import type { AttentionCode } from "../../../../lib/orders/execution.ts";
import type {
  ChildView,
  FiringEffect,
  FiringFamily,
  ParentView,
} from "../../../../lib/orders/resting/firing.ts";
import { afterFiring, newResting, type RestingOrder } from "../../../../lib/orders/resting/life.ts";
import type { Mandate } from "../../../../lib/orders/resting/mandate.ts";
import type { PriceWord } from "../../../../lib/orders/resting/touch.ts";
import { firing } from "../../../../lib/trading/procedures/firing.ts";
import { mandate, nowMs } from "../../../orders/resting/fixtures.ts";

export const family: FiringFamily = { isOneOut: true, sightOf: () => ({ is: "dead", outcome: "failed" }) };

export const parent = (changes: Partial<ParentView> = {}, of: Partial<Mandate> = {}): ParentView => {
  const terms = mandate(of);
  return {
    order: newResting(terms, "mac"),
    children: new Map(),
    end: { isCancelled: false, isRetired: false, isVoid: false, isSettled: true },
    tally: undefined,
    ended: undefined,
    amount: terms.amount,
    slippagePpm: terms.legs.map(() => 10_000n),
    isPublic: false,
    ...changes,
  };
};

export const firingParent = (
  leg: number,
  changes: Partial<ParentView> = {},
  view: Partial<ChildView> = {},
) => {
  const child = { orderId: "C1", leg, validUntil: nowMs / 1000 + 60, price: "1", block: 7 };
  return parent({
    order: afterFiring(newResting(mandate(), "mac"), child),
    children: new Map([
      ["C1", { hasEnded: false, yields: false, isRefused: false, isProvenDead: false, ...view }],
    ]),
    ...changes,
  });
};

export type Scene = {
  /** What both hosts say that the amount of 1000 brings. Undefined if no route answers. */
  out?: bigint | undefined;
  attention?: AttentionCode;
  /** Milliseconds that pass while prices are asked for, and while a child is prepared. */
  asking?: number;
  preparing?: number;
  /** Seconds by which the second host's head is behind that of the first one. */
  behind?: number;
  chain?: Network;
  startMs?: number;
};

/** Runs the procedure and returns its effects, with the parents as it has written them. */
export function run(parents: readonly ParentView[], scene: Scene = {}, of = family) {
  const {
    out,
    attention,
    asking = 0,
    preparing = 0,
    behind = 0,
    chain = "base",
    startMs = nowMs,
  } = { out: 950n, ...scene };
  const effects: FiringEffect[] = [];
  const moved = new Map<string, RestingOrder>();
  let clock = startMs;
  const orderIds = parents.map(({ order }) => order.mandate.orderId);
  const procedure = firing(of, { chain, orderIds, dice: [0, 0, 0] });
  const answer = (effect: FiringEffect): unknown => {
    switch (effect.do) {
      case "now":
        return clock;
      case "readParents":
        return { parents, out: { buy: 0n, sell: 0n } };
      case "childWords":
        return effect.questions.map(() => [{}, {}]);
      case "priceWords":
        clock += asking;
        return effect.questions.map(({ distances }) => {
          const before = new Map(distances.flatMap((each) => (out === undefined ? [] : [[each, out]])));
          const head = { number: 9, hash: "0x9", time: startMs / 1000 };
          const word = { head, out, before, hasBest: true } as PriceWord;
          return [word, { ...word, head: { ...head, time: head.time - behind } }];
        });
      case "birthWords": {
        const head = { number: 9, hash: "0x9", time: startMs / 1000 };
        const word: PriceWord = { head, out, before: new Map(), hasBest: true };
        const bought = { spent: 1000n, received: 1000n };
        return { bought, amount: 1000n, words: [word, word] };
      }
      case "quoteSums": {
        const ladder = [effect.sums.map((sum) => (sum * (out ?? 0n)) / 1000n)];
        return [ladder, ladder];
      }
      case "prepareChildren":
        clock += preparing;
        return effect.children.map(({ validUntil }) =>
          attention === undefined ? { price: "0.95", validUntil } : { attention },
        );
      case "moveParent":
      case "fire":
        moved.set(effect.order.mandate.orderId, effect.order);
        return true;
      case "yieldToStop":
        return undefined;
    }
  };
  let next = procedure.next();
  while (!next.done) {
    effects.push(next.value);
    next = procedure.next(answer(next.value) as never);
  }
  return { ...next.value, effects, names: effects.map((effect) => effect.do), moved };
}

export const codes = ({ moved }: ReturnType<typeof run>) =>
  [...moved.values()].flatMap(({ attention }) => Object.keys(attention));
