import type { Address } from "@solana/web3.js";
import { describe, expect, it } from "vitest";
import { cpmmConfigOf } from "../../../../lib/chains/sol/calls/cpmm-addresses.ts";
import { cpmmConfigsOf } from "../../../../lib/chains/sol/calls/cpmm-configs.ts";

const hour = 3_600_000;
const all = await Promise.all(Array.from({ length: 16 }, (_, index) => cpmmConfigOf(index)));
const [first, second] = all as [Address, Address];

describe("cpmmConfigsOf", () => {
  it("reads the first sixteen configurations until two looks have shown which of them exist", async () => {
    const configs = cpmmConfigsOf({});
    expect(await configs.toRead(0)).toEqual(all);
    configs.note({ configs: [first] });
    expect(await configs.toRead(1)).toEqual(all);
    configs.note({ configs: [first] });
    expect(await configs.toRead(2)).toEqual([first]);
  });

  it("lets no host hide a configuration that another one shows", async () => {
    const configs = cpmmConfigsOf({});
    await configs.toRead(0);
    for (const shown of [[], [second], [first]]) configs.note({ configs: shown });
    expect(await configs.toRead(1)).toEqual([first, second]);
  });

  it("keeps reading all of them while hosts show none", async () => {
    const configs = cpmmConfigsOf({});
    await configs.toRead(0);
    for (let look = 0; look < 3; look++) configs.note({ configs: [] });
    expect(await configs.toRead(1)).toEqual(all);
  });

  it("finds out again after an hour", async () => {
    const configs = cpmmConfigsOf({});
    await configs.toRead(0);
    for (let look = 0; look < 2; look++) configs.note({ configs: [first] });
    expect(await configs.toRead(hour - 1)).toEqual([first]);
    expect(await configs.toRead(hour)).toEqual(all);
  });

  it("keeps one memory for each setup, which may name the only configurations", async () => {
    const setup = { cpmmConfigs: [1] };
    expect(cpmmConfigsOf(setup)).toBe(cpmmConfigsOf(setup));
    expect(await cpmmConfigsOf(setup).toRead(0)).toEqual([second]);
    expect(cpmmConfigsOf({})).not.toBe(cpmmConfigsOf({}));
  });
});
