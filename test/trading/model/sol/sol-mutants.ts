import type {
  Procedure,
  SignAnswer,
  SigningView,
  SignRequest,
} from "../../../../lib/trading/core/effects.ts";
import type { Family } from "../../../../lib/trading/core/families.ts";
import type { SolSnapshot } from "../../../../lib/trading/core/sol/sol-snapshot.ts";
import { inWrites, type Rewrite, rewritten, withoutHolder } from "../mutants.ts";
import { type SolSystem, theSolSystem } from "./sol-world.ts";

const work = (rewrite: () => Rewrite): SolSystem => ({
  ...theSolSystem,
  work: (...args) => rewritten(theSolSystem.work(...args), rewrite()),
});

const inSnapshots = (change: (snapshot: SolSnapshot) => SolSnapshot): SolSystem =>
  work(() => ({
    answer: (effect, answer) =>
      effect.do === "hostSnapshot" && answer !== undefined ? change(answer as SolSnapshot) : answer,
  }));

/** Puts a host's answer in the place of the other one's. */
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

/** Treats a silent host like one that has found nothing. */
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

/** Takes the life of a blockhash from one host. */
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

const signing = (rewrite: () => Rewrite): SolSystem => ({
  ...theSolSystem,
  sign: (request) => rewritten(theSolSystem.sign(request), rewrite()),
});

const inView = (change: (view: SigningView<"sol">) => SigningView<"sol">): Rewrite => ({
  answer: (effect, answer) => (effect.do === "readSigning" ? change(answer as SigningView<"sol">) : answer),
});

const without = (of: string): Rewrite =>
  inWrites((write) => (write.kind === "check" && write.of === of ? [] : [write]));

const both = (a: Rewrite, b: Rewrite): Rewrite => ({ ...a, ...b });

/** Returns the signed bytes before it writes them. */
const sendsBeforeRecording: SolSystem = {
  ...theSolSystem,
  *sign(request): Procedure<SignAnswer<Family>> {
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

/** Pays three times its share for priority. */
const paysTooMuch = ({ message, ...request }: SignRequest<"sol">): SignRequest<"sol"> => ({
  ...request,
  message: { ...message, microLamportsPerUnit: 3n * message.microLamportsPerUnit },
});

const forgetsFees = (view: SigningView<"sol">): SigningView<"sol"> => ({
  ...view,
  ledger: view.ledger && {
    ...view.ledger,
    messages: view.ledger.messages.map((each) => ({ ...each, mostFeeLamports: 0n })),
  },
});

/** Systems with one fault each. The histories must catch every one. */
export const solMutants: Readonly<Record<string, SolSystem>> = {
  "makes no marker": { ...theSolSystem, flaws: { makesNoMarker: true } },
  "reads the marker before the height": { ...theSolSystem, flaws: { readsMarkersFirst: true } },
  "believes one host": believesOneHost,
  "takes silence for absence": takesSilenceForAbsence,
  "believes one host about the life of a blockhash": believesOneLife,
  "takes confirmed for finalized": inSnapshots((snapshot) => ({
    ...snapshot,
    finalized: snapshot.confirmed,
    receipts: new Map([...snapshot.receipts].map(([hash, seen]) => [hash, { ...seen, isFinal: true }])),
  })),
  "takes a lost receipt for a lost fill": inSnapshots((snapshot) => ({
    ...snapshot,
    markers: new Map([...snapshot.markers.keys()].map((orderId) => [orderId, false])),
  })),
  "takes the marker for a fill": inSnapshots((snapshot) => ({
    ...snapshot,
    receipts: new Map([
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
      rewritten(theSolSystem.sign(paysTooMuch(request as SignRequest<"sol">)), inView(forgetsFees)),
  },
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
