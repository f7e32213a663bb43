import type { Sol } from "../../../../lib/chains/sol/rules/family.ts";
import type { ReadReceipt, SolSnapshot } from "../../../../lib/chains/sol/rules/host-snapshot.ts";
import type { SolIntent } from "../../../../lib/chains/sol/rules/intent.ts";
import type { SolMessage } from "../../../../lib/chains/sol/rules/message.ts";
import { mostFeeOfMessage } from "../../../../lib/chains/sol/rules/signing-rules.ts";
import type { SolSlot } from "../../../../lib/chains/sol/rules/slot.ts";
import type {
  LaneView,
  Procedure,
  SignAnswer,
  SigningView,
  SignRequest,
} from "../../../../lib/orders/effects.ts";
import type { ItemWrite } from "../../../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../../../lib/orders/trade-order.ts";
import { restOfFees } from "../../../../lib/orders/wallet-policy.ts";
import { packed, unpacked } from "../../../../lib/trading/items/items.ts";
import { cuttingOffOnly, trustsAnyTime, withoutCutoffs } from "../cancel-mutants.ts";
import { believesOneLack, takesSilenceForLack, trustsOldFacts, withoutHolder } from "../mutants.ts";
import { earnsEarly, inWrites, type Rewrite, rewritten, writesLater } from "../rewrites.ts";
import { blockMs, type SolSystem, startMs, theSolSystem } from "./sol-world.ts";

const work = (rewrite: () => Rewrite): SolSystem => ({
  ...theSolSystem,
  work: (...args) => rewritten(theSolSystem.work(...args), rewrite()),
});

const inSnapshots = (change: (snapshot: SolSnapshot) => SolSnapshot): SolSystem =>
  work(() => ({
    answer: (effect, answer) =>
      effect.do === "hostSnapshot" && answer !== undefined ? change(answer as SolSnapshot) : answer,
  }));

/** Copies one host's answer to the other host. */
const believesOneHost = work(() => {
  let first: SolSnapshot | undefined;
  return {
    answer(effect, answer) {
      if (effect.do !== "hostSnapshot") return answer;
      if (effect.host === 0) first = answer as SolSnapshot | undefined;
      return effect.host === 0 ? answer : first;
    },
  };
});

/** Treats a silent host as one that has found nothing. */
const takesSilenceForAbsence = work(() => {
  let last: SolSnapshot | undefined;
  return {
    answer(effect, answer) {
      if (effect.do !== "hostSnapshot") return answer;
      last = (answer as SolSnapshot | undefined) ?? last;
      if (answer !== undefined || last === undefined) return answer;
      const markers = new Map([...last.markers.keys()].map((orderId) => [orderId, false]));
      return { ...last, receipts: new Map(), markers };
    },
  };
});

/** Trusts a single host about the life of a blockhash. */
const believesOneLife = work(() => {
  let named: number | undefined;
  return {
    answer(effect, answer) {
      if (effect.do !== "hostSnapshot") return answer;
      const snapshot = answer as SolSnapshot | undefined;
      if (effect.host === 0) named = snapshot?.blockhash?.lastValidBlockHeight;
      if (effect.host === 0 || snapshot?.blockhash === undefined || named === undefined) return answer;
      return { ...snapshot, blockhash: { ...snapshot.blockhash, lastValidBlockHeight: named } };
    },
  };
});

/** Takes what the first host said at the placing as the answer of both hosts. */
const believesOnePlacing = work(() => ({
  answer(effect, answer) {
    if (effect.do !== "readLane") return answer;
    const view = answer as LaneView<Sol>;
    const ofFirst = (text: string) => text.split("|").slice(0, 3).join("|");
    const jobs = view.jobs.map((job) =>
      job.facts === undefined ? job : { ...job, facts: ofFirst(job.facts) },
    );
    return { ...view, jobs };
  },
}));

const signing = (rewrite: () => Rewrite): SolSystem => ({
  ...theSolSystem,
  sign: (request) => rewritten(theSolSystem.sign(request), rewrite()),
});

const inView = (change: (view: SigningView<Sol>) => SigningView<Sol>): Rewrite => ({
  answer: (effect, answer) => (effect.do === "readSigning" ? change(answer as SigningView<Sol>) : answer),
});

const without = (of: string): Rewrite =>
  inWrites((write) => (write.kind === "check" && write.of === of ? [] : [write]));

const both = (a: Rewrite, b: Rewrite): Rewrite => ({ ...a, ...b });

