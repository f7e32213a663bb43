import { describe, expectTypeOf, it } from "vitest";
import type { CoinUnits, Lamports, TokenUnits, Wei, WeiPerGas } from "../../lib/core/units.ts";

describe("units of money", () => {
  it("accept a plain number, and yield one after arithmetic", () => {
    expectTypeOf<bigint>().toExtend<Wei>();
    expectTypeOf<bigint>().toExtend<Lamports>();
    expectTypeOf<bigint>().toExtend<TokenUnits>();
    const sum = (fee: Wei, amount: TokenUnits) => fee + amount * 2n;
    expectTypeOf(sum).returns.toEqualTypeOf<bigint>();
  });

  it("cannot be used in place of each other", () => {
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

  it("let an amount of coin be in the unit of either chain family", () => {
    expectTypeOf<Wei>().toExtend<CoinUnits>();
    expectTypeOf<Lamports>().toExtend<CoinUnits>();
  });
});
