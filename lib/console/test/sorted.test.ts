import { describe, expect, it } from "vitest";
import { sorted } from "../app/sorted.ts";

const names = (rows: readonly { name: string }[]) => rows.map(({ name }) => name).join("");
const rows = [
  { name: "a", value: 2 },
  { name: "b", value: Number.NaN },
  { name: "c", value: 1 },
  { name: "d", value: 2 },
];
const byValue = ({ value }: { value: number }) => value;

describe("sorted", () => {
  it("keeps the order of equal values, and puts unknown ones last both ways", () => {
    expect(names(sorted(rows, byValue, true))).toBe("cadb");
    expect(names(sorted(rows, byValue, false))).toBe("adcb");
    expect(names(sorted(rows, ({ name }) => (name === "a" ? "" : name), true))).toBe("bcda");
  });

  it("changes nothing without a value to sort by", () => {
    expect(names(sorted(rows, undefined, true))).toBe("abcd");
  });

  it("puts some rows after all others, sorted or not", () => {
    const isLast = ({ name }: { name: string }) => "ac".includes(name);
    expect(names(sorted(rows, undefined, true, isLast))).toBe("bdac");
    expect(names(sorted(rows, byValue, true, isLast))).toBe("dbca");
    expect(names(sorted(rows, byValue, false, isLast))).toBe("dbac");
  });
});
