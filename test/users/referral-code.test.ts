import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newReferralCode, readReferralCode } from "../../lib/users/referral-code.ts";

describe("newReferralCode", () => {
  it("returns 8 characters without lookalikes", () => {
    for (let run = 0; run < 200; run++) expect(newReferralCode()).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
  });
});

describe("readReferralCode", () => {
  it("accepts upper and lower case, and surrounding space", () => {
    const code = newReferralCode();
    expect([code, code.toLowerCase(), ` ${code}\n`].map(readReferralCode)).toEqual([code, code, code]);
  });

  it("rejects any other text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const code = readReferralCode(text);
        expect(code === undefined || code === text.trim().toUpperCase()).toBe(true);
      }),
    );
    expect(["", "ABCD234", "ABCD23450", "ABCD234O", "REF#ABCD"].map(readReferralCode)).toEqual(
      Array(5).fill(undefined),
    );
  });
});
