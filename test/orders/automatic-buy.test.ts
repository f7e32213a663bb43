import { describe, expect, it } from "vitest";
import { automaticLimits, objectionToFindings, objectionToMore } from "../../lib/orders/automatic-buy.ts";

const minute = 60_000;
const now = 1_000_000_000;

describe("objectionToMore", () => {
  it.each([
    [{ isBuying: false }, undefined],
    [{ isBuying: false, atMs: now - 10 * minute }, undefined],
    [{ isBuying: false, atMs: now - 10 * minute + 1 }, {}],
    // A clock may be ahead of this one.
    [{ isBuying: false, atMs: now + minute }, {}],
    [{ isBuying: true }, {}],
    [{ isBuying: true, positionId: "p" }, { positionId: "p" }],
  ])("refuses what is held, being bought, or bought in the last ten minutes: %j", (facts, details) => {
    expect(objectionToMore(facts, now)?.details).toEqual(details);
  });
});

describe("objectionToFindings", () => {
  const preset = {
    wallet: "0x1",
    buyAmount: "1",
    exits: [],
    maxBuyTax: 5,
    maxSellTax: 2,
    minLiquidity: "0.5",
  };
  const limits = automaticLimits("sol", preset);
  const findings = (buyTax: number | null, sellTax: number | null, liquidity = 500_000_000n) => ({
    safety: { sellable: true, buyTax, sellTax, hasLoss: false },
    flags: [],
    liquidity,
  });
  const good = findings(5, 2);
  const codeOf = (...[joint, ...ofHosts]: [typeof good, ...(typeof good)[]]) =>
    objectionToFindings("sol", limits, joint, ofHosts)?.code;

  it("accepts taxes and liquidity up to the preset's limits, and a host that knows no tax", () => {
    expect(codeOf(good)).toBeUndefined();
    expect(codeOf(good, good, findings(null, null))).toBeUndefined();
    expect(
      objectionToFindings(
        "eth",
        automaticLimits("eth", { ...preset, minLiquidity: undefined }),
        findings(0, 0, 0n),
        [],
      ),
    ).toBeUndefined();
  });

  it("refuses a higher or unknown tax, and one that a single host names", () => {
    for (const bad of [findings(5.1, 0), findings(0, 2.1), findings(null, 0), findings(0, null)])
      expect(codeOf(bad)).toBe("TOKEN_UNSAFE");
    expect(codeOf(good, findings(0, 3), good)).toBe("TOKEN_UNSAFE");
    expect(objectionToFindings("sol", limits, findings(6, null), [])?.details).toEqual({
      flags: [],
      buyTax: 6,
      sellTax: null,
    });
  });

  it("refuses a shallow pool, and trusts the host that names less", () => {
    const shallow = findings(0, 0, 499_999_999n);
    expect(objectionToFindings("sol", limits, good, [good, shallow])).toMatchObject({
      code: "LIQUIDITY_TOO_LOW",
      details: { liquidity: "0.499999999", least: "0.5" },
    });
  });
});
