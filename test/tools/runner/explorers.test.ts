import { describe, expect, it } from "vitest";
import { explorersFor } from "../../../lib/tools/runner/explorers.ts";

describe("explorersFor", () => {
  it("names the public block explorer of each chain", () => {
    expect(explorersFor([], {})).toEqual({
      eth: "https://etherscan.io",
      base: "https://basescan.org",
      bsc: "https://bscscan.com",
      avax: "https://snowtrace.io",
      sol: "https://solscan.io",
    });
  });

  it("names no explorer for a local chain unless configured", () => {
    expect(explorersFor(["sol", "eth"], {})).not.toHaveProperty("sol");
    const site = "http://127.0.0.1:5100";
    expect(explorersFor(["sol"], { sol: site, base: site })).toMatchObject({ sol: site, base: site });
  });
});
