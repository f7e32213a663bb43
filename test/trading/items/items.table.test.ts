import { marshall, unmarshall } from "@aws-sdk/util-dynamodb";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { packed, unpacked } from "../../../lib/trading/items/items.ts";

const text = fc.oneof(fc.string(), fc.constantFrom("5n", "bigint", '{"bigint":"5"}'));

/** Any content of trading items: amounts up to 256 bits, and texts of users and tokens. */
const { content } = fc.letrec((tie) => ({
  content: fc.oneof(
    { maxDepth: 3 },
    fc.bigInt({ min: -(2n ** 255n), max: 2n ** 256n }),
    fc.boolean(),
    fc.integer(),
    text,
    fc.array(tie("content"), { maxLength: 3 }),
    fc.dictionary(
      text.filter((name) => !["bigint", "__proto__"].includes(name)),
      tie("content"),
    ),
  ),
}));

describe("packed values in the table", () => {
  it("reads a packed value unchanged from the table", () => {
    fc.assert(
      fc.property(content, (value) => {
        const stored = marshall({ value: packed(value) }, { removeUndefinedValues: true });
        expect(unpacked(unmarshall(stored).value)).toEqual(value);
      }),
    );
  });

  it("stores units as text, because DynamoDB's numbers have only 38 digits", () => {
    expect(packed({ amount: 2n ** 256n })).toEqual({ amount: { bigint: String(2n ** 256n) } });
  });
});
