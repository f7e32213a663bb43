import { describe, expect, it } from "vitest";
import {
  mostPresets,
  type OwnPreset,
  readPresets,
  renamed,
  without,
  withPreset,
  wrongName,
} from "../../app/ticket/own-presets.ts";

const preset = (name: string, given = "0.1"): OwnPreset => ({
  name,
  side: "buy",
  given,
  unit: "amount",
  exits: [{ percent: "100", gain: "100", loss: "", isTrailing: false }],
});

const names = (presets: readonly OwnPreset[]) => presets.map(({ name }) => name);

describe("a user's own presets", () => {
  it("are saved, replaced, renamed and deleted by their names", () => {
    const two = withPreset(withPreset([], preset("small")), preset("large", "5"));
    expect(names(two)).toEqual(["small", "large"]);
    expect(withPreset(two, preset("small", "0.2")).map(({ given }) => given)).toEqual(["0.2", "5"]);
    expect(names(renamed(two, "small", "tiny"))).toEqual(["tiny", "large"]);
    expect(names(without(two, "small"))).toEqual(["large"]);
  });

  it("are few", () => {
    const many = Array.from({ length: mostPresets }, (_, index) => preset(`${index}`));
    expect(withPreset(many, preset("one more"))).toEqual(many);
  });

  it("have names of their own", () => {
    expect(wrongName("large", [preset("small")])).toBeUndefined();
    expect(["", " ", "small", "x".repeat(25)].map((name) => wrongName(name, [preset("small")]))).toEqual(
      Array.from({ length: 4 }, () => expect.any(String)),
    );
  });

  it("survive the browser, and whatever else is found there", () => {
    const kept = [preset("small")];
    expect(readPresets(JSON.stringify(kept))).toEqual(kept);
    for (const spoilt of [undefined, "", "{", "null", "{}", "[null, 1, {}]"])
      expect(readPresets(spoilt)).toEqual([]);
    expect(names(readPresets(JSON.stringify([{ ...kept[0], given: "all" }, preset("good")])))).toEqual([
      "good",
    ]);
    expect(readPresets(JSON.stringify([{ ...kept[0], exits: [{}] }]))).toEqual([]);
  });
});
