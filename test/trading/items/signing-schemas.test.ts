import { isDeepStrictEqual } from "node:util";
import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import type * as v from "valibot";
import { describe, expect, expectTypeOf, it } from "vitest";
import type { Evm } from "../../../lib/chains/evm/rules/family.ts";
import { emptyEvmLedger } from "../../../lib/chains/evm/rules/ledger.ts";
import type { evmItems } from "../../../lib/chains/evm/rules/schemas.ts";
import type { EvmSlot } from "../../../lib/chains/evm/rules/slot.ts";
import type { Sol } from "../../../lib/chains/sol/rules/family.ts";
import type { solItems } from "../../../lib/chains/sol/rules/schemas.ts";
import type { SolSlot } from "../../../lib/chains/sol/rules/slot.ts";
import type { daySpend, policyRecord } from "../../../lib/orders/schemas.ts";
import type { Items, Ledger } from "../../../lib/orders/table-step.ts";
import type { TradeOrder } from "../../../lib/orders/trade-order.ts";
import { counted, openPolicy } from "../../../lib/orders/wallet-policy.ts";
import { packed } from "../../../lib/trading/items/items.ts";
import { InvalidItem, parsed, type SigningKind } from "../../../lib/trading/items/signing-schemas.ts";
import { orderOf } from "../../chains/sol/fixtures.ts";
import { mandate } from "../../orders/resting/fixtures.ts";
import { signedOrder } from "../../support/lane-states.ts";
import { fixtures } from "../../support/signer-fixtures.ts";
import { intent } from "../../support/trading.ts";

const { userID, chain, wallet } = intent();
const key = { userID, chain, wallet };
const policy = { ...openPolicy, maxPerOrder: 1n, maxPerDay: 2n, maxSlippage: 10_000n, tokens: ["0xA0"] };

const mined: EvmSlot = {
  ...signedOrder().slot,
  state: "mined",
  receipt: {
    hash: "0x1",
    block: { number: 1, hash: "0xb1", time: 1 },
    fee: 1n,
    l1Fee: 0n,
    gasUsed: 1n,
    gasPrice: 1n,
    status: "ok",
    spent: 1n,
    received: 1n,
  },
};

const dead = { child: "C1", how: "failed", block: 7, final: true, paid: 3n } as const;
const ended = { orderId: "P", dead: [dead], revision: 1, expiresAt: 2_000_000_000 };
const owed = { child: "C1", kind: "limit", amount: 5n, most: 7n, day: "2026-11-22" } as const;
const ofHour = { hour: 494_000, n: 1 };
const tally = {
  orderId: "P",
  out: { ...owed, kind: "stop" },
  owed: [owed],
  counts: { limit: ofHour, stop: ofHour },
  fees: { limit: 7n, stop: 7n },
  revision: 2,
  expiresAt: 1_800_000_000,
} as const;

const signature = { nonce: 7, purpose: "swap", hash: "0x1" } as const;
const childSigned: Ledger<Evm> = {
  ...emptyEvmLedger(intent()),
  swapSignedAtMs: 1,
  signatures: [signature],
};
const ledgerOfChild: Items["ledger"] = childSigned;

/** Items as the service writes them, with as many fields as possible. */
const honest: readonly { [K in SigningKind]: [K, Items[K]] }[SigningKind][] = [
  ...Object.values(fixtures).flatMap(({ order, slot, ledger, policy: stored, day }) => [
    ["order", order] as ["order", Items["order"]],
    ["slot", slot] as ["slot", Items["slot"]],
    ...(ledger ? [["ledger", ledger] as ["ledger", Items["ledger"]]] : []),
    ...(stored ? [["policy", stored] as ["policy", Items["policy"]]] : []),
    ...(day ? [["day", day] as ["day", Items["day"]]] : []),
  ]),
  ["order", signedOrder().order],
  ["order", { ...signedOrder().order, mandate: mandate(), mandateMac: "mac", yields: true }],
  ["ledger", ledgerOfChild],
  ["order", orderOf({ quoted: { priceImpact: 0.2, networkFee: 1n, rents: 2n } })],
  ["slot", mined],
  ["policy", { ...key, policy, pending: { policy, effectiveAt: "2026-11-22T20:00:00.000Z" }, revision: 1 }],
  [
    "day",
    counted(key, undefined, {
      fees: 0n,
      adds: 5n,
      nowMs: Date.parse("2026-11-21"),
      children: { limitFees: 2n, newResting: 1, givenBack: 3 },
    }),
  ],
  ["tally", tally],
  ["ended", ended],
  ["day", counted(key, undefined, { fees: 0n, adds: 5n, swapOf: "o1", nowMs: Date.parse("2026-11-21") })],
];

