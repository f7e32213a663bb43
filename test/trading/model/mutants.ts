import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { EvmReceipt, EvmSnapshot } from "../../../lib/chains/evm/rules/host-snapshot.ts";
import type { UnsignedEvmTransaction } from "../../../lib/chains/evm/rules/intent.ts";
import { isSameEvmRoute } from "../../../lib/chains/evm/rules/intent.ts";
import type { EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import type { EvmHostQuote } from "../../../lib/chains/evm/rules/trade-facts.ts";
import type { SolSnapshot } from "../../../lib/chains/sol/rules/host-snapshot.ts";
import { DomainError } from "../../../lib/core/domain-error.ts";
import type {
  Effects,
  Procedure,
  Recipients,
  SignAnswer,
  SigningView,
  SignRequest,
} from "../../../lib/orders/effects.ts";
import type { HostAnswers } from "../../../lib/orders/family.ts";
import type { ItemWrite } from "../../../lib/orders/table-step.ts";
import { cuttingOffOnly, trustsAnyTime, withoutCutoffChecks, withoutCutoffs } from "./cancel-mutants.ts";
import {
  blocksClears,
  countsFees,
  forgetsTheDay,
  forgetsTheKeysDay,
  ignoresFeeLimit,
  trustsOldCounts,
  trustsOldKeys,
  trustsOldPolicies,
} from "./limit-mutants.ts";
import {
  type Answer,
  earnsEarly,
  inSnapshots,
  inWrites,
  type Rewrite,
  rewritten,
  work,
  writesLater,
} from "./rewrites.ts";
import { startMutants } from "./start-mutants.ts";
import { type System, theSystem } from "./system.ts";

/** Treats a silent host as if it had no data and agreed with the other host. */
function silenceIsNo(): Rewrite {
  let last: EvmSnapshot | undefined;
  return {
    answer: (effect, answer) => {
      if (effect.do !== "hostSnapshot") return answer;
      const snapshot = answer as EvmSnapshot | undefined;
      if (snapshot !== undefined) last = snapshot;
      return snapshot ?? (last && { ...last, receipts: new Map() });
    },
  };
}

/** Starts over when the nonce is taken, and requests a signature for another nonce. */
const retriesWithNewNonce: System = {
  ...theSystem,
  work: (...args) =>
    rewritten(theSystem.work(...args), {
      effect: (effect) => {
        if (effect.do !== "write") return effect;
        const retried = effect.step.some(
          (write) =>
            write.kind === "put" && write.of === "order" && write.item.life.reasonCode === "NONCE_TAKEN",
        );
        if (!retried) return effect;
        const step = effect.step.flatMap((write): ItemWrite[] => {
          if (write.kind === "put" && write.of === "slot")
            return [{ kind: "remove", of: "slot", item: write.item, when: write.when }];
          if (!(write.kind === "put" && write.of === "order")) return [write];
          const life = { ...write.item.life, status: "open", stage: "queued" } as const;
          const item = { ...write.item, life, swapNonce: undefined };
          return [{ ...write, item }];
        });
        return { ...effect, step };
      },
    }),
  sign: (request) =>
    rewritten(theSystem.sign(request), {
      answer: (effect, answer) => {
        if (effect.do !== "readSigning") return answer;
        const view = answer as SigningView<Evm>;
        if (view.ledger === undefined) return view;
        const { swap: _, ...ledger } = view.ledger;
        return { ...view, ledger };
      },
    }),
};

/** Returns the signed bytes before writing them. */
const sendsBeforeRecording: System = {
  ...theSystem,
  *sign(request): Procedure<SignAnswer<Evm>> {
    const procedure = theSystem.sign(request);
    let next = procedure.next();
    while (!next.done) {
      const effect = next.value;
      if (effect.do === "write") {
        const puts = effect.step.flatMap((write) => (write.kind === "put" ? [write] : []));
        const [slot] = puts.flatMap((put) => (put.of === "slot" ? [put.item as EvmSlot] : []));
        const [raw] = puts.flatMap((put) => (put.of === "bytes" ? [put.item.raw] : []));
        if (slot !== undefined && raw !== undefined) return { slot, raw };
      }
      next = procedure.next(yield effect);
    }
    return next.value;
  },
};

export const withoutHolder = (write: ItemWrite): readonly ItemWrite[] => {
  if (write.kind === "check" && write.of === "lane") return [];
  // Takes a free lane without naming a holder.
  if (write.kind === "change" && typeof write.when === "object" && "holder" in write.when) {
    const { holder: _, ...when } = write.when;
    return [{ ...write, when }];
  }
  return [write];
};

/** Names runs by a counter that restarts when the lane is free. */
function countsHolders(): System {
  const counters = new Map<string, number>();
  return {
    ...theSystem,
    *work(lane, _, ...rest) {
      const next = (counters.get(lane.wallet) ?? 0) + 1;
      counters.set(lane.wallet, next);
      yield* rewritten(theSystem.work(lane, `run ${next}`, ...rest), {
        answer: (effect, answer) => {
          const hasLeft = effect.do === "write" && effect.step.every(isLeaving);
          if (hasLeft && answer === true) counters.delete(lane.wallet);
          return answer;
        },
      });
    },
  };
}

const isLeaving = (write: ItemWrite) =>
  write.kind === "change" ? write.set?.watch !== undefined : write.kind === "remove" && write.of === "lane";

const voidsSigned = (write: ItemWrite): readonly ItemWrite[] =>
  write.kind === "remove" && write.of === "slot"
    ? [{ ...write, when: { place: write.item.place } }]
    : [write];

/** Compares deadlines with the machine's clock. */
function judgesByClock(): System {
  return {
    ...theSystem,
    *work(...args) {
      let nowMs = 0;
      yield* rewritten(theSystem.work(...args), {
        answer: (effect, answer) => {
          if (effect.do === "now") nowMs = answer as number;
          if (effect.do !== "hostSnapshot" || answer === undefined) return answer;
          const snapshot = answer as EvmSnapshot;
          return { ...snapshot, latest: { ...snapshot.latest, time: Math.floor(nowMs / 1000) } };
        },
      });
    },
  };
}

/** Plans from the facts read at placing, however old they are. */
export const trustsOldFacts = (): Rewrite => {
  let nowMs = 0;
  return {
    answer: (effect, answer) => {
      if (effect.do === "now") nowMs = answer as number;
      if (effect.do !== "readLane") return answer;
      const view = answer as Effects["readLane"]["answer"];
      const createdAt = new Date(nowMs).toISOString();
      const orders = view.orders.map((order) => ({ ...order, placed: { ...order.placed, createdAt } }));
      return { ...view, orders };
    },
  };
};

/** Reads an allowance only once, and caches it. */
function keepsAllowance(): System {
  const known = new Map<string, bigint>();
  const rewrite = inSnapshots((snapshot) => ({
    ...snapshot,
    orders: new Map(
      [...snapshot.orders].map(([orderId, facts]) => {
        const routes = facts.routes.map((route) => {
          const key = `${orderId} ${route.router}`;
          known.set(key, known.get(key) ?? route.allowance);
          return { ...route, allowance: known.get(key) as bigint };
        });
        return [orderId, { ...facts, routes }];
      }),
    ),
  }));
  return work(() => rewrite);
}

/** Copies a part of the first host's snapshot into other hosts' snapshots. */
function believesFirst<Snapshot extends EvmSnapshot | SolSnapshot = EvmSnapshot>(
  part: (first: Snapshot, own: Snapshot) => Partial<Snapshot>,
): Rewrite {
  let first: Snapshot | undefined;
  return {
    answer: (effect, answer) => {
      if (effect.do !== "hostSnapshot" || answer === undefined) return answer;
      const snapshot = answer as Snapshot;
      if (effect.host === 0) first = snapshot;
      return first === undefined ? snapshot : { ...snapshot, ...part(first, snapshot) };
    },
  };
}

/** Trusts the first host's routes without asking the other host. */
const believesOneHost = () => believesFirst(({ orders }) => ({ orders }));

/** Trusts one host about a wallet's balances, as if both agreed. */
const believesOneBalance = () =>
  believesFirst((first, { receipts }) => ({
    receipts: new Map(
      [...receipts].map(([hash, receipt]) => {
        const other = first.receipts.get(hash);
        const moved = other?.status === "ok" ? other.moved : undefined;
        return [hash, receipt.status === "ok" && moved !== undefined ? { ...receipt, moved } : receipt];
      }),
    ),
  }));

/** Trusts the first host about a wallet's remaining balance, as if both agreed. */
export const believesOneLack = () =>
  believesFirst<EvmSnapshot | SolSnapshot>(({ held }) => (held === undefined ? {} : { held }));

/** Trusts one host about a wallet's remaining balance while the other host is silent, if the lane has no orders. */
export function takesSilenceForLack(): Rewrite {
  let last: Answer;
  return {
    answer(effect, answer) {
      if (effect.do !== "hostSnapshot") return answer;
      last = answer ?? last;
      const { missed = [], hashes, orders } = effect.question;
      const isOnlyAboutLack = missed.length > 0 && hashes.length === 0 && orders.length === 0;
      return isOnlyAboutLack ? last : answer;
    },
  };
}

const withoutBalances = (snapshot: EvmSnapshot): EvmSnapshot => ({
  ...snapshot,
  receipts: new Map(
    [...snapshot.receipts].map(([hash, receipt]): [string, EvmReceipt] => {
      if (receipt.status === "failed") return [hash, receipt];
      const { moved: _, ...logged } = receipt;
      return [hash, logged];
    }),
  ),
});

/** Compares only the best route that both hosts name. */
const intersectsFirst: System = {
  ...theSystem,
  place: (request) =>
    rewritten(theSystem.place(request), {
      answer: (effect, answer) => {
        if (effect.do !== "quote") return answer;
        const [a, b] = answer as HostAnswers<Evm>;
        return [withoutOthers(a, b), withoutOthers(b, a)] as const;
      },
    }),
};

/** Removes routes from one host's quote that the other host does not name. */
function withoutOthers(quote: EvmHostQuote, other: EvmHostQuote): EvmHostQuote {
  if (quote === undefined || other === undefined) return quote;
  if (quote instanceof DomainError || other instanceof DomainError) return quote;
  const [best, ...rest] = quote.routes.filter((route) =>
    other.routes.some((each) => isSameEvmRoute(each, route)),
  );
  return best === undefined ? quote : { ...quote, routes: [best, ...rest], amountOut: best.amountOut };
}

/** Looks up the key only after checking the wallet, the switch and the balance. */
const replaysLate: System = {
  ...theSystem,
  place: (request) => {
    let reads = 0;
    return rewritten(theSystem.place(request), {
      answer: (effect, answer) => {
        if (effect.do !== "readPlacing" || reads++ > 0) return answer;
        return { ...(answer as Effects["readPlacing"]["answer"]), used: undefined, order: undefined };
      },
    });
  },
};

/** Omits the call that returns unused coin from v3 buys. */
const leavesOutRefund: System = {
  ...theSystem,
  sign: (request) =>
    rewritten(theSystem.sign(request), {
      effect: (effect) => {
        if (effect.do !== "signBytes") return effect;
        const unsigned = effect.unsigned as UnsignedEvmTransaction;
        if (unsigned.call.purpose !== "swap") return effect;
        const call = { ...unsigned.call, hasRefund: false };
        return { ...effect, unsigned: { ...unsigned, call } };
      },
    }),
};

/** Trusts the order's own state, which the caller could have written. */
const ignoresCancellations: System = {
  ...theSystem,
  sign: (request) =>
    rewritten(theSystem.sign(request), {
      ...inWrites((write) => (write.kind === "check" && write.of === "cancellation" ? [] : [write])),
      answer: (effect, answer) =>
        effect.do === "readSigning"
          ? { ...(answer as Effects["readSigning"]["answer"]), isCancelled: false }
          : answer,
    }),
};

/** Reads no cancellations of many orders when it signs. */
const ignoresCutoffs: System = {
  ...theSystem,
  sign: (request) => rewritten(theSystem.sign(request), withoutCutoffs),
};

/** Checks the MAC of the claimed order, and signs for the stored one, whatever it is. */
const comparesNoIntent: System = {
  ...theSystem,
  sign: ({ claimed, ...request }) =>
    rewritten(theSystem.sign(request as SignRequest<Evm>), {
      effect: (effect) => (effect.do === "checkMac" ? { ...effect, ...claimed } : effect),
    }),
};

/** Sends transactions to recipients other than the intended ones. */
const sendsTo = (recipients: (to: Recipients) => Recipients): Rewrite => ({
  effect: (effect) => (effect.do === "send" ? { ...effect, to: recipients(effect.to) } : effect),
});

/** Systems with one fault each. The model must catch every one. */
export const mutants: Readonly<Record<string, () => System>> = {
  "mistakes an RPC error for no receipt": () => work(silenceIsNo),
  "retries with a new nonce": () => retriesWithNewNonce,
  "sends before it records": () => sendsBeforeRecording,
  "does not check the holder": () => work(() => inWrites(withoutHolder)),
  "counts its holders": countsHolders,
  "voids a signed slot": () => ({
    ...work(() => inWrites(voidsSigned)),
    cancel: (userID, orderId) => rewritten(theSystem.cancel(userID, orderId), inWrites(voidsSigned)),
  }),
  "lets the clock expire a signed order": judgesByClock,
  "treats the latest block as final": () =>
    work(() => inSnapshots((snapshot) => ({ ...snapshot, finalized: snapshot.latest }))),
  "leaves out the refund": () => leavesOutRefund,
  "does not read cancellations": () => ignoresCancellations,
  "does not read cancellations of all orders": () => ignoresCutoffs,
  "signs orders from the future": () => ({
    ...theSystem,
    sign: ({ claimed: _, ...request }) =>
      rewritten(theSystem.sign(request as SignRequest<Evm>), trustsAnyTime()),
  }),
  "places orders without a look at cancellations": () => ({
    ...theSystem,
    place: (request) => rewritten(theSystem.place(request), inWrites(withoutCutoffChecks)),
  }),
  "cancels only what the time covers": () => ({ ...theSystem, cancelAll: cuttingOffOnly }),
  "does not compare the claimed intent with the stored one": () => comparesNoIntent,
  "does not notice a policy that changes": () => trustsOldPolicies,
  "forgets what a day has spent": () => forgetsTheDay,
  "ignores the limit of a day's network fees": () => ignoresFeeLimit,
  "blocks clears": () => blocksClears,
  "counts no approvals": () =>
    countsFees(({ read, counted, purpose }) => (purpose === "approve" ? read : counted)),
  "counts a replacement as a whole": () => countsFees(({ read, most }) => read + most),
  "plans from old facts of the placing": () => work(trustsOldFacts),
  "trusts an old allowance": keepsAllowance,
  "trusts the events of tokens": () => work(() => inSnapshots(withoutBalances)),
  "trusts one host about balances": () => work(believesOneBalance),
  "trusts one host about tokens that a wallet lacks": () => work(believesOneLack),
  "mistakes a host's silence for missing tokens": () => work(takesSilenceForLack),
  "never looks for what a wallet lacks": () => ({
    ...theSystem,
    work: (lane, holder, limits, setup, start) =>
      theSystem.work(lane, holder, limits, setup, { ...start, missed: undefined }),
  }),
  "trusts one host about routes": () => work(believesOneHost),
  "compares the hosts' routes only after it has intersected them": () => intersectsFirst,
  "forgets the fee of layer 1": () =>
    work(() =>
      inSnapshots((snapshot) => ({
        ...snapshot,
        orders: new Map(
          [...snapshot.orders].map(([id, facts]) => {
            const l1Fee = { approve: 0n, swap: 0n };
            return [id, { ...facts, routes: facts.routes.map((route) => ({ ...route, l1Fee })) }];
          }),
        ),
      })),
    ),
  "shows private transactions to hosts": () => work(() => sendsTo(() => "relay and hosts")),
  "frees nonces only by the relay": () =>
    work(() => sendsTo((to) => (to === "relay and hosts" ? "relay" : to))),
  "updates the position in a second transaction": () => ({
    ...theSystem,
    work: (...args) => writesLater(theSystem.work(...args), "book", "position"),
  }),
  "records what a fill has earned in a second transaction": () => ({
    ...theSystem,
    work: (...args) => writesLater(theSystem.work(...args), "earned"),
  }),
  "records what a fill has earned before it is final": () => work(earnsEarly),
  "replays a request after the checks": () => replaysLate,
  "forgets what a key's day has spent": () => forgetsTheKeysDay,
  "trusts an old count of a key's day": () => trustsOldCounts,
  "trusts a revoked program key": () => trustsOldKeys,
  ...startMutants,
};
