import { alice } from "trading-terminal-devnet/evm/test-chain";
import { describe, expect, it, vi } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import type { SignRequest } from "../../../lib/orders/effects.ts";
import { remoteSigner } from "../../../lib/trading/signing/remote-signer.ts";
import { readSignRequest, signPayload } from "../../../lib/trading/signing/sign-payload.ts";
import { attempt } from "../../support/lane-states.ts";
import { intent, slot } from "../../support/trading.ts";

const own = intent({ wallet: alice.address });
const planned = slot({}, own);
const signed = { ...planned, state: "signed", attempts: [attempt()] } as const;
const { chain, wallet, orderId, userID } = own;
const request: SignRequest<Evm> = {
  chain,
  wallet,
  orderId,
  userID,
  place: 7,
  purpose: "swap",
  fees: planned.fees,
  claimed: { intent: own, mac: "mac" },
};

/** Converts a value as Lambda's transport does. */
const carried = (value: unknown) => JSON.parse(JSON.stringify(value));

describe("remoteSigner", () => {
  it("sends requests as JSON that the function can read, with amounts as text", async () => {
    const call = vi.fn(async (payload: unknown) => {
      expect(readSignRequest(carried(payload))).toEqual(request);
      return carried(signPayload({ slot: signed, raw: "0x02" }));
    });
    const onFault = vi.fn();
    expect(await remoteSigner(call, onFault)(request)).toEqual({ slot: signed, raw: "0x02" });
    expect(call).toHaveBeenCalledOnce();
    expect(onFault).not.toHaveBeenCalled();
  });

  it.each([{ refused: "no" }, { later: "soon" }])(
    "returns the signer's answer %j unchanged",
    async (answer) => {
      expect(await remoteSigner(async () => carried(answer), vi.fn())(request)).toEqual(answer);
    },
  );

  const slots = carried(signPayload({ slot: signed, raw: "0x02" })) as { slot: object };

  it.each<[string, unknown]>([
    ["null", null],
    ["text", "signed"],
    ["nothing in it", {}],
    ["more than one answer", { refused: "no", later: "soon" }],
    ["a slot of another nonce", { ...slots, slot: { ...slots.slot, place: 8 } }],
    ["a slot without an attempt", { ...slots, slot: { ...slots.slot, attempts: [] } }],
    ["a slot of no order", { ...slots, slot: { ...slots.slot, orderId: null } }],
    ["an amount that is not a number", { slot: { ...slots.slot, gasLimit: { bigint: "much" } } }],
  ])("postpones the order if the response is %s", async (_, answer) => {
    const onFault = vi.fn();
    const signer = remoteSigner(async () => answer, onFault);
    expect(await signer(request)).toEqual({ later: "the signer does not answer" });
    expect(onFault).toHaveBeenCalledWith(expect.objectContaining({ name: "UnreadableAnswer" }));
  });

  it("postpones the order if the function cannot be reached or fails", async () => {
    const onFault = vi.fn();
    const fault = new Error("ResourceNotReadyException");
    const signer = remoteSigner(() => Promise.reject(fault), onFault);
    expect(await signer(request)).toEqual({ later: "the signer does not answer" });
    expect(onFault).toHaveBeenCalledWith(fault);
  });
});
