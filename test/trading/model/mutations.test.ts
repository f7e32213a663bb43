import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import { swapBy } from "../../../lib/chains/evm/rules/intent.ts";
import { emptyEvmLedger } from "../../../lib/chains/evm/rules/ledger.ts";
import {
  expectObedience,
  fees,
  fixtures,
  prepareFixtures,
  type SignerFixture,
  signed,
} from "../../support/signer-fixtures.ts";

beforeAll(prepareFixtures);

type Path = readonly string[];

/** Lists the paths to all fields, including those of objects and lists. */
const pathsIn = (value: unknown, path: Path = []): Path[] =>
  typeof value !== "object" || value === null || value instanceof Uint8Array
    ? [path]
    : [path, ...Object.entries(value).flatMap(([name, part]) => pathsIn(part, [...path, name]))];

const at = (value: unknown, path: Path): unknown =>
  path.reduce((part: unknown, name) => (part as Record<string, unknown> | undefined)?.[name], value);

function withChange<Value>(value: Value, [name, ...rest]: Path, change: unknown): Value {
  if (name === undefined) return change as Value;
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<string, unknown>;
  const part = rest.length === 0 ? change : withChange(copy[name] ?? {}, rest, change);
  if (part === undefined) delete copy[name];
  else copy[name] = part;
  return copy as Value;
}

const strangers = [
  "0x00000000000000000000000000000000000000AD",
  "base",
  "bob",
  "sell",
  "buy",
  "approve",
  "swap",
];
const ends = ["clear", "uniswap-v2", "uniswap-v3", "pancakeswap-v2", "planned", "signed", "mined", ""];

/** Lists the replacements to try for a field. */
function changesOf(value: unknown): unknown[] {
  if (typeof value === "bigint")
    return [value + 1n, value - 1n, 3n * value, value / 2n, 0n, 1n, -value, 2n ** 256n - 1n, undefined];
  if (typeof value === "number") return [value + 1, value - 1, 0, 5, 6, 8, 10 ** 12, -1, undefined];
  if (typeof value === "boolean") return [!value, undefined];
  if (value instanceof Uint8Array) return [value.map((byte) => byte ^ 1), value.slice(1), undefined];
  if (Array.isArray(value)) return [[], value.toReversed(), [...value, ...value], [7], undefined];
  if (typeof value === "string") return [...strangers, ...ends, `${value}0`, undefined];
  return [{}, undefined];
}

/** Tries one change of each field. `FULL=1` tries all of them, which takes half a minute. */
const someOf = (changes: unknown[], index: number) =>
  process.env.FULL ? changes : changes.slice(index % changes.length).slice(0, 1);

const names = Object.keys(fixtures);

/** Number of changes that the signer accepted. */
let signatures = 0;

describe("signTransaction", () => {
  it.each(names)("signs %s", async (name) => {
    const genuine = fixtures[name] as SignerFixture;
    expect(await expectObedience(genuine, genuine)).toBeDefined();
  });

  it.each(names)(
    "never spends more, receives less or fills twice after a change of any field of %s",
    async (name) => {
      const genuine = fixtures[name] as SignerFixture;
      const paths = pathsIn(genuine).slice(1);
      for (const [index, path] of paths.entries())
        for (const change of someOf(changesOf(at(genuine, path)), index))
          await expectObedience(withChange(genuine, path, change), genuine);
      expect(paths.length).toBeGreaterThan(50);
    },
  );

  it("never spends more, receives less or fills twice after several changes, even with values copied from other fields", async () => {
    const paths = Object.fromEntries(names.map((name) => [name, pathsIn(fixtures[name]).slice(1)]));
    const changes = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.boolean()), { minLength: 2, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...names), changes, async (name, picks) => {
        const genuine = fixtures[name] as SignerFixture;
        const all = paths[name] as Path[];
        let changed = genuine;
        for (const [which, value, isMoved] of picks) {
          const path = all[which % all.length] as Path;
          const options = changesOf(at(genuine, path));
          const moved = at(genuine, all[value % all.length] as Path);
          changed = withChange(changed, path, isMoved ? moved : options[value % options.length]);
        }
        await expectObedience(changed, genuine);
      }),
      { numRuns: process.env.FULL ? 600 : 150 },
    );
  });

  it("never spends more, receives less or fills twice after several changes that match each other", async () => {
    const pick = fc.constantFrom;
    const lies = fc.record({
      name: pick(...names),
      intent: fc.record(
        {
          amount: pick(1n, 10n ** 30n),
          minAmountOut: pick(0n, 1n),
          token: pick(strangers[0] as string),
          maxGasPrice: pick(10n ** 15n),
          gasLimit: pick(10n ** 6n),
          validUntil: pick(2 ** 40),
        },
        { requiredKeys: [] },
      ),
      isLying: fc.boolean(),
      isClaimed: fc.boolean(),
      nonce: pick(5, 6, 7, 8),
      gas: pick(1n, 2n, 3n, 20n),
      fee: pick(1n, 2n, 57n, 200n, 10_000n),
      maxGasPrice: pick(100, 10 ** 9),
      approved: fc.subarray([5, 6, 8], { maxLength: 2 }),
      isSigned: fc.boolean(),
      part: pick(1n, 2n),
    });
    await fc.assert(
      fc.asyncProperty(lies, async (lie) => {
        const genuine = fixtures[lie.name] as SignerFixture;
        const { request, order, slot: planned } = genuine;
        const shown = { ...order.intent, ...(lie.isLying && lie.intent) };
        const { call } = planned;
        const changed: SignerFixture = {
          ...genuine,
          request: {
            ...request,
            ...(lie.isClaimed && { claimed: { intent: shown, mac: order.mac } }),
            place: lie.nonce,
            fees: {
              maxFeePerGas: fees.maxFeePerGas * lie.fee,
              maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
            },
          },
          order: { ...order, intent: shown },
          slot: {
            ...planned,
            place: lie.nonce,
            gasLimit: planned.gasLimit * lie.gas,
            attempts: [],
            call:
              call.purpose === "swap"
                ? swapBy(shown, call, shown.amount / lie.part)
                : { ...call, token: shown.token, amount: shown.amount },
          },
          ledger: {
            ...emptyEvmLedger(shown),
            approveNonces: lie.approved,
            revision: 1,
            ...(lie.isSigned && signed(order.intent)),
          },
          settings: { maxGasPrice: lie.maxGasPrice },
        };
        const bytes = await expectObedience(changed, genuine);
        if (bytes !== undefined) signatures++;
      }),
      { numRuns: 600 },
    );
    expect(signatures).toBeGreaterThan(10);
  });
});