/** Returns the signed bytes before writing them. */
const sendsBeforeRecording: SolSystem = {
  ...theSolSystem,
  *sign(request): Procedure<SignAnswer> {
    const procedure = theSolSystem.sign(request);
    let next = procedure.next();
    while (!next.done) {
      const effect = next.value;
      if (effect.do === "write") {
        const puts = effect.step.flatMap((write) => (write.kind === "put" ? [write] : []));
        const [slot] = puts.flatMap((put) => (put.of === "slot" ? [put.item] : []));
        const [raw] = puts.flatMap((put) => (put.of === "bytes" ? [put.item.raw] : []));
        if (slot !== undefined && raw !== undefined) return { slot, raw };
      }
      next = procedure.next(yield effect);
    }
    return next.value;
  },
};

/** Shows the signer's rules a different message from the one being signed. */
type RaydiumMessage = Extract<SolMessage, { route: { venue: "raydium-cpmm" } }>;

const isOnRaydium = (message: SolMessage): message is RaydiumMessage =>
  message.purpose === "swap" && message.route.venue === "raydium-cpmm";

const hidesFromRules = (
  hide: (message: SolMessage, intent: SolIntent) => SolMessage,
  ask: (message: SolMessage) => SolMessage = (same) => same,
): SolSystem => ({
  ...theSolSystem,
  *sign(request) {
    const asked = request as SignRequest<Sol>;
    const message = ask(asked.message);
    let intent: SolIntent | undefined;
    const shown = { ...asked, message };
    return yield* rewritten(theSolSystem.sign(shown), {
      answer(effect, answer) {
        if (effect.do !== "readSigning") return answer;
        intent = (answer as SigningView<Sol>).order?.intent;
        if (intent !== undefined) shown.message = hide(message, intent);
        return answer;
      },
      effect(effect) {
        if (effect.do === "signBytes") return { ...effect, unsigned: { ...effect.unsigned, message } };
        if (effect.do !== "write") return effect;
        const step = effect.step.map((write): ItemWrite => {
          if (write.kind !== "put" || write.of !== "slot") return write;
          const { attempts, ...slot } = write.item as SolSlot;
          const { microLamportsPerUnit, tip } = message;
          const newest = { microLamportsPerUnit, tipLamports: tip?.lamports ?? 0n };
          const signed = attempts.map((each, index) =>
            index === attempts.length - 1 ? { ...each, ...newest } : each,
          );
          return { ...write, item: { ...slot, attempts: signed } };
        });
        return { ...effect, step };
      },
    });
  },
});

/** Pays three times its share as priority fee. */
const paysTooMuch = ({ message, ...request }: SignRequest<Sol>): SignRequest<Sol> => ({
  ...request,
  message: { ...message, microLamportsPerUnit: 3n * message.microLamportsPerUnit },
});

const forgetsFees = (view: SigningView<Sol>): SigningView<Sol> => ({
  ...view,
  ledger: view.ledger && {
    ...view.ledger,
    messages: view.ledger.messages.map((each) => ({ ...each, mostFeeLamports: 0n })),
  },
});

const inSlots = (change: (slot: SolSlot) => SolSlot): Rewrite => ({
  answer: (effect, answer) =>
    effect.do === "readLane"
      ? { ...(answer as LaneView<Sol>), slots: (answer as LaneView<Sol>).slots.map(change) }
      : answer,
});

/** Computes heights from the time, as if every slot had a block. */
const judgesByClock = work(() => {
  let nowMs = 0;
  return {
    answer(effect, answer) {
      if (effect.do === "now") nowMs = answer as number;
      if (effect.do !== "hostSnapshot" || answer === undefined) return answer;
      const { height, ...snapshot } = answer as SolSnapshot;
      const byClock = Math.floor((nowMs - startMs) / blockMs);
      return { ...snapshot, height: { ...height, blockHeight: Math.max(height.blockHeight, byClock) } };
    },
  };
});

