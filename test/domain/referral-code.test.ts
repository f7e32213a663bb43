import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { newReferralCode, readReferralCode } from "../../lib/domain/referral-code.ts";

describe("a referral code", () => {
  it("is 8 characters that cannot be taken for each other", () => {
    for (let run = 0; run < 200; run++) expect(newReferralCode()).toMatch(/^[2-9A-HJKMNP-Z]{8}$/);
  });

  it("is read back in either case and with space around it", () => {
    const code = newReferralCode();
    expect([code, code.toLowerCase(), ` ${code}\n`].map(readReferralCode)).toEqual([code, code, code]);
  });

  it("is not read out of anything else", () => {
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
