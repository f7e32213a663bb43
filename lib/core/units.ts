declare const unit: unique symbol;

/**
 * An amount in a unit. A plain `bigint` may be an amount in any unit, so arithmetic needs no casts. An amount in one
 * unit cannot be used where another unit is expected.
 */
type Unit<Name extends string> = bigint & { readonly [unit]?: Name };

export type Wei = Unit<"wei">;

/** The price of a unit of gas. */
export type WeiPerGas = Unit<"wei per gas">;

export type Lamports = Unit<"lamports">;

/** Amounts of a chain's coin, in its smallest unit. */
export type CoinUnits = Wei | Lamports;

/** Amounts of a token, in its smallest unit. */
export type TokenUnits = Unit<"token units">;