/** Assumes that an order's newest message has filled it if a host shows the marker. */
const takesMarkerForFill = work(() => ({
  answer(effect, answer) {
    if (effect.do !== "hostSnapshot" || answer === undefined) return answer;
    const snapshot = answer as SolSnapshot;
    const { slot: number } = snapshot.height;
    const isIn = (hash: string) => snapshot.receipts.get(hash)?.status === "ok";
    const invented = effect.question.hashes.flatMap((hash): [string, ReadReceipt][] => {
      const [orderId = ""] = hash.split("/");
      const hasFill = effect.question.hashes.some((each) => each.startsWith(`${orderId}/`) && isIn(each));
      if (hasFill || snapshot.markers.get(orderId) !== true) return [];
      const block = { number, hash: String(number), time: 1 };
      const common = { hash, block, fee: 1n, tip: 0n, rent: 0n, computeUnits: 1 };
      return [[hash, { ...common, status: "ok", spent: 1n, received: 1n, held: 1n }]];
    });
    return { ...snapshot, receipts: new Map([...snapshot.receipts, ...invented]) };
  },
}));

/** Gives each order without messages its own token, so that no order waits for another. */
const ignoresOtherOrders = work(() => {
  const own = "'s own";
  const renamed = (order: TradeOrder<Sol>): TradeOrder<Sol> => {
    const { orderId, token } = order.intent;
    return { ...order, intent: { ...order.intent, token: `${token} ${orderId}${own}` } };
  };
  const restored = <Item>(item: Item): Item =>
    unpacked(JSON.parse(JSON.stringify(packed(item)).replaceAll(/ order\d+'s own/g, ""))) as Item;
  return {
    effect: (effect) =>
      effect.do === "write" || effect.do === "hostSnapshot" || effect.do === "sign"
        ? effect.do === "write"
          ? {
              ...effect,
              step: effect.step.map((write) =>
                "item" in write && write.kind === "put"
                  ? ({ ...write, item: restored(write.item) } as ItemWrite)
                  : write,
              ),
            }
          : restored(effect)
        : effect,
    answer(effect, answer) {
      if (effect.do !== "readLane") return answer;
      const view = answer as LaneView<Sol>;
      const isFresh = ({ intent }: TradeOrder<Sol>) =>
        view.slots.every(({ orderId }) => orderId !== intent.orderId);
      return { ...view, orders: view.orders.map((order) => (isFresh(order) ? renamed(order) : order)) };
    },
  };
});

/**
 * Requires the whole fee of a clear to fit into the day's limit, although the first message already counted that fee.
 */
const blocksClears: SolSystem = {
  ...theSolSystem,
  sign: (request) =>
    rewritten(theSolSystem.sign(request), {
      answer(effect, answer) {
        if (effect.do !== "readSigning" || request.purpose !== "clear") return answer;
        const view = answer as SigningView<Sol>;
        const rest = restOfFees(view.limits, Date.parse(effect.day), view.chainLimits);
        const { message } = request as SignRequest<Sol>;
        // If there is no slot, the signer postpones the request.
        return mostFeeOfMessage(message, view.chainLimits) <= rest ? view : { ...view, slot: undefined };
      },
    }),
};

/** Systems with one fault each. The histories must catch every one. */
export const solMutants: Readonly<Record<string, SolSystem>> = {
  "makes no marker": { ...theSolSystem, flaws: { makesNoMarker: true } },
  "mistakes a deposit for the marker": { ...theSolSystem, flaws: { countsDeposits: true } },
  "makes its marker in one step": { ...theSolSystem, flaws: { isBlockedByDeposits: true } },
  "reads the marker before the height": { ...theSolSystem, flaws: { readsMarkersFirst: true } },
  "accepts an old slot": { ...theSolSystem, flaws: { acceptsOldSlots: true } },
  "trusts one host": believesOneHost,
  "takes silence for absence": takesSilenceForAbsence,
  "trusts one host about the life of a blockhash": believesOneLife,
  "trusts one host about the facts of the placing": believesOnePlacing,
  "signs from facts of an older slot": work(trustsOldFacts),
  "trusts one host about tokens that a wallet lacks": work(believesOneLack),
  "mistakes a host's silence for missing tokens": work(takesSilenceForLack),
  "reads blocks that are not final": { ...theSolSystem, flaws: { readsUnfinal: true } },
  "mistakes a lost receipt for a lost fill": inSnapshots((snapshot) => ({
    ...snapshot,
    markers: new Map([...snapshot.markers.keys()].map((orderId) => [orderId, false])),
  })),
  "mistakes the marker for a fill": takesMarkerForFill,
  "judges by the clock": judgesByClock,
  "looks only at the first message's life": work(() =>
    inSlots((slot) => {
      const [{ lastValidBlockHeight } = { lastValidBlockHeight: 0 }] = slot.attempts;
      return { ...slot, attempts: slot.attempts.map((each) => ({ ...each, lastValidBlockHeight })) };
    }),
  ),
  "ends an order without a look at the ledger": work(() =>
    inWrites((write) => (write.kind === "check" && write.of === "ledger" ? [] : [write])),
  ),
  "fills two orders of a token at once": ignoresOtherOrders,
  "updates the position in a second transaction": {
    ...theSolSystem,
    work: (...args) => writesLater(theSolSystem.work(...args), "book", "position"),
  },
  "records what a fill has earned in a second transaction": {
    ...theSolSystem,
    work: (...args) => writesLater(theSolSystem.work(...args), "earned"),
  },
  "records what a fill has earned before it is final": work(earnsEarly),
  "mistakes a failure for a fill": inSnapshots((snapshot) => ({
    ...snapshot,
    receipts: new Map<string, ReadReceipt>([
      ...snapshot.receipts,
      ...[...snapshot.receipts].flatMap(([hash, seen]) =>
        seen.status === "failed"
          ? [[hash, { ...seen, status: "ok", spent: 1n, received: 1n, held: 1n } as const] as const]
          : [],
      ),
    ]),
  })),
  "sends before it records": sendsBeforeRecording,
  "does not check the holder": work(() => inWrites(withoutHolder)),
  "shows private messages to hosts": work(() => ({
    effect: (effect) => (effect.do === "send" ? { ...effect, to: "relay and hosts" } : effect),
  })),
  "does not sum the fees": {
    ...signing(() => inView(forgetsFees)),
    sign: (request) =>
      rewritten(theSolSystem.sign(paysTooMuch(request as SignRequest<Sol>)), inView(forgetsFees)),
  },
  "does not count tips": hidesFromRules(({ tip: _, ...message }) => message),
  "signs any amount": hidesFromRules((message, { amount }) =>
    message.purpose === "swap" ? { ...message, amountIn: amount } : message,
  ),
  "signs for any pool": hidesFromRules((message, { routes: [route] }) =>
    isOnRaydium(message) && route?.venue === "raydium-cpmm" ? { ...message, route } : message,
  ),
  "signs any number of messages": signing(() =>
    inView((view) => ({
      ...view,
      ledger: view.ledger && {
        ...view.ledger,
        messages: view.ledger.messages.map((each) => ({ ...each, purpose: "other" as "swap" })),
      },
    })),
  ),
  "forgets what a day has spent": signing(() =>
    inView(({ limits: { stored, count }, ...view }) => ({
      ...view,
      limits: { stored, count: count && { ...count, spent: 0n } },
    })),
  ),
  "blocks clears": blocksClears,
  "does not compare the claimed intent with the stored one": {
    ...theSolSystem,
    sign: ({ claimed, ...request }) =>
      rewritten(theSolSystem.sign(request as SignRequest<Sol>), {
        effect: (effect) => (effect.do === "checkMac" ? { ...effect, ...claimed } : effect),
      }),
  },
  "records over another order's slot": signing(() =>
    inWrites((write) =>
      write.kind === "put" && write.of === "slot" && write.when !== "absent"
        ? [{ ...write, when: { revision: write.when.revision } }]
        : [write],
    ),
  ),
  "does not read cancellations": signing(() =>
    both(
      without("cancellation"),
      inView((view) => ({
        ...view,
        isCancelled: false,
        order: view.order && { ...view.order, isCancelling: false },
      })),
    ),
  ),
  "does not read cancellations of all orders": signing(() => withoutCutoffs),
  "signs orders from the future": {
    ...theSolSystem,
    sign: ({ claimed: _, ...request }) =>
      rewritten(theSolSystem.sign(request as SignRequest<Sol>), trustsAnyTime()),
  },
  "cancels only what the time covers": { ...theSolSystem, cancelAll: cuttingOffOnly },
  "does not notice a wallet that is retired": signing(() =>
    both(
      without("wallet"),
      inView((view) => ({ ...view, isRetired: false })),
    ),
  ),
  "does not notice a policy that changes": signing(() =>
    both(
      without("policy"),
      inView((view) => ({ ...view, limits: { stored: undefined, count: view.limits.count } })),
    ),
  ),
  "signs whatever the time is": signing(() => ({
    answer: (effect, answer) => (effect.do === "now" ? (answer as number) - 60_000 : answer),
  })),
  "signs while trading is stopped": signing(() => inView((view) => ({ ...view, isStopped: false }))),
};
