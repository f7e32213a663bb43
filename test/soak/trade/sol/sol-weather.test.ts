import { describe, expect, it } from "vitest";
import { createChance } from "../../chance.ts";
import { planSolWeather } from "./sol-weather.ts";

describe("planSolWeather", () => {
  it("includes every spell in a run of 50 orders and ends each before the next begins", () => {
    const changes = planSolWeather(50, createChance("1"));
    const begun = changes.filter(({ isEnd }) => !isEnd).map(({ spell }) => spell);
    expect(new Set(begun).size).toBe(17);
    const lasting = new Set(changes.filter(({ isEnd }) => isEnd).map(({ spell }) => spell));
    const starts = changes.filter(({ spell }) => lasting.has(spell));
    // The last spell may last until the end of the run.
    expect(starts.slice(0, -1).every(({ isEnd }, index) => isEnd === (index % 2 === 1))).toBe(true);
  });
});
