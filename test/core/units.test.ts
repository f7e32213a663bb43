import { describe, expectTypeOf, it } from "vitest";
import type { CoinUnits, Lamports, TokenUnits, Wei, WeiPerGas } from "../../lib/core/units.ts";

describe("units of money", () => {
  it("take a plain number, and give one after arithmetic", () => {
    expectTypeOf<bigint>().toExtend<Wei>();
    expectTypeOf<bigint>().toExtend<Lamports>();
    expectTypeOf<bigint>().toExtend<TokenUnits>();
    const sum = (fee: Wei, amount: TokenUnits) => fee + amount * 2n;
    expectTypeOf(sum).returns.toEqualTypeOf<bigint>();
  });

  it("do not take each other", () => {
    expectTypeOf<Wei>().not.toExtend<Lamports>();
    expectTypeOf<Wei>().not.toExtend<WeiPerGas>();
    expectTypeOf<Wei>().not.toExtend<TokenUnits>();
    expectTypeOf<TokenUnits>().not.toExtend<CoinUnits>();
    expectTypeOf<CoinUnits>().not.toExtend<TokenUnits>();
    expectTypeOf<CoinUnits>().not.toExtend<Wei>();
    const spend = (amount: TokenUnits) => amount;
    // @ts-expect-error
    const mixed = (fee: Lamports) => spend(fee);
    expectTypeOf(mixed).returns.toEqualTypeOf<TokenUnits>();
  });

  it("let a coin's amount be in the unit of either family", () => {
    expectTypeOf<Wei>().toExtend<CoinUnits>();
    expectTypeOf<Lamports>().toExtend<CoinUnits>();
  });
});
