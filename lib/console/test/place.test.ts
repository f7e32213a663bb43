import { describe, expect, it } from "vitest";
import { placeIn, withPlace } from "../app/place.ts";

const moon = "0x5409e03Dda8614EFE68ACFB5d2DaD1A351Cb5094";
const byDefault = { chain: "eth", token: "", interval: "1m" };

describe("the place in the page's address", () => {
  it("is read as it was written, and other parameters stay", () => {
    const place = { chain: "bsc", token: moon, interval: "4h" } as const;
    const search = withPlace("?theme=dark&interval=1m", place);
    expect(placeIn(search)).toEqual(place);
    expect(new URLSearchParams(search).get("theme")).toBe("dark");
  });

  it("is the default where the address names none", () => {
    expect(placeIn("")).toEqual(byDefault);
    expect(placeIn("?code=1&state=2")).toEqual(byDefault);
    expect(placeIn("?chain=sol")).toEqual({ ...byDefault, chain: "sol" });
  });

  it.each([
    ["?chain=doge", "no known chain: “doge”"],
    ["?chain=toString", "no known chain"],
    [`?token=${moon}`, "without its chain"],
    [`?chain=sol&token=${moon}`, "no token of Solana"],
    ["?chain=eth&token=<b>", "no token of Ethereum: “<b>”"],
    [`?chain=eth&token=${"9".repeat(5000)}`, `“${"9".repeat(50)}…”`],
  ])("is the default, with the reason, for %s", (search, reason) => {
    const { problem, ...place } = placeIn(search);
    expect(place).toEqual(byDefault);
    expect(problem).toContain(reason);
  });

  it("keeps the token if only the interval is wrong", () => {
    const { problem, ...place } = placeIn(`?chain=eth&token=${moon}&interval=7m`);
    expect(place).toEqual({ chain: "eth", token: moon, interval: "1m" });
    expect(problem).toContain("“7m”");
  });
});
