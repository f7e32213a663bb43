import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import type { TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { getItems } from "../../lib/table/batch-get.ts";
import { holds } from "../../lib/table/evaluate.ts";
import type { Key } from "../../lib/table/keys.ts";
import {
  atLeast,
  atMost,
  below,
  type Condition,
  containing,
  smallerThan,
  Test,
  type When,
} from "../../lib/table/step.ts";
import type { Table } from "../../lib/table/table.ts";
import { write } from "../../lib/table/write.ts";
import { tableForTests } from "../support/dynamodb.ts";

const db = tableForTests();

/** Offers few values, so that many are equal. The texts sort differently in UTF-16 and UTF-8. */
const number = fc.constantFrom(-1.5, 0, 1, 2, 10, Number.MAX_SAFE_INTEGER);
const text = fc.constantFrom("", "1", "10", "2", "a", "ab", "\uffee", "\u{1f600}");
const scalar = fc.oneof(
  number,
  text,
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom(new Uint8Array([1]), new Uint8Array([1, 2]), Buffer.from([2])),
);
const members = { minLength: 1, maxLength: 3 };
const value = fc.oneof(
  { weight: 4, arbitrary: scalar },
  {
    weight: 1,
    arbitrary: fc.uniqueArray(fc.constantFrom("a", "b", "10"), members).map((all) => new Set(all)),
  },
  { weight: 1, arbitrary: fc.uniqueArray(number, members).map((all) => new Set(all)) },
  { weight: 1, arbitrary: fc.array(scalar, { maxLength: 2 }) },
  { weight: 1, arbitrary: fc.record({ x: scalar, y: scalar }, { requiredKeys: [] }) },
);
const item = fc.record({ a: value, b: value, c: value }, { requiredKeys: [] });
const comparable = fc.oneof(number, text);
const wanted = fc.oneof(
  { weight: 3, arbitrary: value },
  { weight: 1, arbitrary: fc.constant(undefined) },
  { weight: 1, arbitrary: fc.array(scalar, members).map((all) => new Test("one of", all)) },
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(below, atMost, atLeast), comparable).map(([test, to]) => test(to)),
  },
  { weight: 1, arbitrary: fc.nat({ max: 3 }).map(smallerThan) },
  { weight: 1, arbitrary: text.filter((each) => each !== "").map(containing) },
);
const condition: fc.Arbitrary<Condition> = fc.oneof(
  { weight: 1, arbitrary: fc.constantFrom("absent", "present") },
  { weight: 8, arbitrary: fc.record({ a: wanted, b: wanted }, { requiredKeys: [] }) },
);
/** Derives half of the conditions from the item, so that many are true. */
const pair = fc.oneof(
  fc.tuple(fc.option(item, { nil: undefined }), fc.array(condition, { minLength: 1, maxLength: 2 })),
  item.map((own) => [own, [own]] as [typeof own, Condition[]]),
);

/** Checks up to 100 conditions in one transaction. DynamoDB answers each of them. */
async function checkTogether(
  { name, client }: Table,
  checks: { key: Key; when: When }[],
): Promise<boolean[]> {
  let answers = checks.map(() => true);
  const send = async (command: unknown) => {
    const canceled = await client.send(command as TransactWriteCommand).catch((error: unknown) => error);
    if (!(canceled instanceof TransactionCanceledException)) return;
    answers = (canceled.CancellationReasons ?? []).map(({ Code }) => Code !== "ConditionalCheckFailed");
  };
  const noting = { name, client: { send } as unknown as Table["client"] };
  await write(
    noting,
    checks.map((check) => ({ kind: "check", ...check })),
  );
  return answers;
}

describe("a condition", () => {
  it("evaluates a condition like DynamoDB", async () => {
    const pairs = fc.sample(pair, { numRuns: 1000, seed: 1 }).map(([stored, when], index) => {
      const key = { PK: "any", SK: String(index) };
      return { stored: stored && { ...stored, ...key }, key, when };
    });
    const items = pairs.flatMap(({ stored }) => stored ?? []);
    for (let from = 0; from < items.length; from += 100)
      await write(
        db.table,
        items
          .slice(from, from + 100)
          .map(({ PK, SK, ...content }) => ({ kind: "put", key: { PK, SK }, item: content })),
      );
    const answers: boolean[] = [];
    for (let from = 0; from < pairs.length; from += 100)
      answers.push(
        ...(await checkTogether(
          db.table,
          pairs.slice(from, from + 100).map(({ key, when }) => ({ key, when })),
        )),
      );
    const read = new Map(
      (
        await getItems<Key>(
          db.table,
          pairs.flatMap(({ stored, key }) => (stored ? key : [])),
        )
      ).map((found) => [found.SK, found]),
    );
    const own = pairs.map(({ key, when }) => holds(when, read.get(key.SK)));
    const shown = (all: boolean[]) => pairs.map(({ stored, when }, index) => [all[index], stored, when]);
    expect(shown(own)).toEqual(shown(answers));
    expect(answers.filter(Boolean).length).toBeGreaterThan(300);
    expect(answers.filter((holding) => !holding).length).toBeGreaterThan(300);
  });
});