/** Types of the items that the service writes. JavaScript turns the nonces of a ledger into text. */
type Written = {
  evm: {
    order: TradeOrder<Evm>;
    slot: EvmSlot;
    ledger: Omit<Ledger<Evm>, "fees"> & { fees: Record<string, Ledger<Evm>["fees"][number]> };
  };
  sol: {
    order: TradeOrder<Sol>;
    slot: SolSlot;
    ledger: Ledger<Sol>;
  };
  policy: Items["policy"];
  day: Items["day"];
};

type Parsed<Schemas> = {
  [K in keyof Schemas]: Schemas[K] extends v.GenericSchema ? v.InferOutput<Schemas[K]> : never;
};

/** Writes a value as the table would, and reads it back. */
const stored = (value: unknown) =>
  unmarshall(marshall(packed(value), { removeUndefinedValues: true }), { wrapNumbers: Number } as never);

const keyed = (value: unknown) => ({ ...(value as object), PK: "P", SK: "S" });

type Path = readonly string[];

/** Lists the paths to all fields of a stored item. A map with the digits of an amount is one field. */
const pathsIn = (value: unknown, path: Path = []): Path[] =>
  typeof value !== "object" || value === null || "bigint" in value
    ? [path]
    : [
        ...(path.length > 0 ? [path] : []),
        ...Object.entries(value).flatMap(([name, part]) => pathsIn(part, [...path, name])),
      ];

const at = (value: unknown, path: Path) =>
  path.reduce((part: unknown, name) => (part as Record<string, unknown>)[name], value);

function withChange(value: unknown, [name = "", ...rest]: Path, change: unknown): unknown {
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>;
  copy[name] = rest.length === 0 ? change : withChange(copy[name], rest, change);
  return copy;
}

const long = "9".repeat(300_000);
const endless = { bigint: long };

/** Lists replacements of a value that the service never writes. */
function oddValues(value: unknown): unknown[] {
  const everywhere = [null, endless, new Set(["5"]), new Set([5]), Buffer.from("5"), { more: 1 }, [[]]];
  if (typeof value === "number")
    return [...everywhere, String(value), ` ${value}`, true, [value], { bigint: String(value) }];
  if (typeof value === "boolean") return [...everywhere, String(value), Number(value), [value]];
  if (typeof value === "string") return [...everywhere, long, 5, true, [value]];
  if (Array.isArray(value)) return [...everywhere, {}, "any thing", { 0: value[0] }, [...value, { more: 1 }]];
  if (typeof value !== "object" || value === null || !("bigint" in value))
    return [...everywhere, [], "text", 5, { ...(value as object), more: 1 }];
  const digits = String(value.bigint);
  return [
    ...[...everywhere, digits, ` ${digits}`, Number(digits), [value], { bigint: digits, more: 1 }],
    ...["-1", ` ${digits}`, `0x${digits}`, `0${digits}`, "", "1e3", "5n", String(2n ** 256n)].map(
      (bigint) => ({ bigint }),
    ),
    ...[Number(digits), true, null, { bigint: digits }].map((bigint) => ({ bigint })),
  ];
}

/** Invalid counts, times and versions. Percentages are not counts, so they may be fractions. */
const oddCounts = [-1, 2 ** 53, 2 ** 60, 1.5, Number.NaN, Number.POSITIVE_INFINITY];
/** True for a part of a mandate's price, which may have more than 256 bits. */
const isWide = (path: Path, change: unknown) =>
  path.includes("legs") && isDeepStrictEqual(change, { bigint: String(2n ** 256n) });

