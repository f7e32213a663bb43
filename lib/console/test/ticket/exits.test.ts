import { describe, expect, it } from "vitest";
import {
  type ExitText,
  exitsFrom,
  exitsSentence,
  freshExit,
  textsOfExits,
  wrongExit,
  wrongExits,
} from "../../app/ticket/exits.ts";

const exit: ExitText = { percent: "50", gain: "100", loss: "30", isTrailing: false };
const trail: ExitText = { percent: "25", gain: "", loss: "20", isTrailing: true };

describe("the exits of a buy", () => {
  it("become the request's, and can be read back", () => {
    const exits = exitsFrom([exit, trail]);
    expect(exits).toEqual([
      { percent: 50, takeProfit: { percent: 100 }, stopLoss: { percent: -30 } },
      { percent: 25, trailing: { trailPercent: 20 } },
    ]);
    expect(textsOfExits(exits)).toEqual([exit, trail]);
  });

  it("say in one sentence what is sold when, and what is kept", () => {
    expect(exitsSentence([exit, trail])).toBe(
      "Then sells 50 % of it 100 % above the price paid or 30 % below the price paid, and 25 % of it 20 % below its highest since, and keeps 25 %.",
    );
    expect(exitsSentence([{ ...exit, percent: "100" }])).not.toContain("keeps");
    expect(exitsSentence([])).toBe("");
  });

  it("start with what the others leave", () => {
    expect(freshExit([]).percent).toBe("100");
    expect(freshExit([exit, trail]).percent).toBe("25");
  });

  it("may sell at most everything", () => {
    expect(wrongExits([exit, exit])).toBeUndefined();
    expect(wrongExits([exit, exit, trail])).toContain("125 %");
    expect(
      wrongExits([
        { ...exit, percent: "33.3333" },
        { ...exit, percent: "66.6667" },
      ]),
    ).toBeUndefined();
  });

  it.each<[Partial<ExitText>, string]>([
    [{ percent: "0" }, "percent"],
    [{ percent: "" }, "percent"],
    [{ percent: "101" }, "percent"],
    [{ percent: "1,5" }, "percent"],
    [{ gain: "0" }, "gain"],
    [{ gain: "100001" }, "gain"],
    [{ loss: "96" }, "loss"],
    [{ loss: "-30" }, "loss"],
    [{ gain: "", loss: "" }, "gain"],
    [{ loss: "2", isTrailing: true }, "loss"],
    [{ loss: "91", isTrailing: true }, "loss"],
  ])("say at the field what is wrong with %j", (change, field) => {
    expect(Object.keys(wrongExit({ ...exit, ...change }))).toEqual([field]);
    expect(wrongExits([{ ...exit, ...change }])).toBeDefined();
  });
});
