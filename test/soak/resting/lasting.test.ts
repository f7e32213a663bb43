import { describe, expect, it } from "vitest";
import { lasting } from "./lasting.ts";

describe("lasting", () => {
  it("reports what each look finds, and nothing that a look misses", async () => {
    const looks = [["a rests", "b fires"], ["a rests"], ["a rests", "c fires"]];
    const find = async () => looks.shift() ?? ["a rests", "b fires"];
    expect(await lasting(find, 20, 1)).toEqual(["a rests"]);
  });

  it("ends once nothing has lasted", async () => {
    let looks = 0;
    const find = async () => [`order ${looks++} fires`];
    expect(await lasting(find, 60_000, 1)).toEqual([]);
    expect(looks).toBe(2);
  });
});
