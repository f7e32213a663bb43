import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { clearGas } from "../../../lib/chains/evm/rules/fees.ts";
import type { EvmAttempt, EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import type { Effects, SigningView, SignRequest } from "../../../lib/orders/effects.ts";
import { type Limits, restOfFees } from "../../../lib/orders/wallet-policy.ts";
import { inWrites, rewritten, work } from "./rewrites.ts";
import { type System, theSystem } from "./system.ts";

/** Rewrites the day's count that the signer writes, using the data that it has read and signed. */
export const countsFees = (
  recount: (fees: { read: bigint; counted: bigint; most: bigint; purpose: string }) => bigint,
): System => ({
  ...theSystem,
  sign: (request) => {
    let read = 0n;
    return rewritten(theSystem.sign(request), {
      answer: (effect, answer) => {
        if (effect.do === "readSigning")
          read = (answer as Effects["readSigning"]["answer"]).limits.count?.networkFees ?? 0n;
        return answer;
      },
      effect: (effect) => {
        if (effect.do !== "write") return effect;
        const step = effect.step.map((write) => {
          if (write.kind !== "put" || write.of !== "day") return write;
          const { purpose, fees } = request as SignRequest<Evm>;
          const slot = effect.step.find((each) => each.kind === "put" && each.of === "slot") as unknown as {
            item: EvmSlot;
          };
          const most = (slot.item.attempts.at(-1) as EvmAttempt).gasLimit * fees.maxFeePerGas;
          const networkFees = recount({ read, counted: write.item.networkFees ?? 0n, most, purpose });
          return { ...write, item: { ...write.item, networkFees } };
        });
        return { ...effect, step };
      },
    });
  },
});

/** Reads a wallet's limits without the limit of network fees. */
const withoutFeeLimit = ({ stored, count }: Limits): Limits => {
  if (stored === undefined) return { stored, count };
  const { maxNetworkFeesPerDay: _, ...policy } = stored.policy;
  return { stored: { ...stored, policy }, count };
};

/** Hides the day's limit of network fees from the runs and from the signer. */
export const ignoresFeeLimit: System = {
  ...work(() => ({
    answer: (effect, answer) => {
      if (effect.do !== "readLane") return answer;
      const view = answer as Effects["readLane"]["answer"];
      const limits = [...view.limits].map(([userID, each]) => [userID, withoutFeeLimit(each)] as const);
      return { ...view, limits: new Map(limits) };
    },
  })),
  sign: (request) =>
    rewritten(theSystem.sign(request), {
      answer: (effect, answer) => {
        if (effect.do !== "readSigning") return answer;
        const view = answer as Effects["readSigning"]["answer"];
        return { ...view, limits: withoutFeeLimit(view.limits) };
      },
    }),
};

/** Requires a clear's whole fee to fit into the day's limit, even if its nonce may already pay as much. */
export const blocksClears: System = {
  ...theSystem,
  sign: (request) =>
    rewritten(theSystem.sign(request), {
      answer: (effect, answer) => {
        if (effect.do !== "readSigning" || request.purpose !== "clear") return answer;
        const view = answer as SigningView;
        const rest = restOfFees(view.limits, Date.parse(effect.day), view.chainLimits);
        const fits = clearGas * (request as SignRequest<Evm>).fees.maxFeePerGas <= rest;
        // Makes the signer postpone the request, as it does if there is no slot.
        return fits ? view : { ...view, slot: undefined };
      },
    }),
};

/** Trusts the policy that was read, even if the user has changed the policy in the meantime. */
export const trustsOldPolicies: System = {
  ...theSystem,
  sign: (request) =>
    rewritten(
      theSystem.sign(request),
      inWrites((write) => (write.kind === "check" && write.of === "policy" ? [] : [write])),
    ),
};

/** Treats each buy as the first of its day. */
export const forgetsTheDay: System = {
  ...theSystem,
  sign: (request) =>
    rewritten(theSystem.sign(request), {
      answer: (effect, answer) => {
        if (effect.do !== "readSigning") return answer;
        const view = answer as Effects["readSigning"]["answer"];
        const { stored, count } = view.limits;
        return { ...view, limits: { stored, count: count && { ...count, spent: 0n } } };
      },
    }),
};

/** Treats each buy of a program as the first of its key's day. */
export const forgetsTheKeysDay: System = {
  ...theSystem,
  sign: (request) =>
    rewritten(theSystem.sign(request), {
      answer: (effect, answer) => {
        const { program, ...view } = answer as SigningView;
        if (effect.do !== "readSigning" || program?.count === undefined) return answer;
        return { ...view, program: { ...program, count: { ...program.count, spent: 0n } } };
      },
    }),
};

/** Trusts the count of a key's day that was read, even if another wallet's order has raised it in the meantime. */
export const trustsOldCounts: System = {
  ...theSystem,
  sign: (request) =>
    rewritten(
      theSystem.sign(request),
      inWrites((write) =>
        write.of === "keyDay" && write.kind === "put" ? [{ ...write, when: undefined as never }] : [write],
      ),
    ),
};

/** Trusts the program key that was read, even if its user has revoked it in the meantime. */
export const trustsOldKeys: System = {
  ...theSystem,
  sign: (request) =>
    rewritten(
      theSystem.sign(request),
      inWrites((write) => (write.of === "programKey" ? [] : [write])),
    ),
};