const noGas = { bigint: "0" };

/** Names of an object's fields, where an index of a list and the nonce of a fee are alike. */
const namesIn = (value: unknown) =>
  typeof value === "object"
    ? Object.keys(value ?? {}).map((name) => name.replace(/^\d+$/, "#"))
    : typeof value;

const tried = new Set<string>();

/** True if an earlier item of the chain's family had the field, of this form and next to the same others. */
function wasTried(
  kind: SigningKind,
  whole: { chain?: string; intent?: { chain: string } },
  path: Path,
): boolean {
  const isOnSol = (whole.intent ?? whole).chain === "sol";
  const parts = [path.slice(0, -1), path].map((each) => namesIn(at(whole, each)));
  const field = JSON.stringify([kind, isOnSol, path.filter((name) => !/^\d+$/.test(name)), parts]);
  const isKnown = tried.has(field);
  tried.add(field);
  return isKnown;
}

const isCount = (path: Path) => !["slippage", "percent", "priceImpact"].includes(path.at(-1) ?? "");

function isRejected(kind: SigningKind, item: object): boolean {
  try {
    parsed(kind, item as never);
    return false;
  } catch (error) {
    if (!(error instanceof InvalidItem)) throw error;
    return true;
  }
}

describe("an item that the signer relies on", () => {
  it("has a schema for each field that the service may write", () => {
    expectTypeOf<Written["evm"]>().toExtend<Parsed<typeof evmItems>>();
    expectTypeOf<Written["sol"]>().toExtend<Parsed<typeof solItems>>();
    expectTypeOf<Written["policy"]>().toExtend<v.InferOutput<typeof policyRecord>>();
    expectTypeOf<Written["day"]>().toExtend<v.InferOutput<typeof daySpend>>();
  });

  it("reads an item as it was written", () => {
    for (const [kind, item] of honest) expect(parsed(kind, keyed(stored(item)) as never)).toEqual(item);
  });

  it.each(honest.map(([kind, item], index) => [index, kind, item] as const))(
    "rejects items with any value that the service never writes (%d, %s)",
    (_, kind, item) => {
      const whole = stored(item);
      const accepted: string[] = [];
      for (const path of pathsIn(whole)) {
        if (wasTried(kind, whole, path) && process.env.FULL === undefined) continue;
        const value = at(whole, path);
        const isList = (change: unknown) => path.at(-1) === "tokens" && Array.isArray(change);
        const odd = [
          ...oddValues(value),
          ...(typeof value === "number" && isCount(path) ? oddCounts : []),
          ...(path.at(-1) === "gasLimit" ? [noGas] : []),
        ];
        for (const change of odd.filter((each) => !isList(each) && !isWide(path, each))) {
          if (!isRejected(kind, keyed(withChange(whole, path, change))))
            accepted.push(`${path.join(".")} as ${String(change)}`.slice(0, 99));
        }
      }
      expect(accepted).toEqual([]);
    },
  );

  it.each(honest.map(([kind, item], index) => [index, kind, item] as const))(
    "rejects items with an extra field or without a required one (%d, %s)",
    (_, kind, item) => {
      const whole = stored(item);
      expect(() => parsed(kind, keyed({ ...whole, more: 1 }) as never)).toThrow(InvalidItem);
      for (const name of Object.keys(whole)) {
        const { [name]: _, ...rest } = whole;
        const isOptional = [
          "swapNonce",
          "ending",
          "details",
          "held",
          "allowance",
          "isUndelivered",
          "refusal",
          "takenIn",
          "newestOrderId",
        ]
          .concat(["receipt", "swap", "pending", "networkFees", "out"])
          .concat(["mandate", "mandateMac", "yields", "signatures", "swapSignedAtMs"])
          .concat(["limitFees", "newResting", "givenBack"])
          .includes(name);
        if (!isOptional) expect(() => parsed(kind, keyed(rest) as never), name).toThrow(InvalidItem);
      }
    },
  );
});
