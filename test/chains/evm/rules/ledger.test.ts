import { describe, expect, it } from "vitest";
import { swapBy } from "../../../../lib/chains/evm/rules/intent.ts";
import { emptyEvmLedger, signedNonceOf } from "../../../../lib/chains/evm/rules/ledger.ts";
import { intent, v2 } from "../../../support/trading.ts";

describe("signedNonceOf", () => {
  it("names all that was signed at the swap's nonce, and the swap's deadline", () => {
    const own = intent();
    const signatures = [
      { nonce: 6, purpose: "approve", hash: "0xa" },
      { nonce: 6, purpose: "clear", hash: "0xb" },
      { nonce: 7, purpose: "swap", hash: "0xc" },
      { nonce: 7, purpose: "swap", hash: "0xd" },
      { nonce: 7, purpose: "clear", hash: "0xe" },
    ] as const;
    const call = { ...swapBy(own, v2, own.amount), deadline: 1_795_291_208 };
    expect(signedNonceOf({ ...emptyEvmLedger(own), swap: { nonce: 7, call }, signatures })).toEqual({
      nonce: 7,
      call,
      deadline: 1_795_291_208,
      swaps: ["0xc", "0xd"],
      clears: ["0xe"],
    });
  });

  it("is undefined before a swap is signed", () => {
    const signatures = [{ nonce: 6, purpose: "approve", hash: "0xa" }] as const;
    expect(signedNonceOf({ ...emptyEvmLedger(intent()), signatures })).toBeUndefined();
  });
});
