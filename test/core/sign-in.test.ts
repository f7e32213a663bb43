import { describe, expect, it } from "vitest";
import { isFreshSignIn, requireFreshSignIn } from "../../lib/core/sign-in.ts";

const now = new Date("2026-11-28T09:00:00Z");
const ago = (seconds: number) => new Date(now.getTime() - seconds * 1000);

describe("isFreshSignIn", () => {
  it.each([
    ["at this moment", ago(0), true],
    ["five minutes ago", ago(300), true],
    ["more than five minutes ago", ago(300.001), false],
    ["a day ago", ago(86_400), false],
    ["by an issuer whose clock is a second ahead", ago(-1), true],
    ["a minute ahead", ago(-60), true],
    ["more than a minute ahead", ago(-60.001), false],
    ["at an unknown time", undefined, false],
    ["at a time that no date can have", new Date(Number.NaN), false],
  ])("decides whether a sign-in %s is fresh", (_, signedInAt, isFresh) => {
    expect(isFreshSignIn(signedInAt, now)).toBe(isFresh);
  });
});

describe("requireFreshSignIn", () => {
  it("accepts a fresh sign-in, and reports the maximum age when it refuses an older one", () => {
    expect(() => requireFreshSignIn(ago(10), now)).not.toThrow();
    const refusal = expect.objectContaining({ code: "SIGN_IN_REQUIRED", details: { maxAgeSeconds: 300 } });
    expect(() => requireFreshSignIn(ago(301), now)).toThrow(refusal);
  });
});
