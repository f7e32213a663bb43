import { describe, expect, it, onTestFinished } from "vitest";
import { main } from "../../../lib/tools/runner/price.ts";
import { startRpcServer } from "../../support/json-rpc-server.ts";
import { stdioForTests } from "./support/stdio.ts";

describe("npm run price", () => {
  const eth = ["--chain", "eth"];

  it.each<[string[], number, RegExp]>([
    [["MOON", "-10%"], 2, /required option '--chain <name>' not specified/],
    [["MOON", ...eth], 2, /missing required argument 'change'/],
    [["-10%", ...eth], 2, /missing required argument 'change'/],
    [["MOON", "-10%", "--chain", "btc"], 2, /Allowed choices are eth, base, bsc, avax, sol/],
    ...["10%", "-10", "+0%", "-100%", "-99.5%", "+1001%", "-1e1%", "+NaN%"].map(
      (change): [string[], number, RegExp] => [
        ["MOON", change, ...eth],
        2,
        /Give a change from -99% to \+1000%/,
      ],
    ),
    [["MOON", "-10%", ...eth, "--over", "0"], 2, /Give a whole number of seconds/],
    [["MOON", "-10%", ...eth, "--over", "-3"], 2, /Give a whole number of seconds/],
    [["MOON", "-10%", ...eth, "--blocks", "2"], 2, /Allowed choices are 1/],
    [["MOON", "-10%", ...eth, "--blocks", "1", "--over", "3"], 2, /cannot be used with option '--over/],
    [["MOON", "-10%", ...eth, "--chain-port", "65530"], 2, /Give a port, 0 to 65517/],
    [["BEND", "-10%", ...eth], 2, /eth has no token BEND\. Give its address, or one of MOON, USDX/],
    [["STAR", "-10%", "--chain", "sol"], 2, /sol has no token STAR\. .*MOON, FEEZ, .*GRAD/],
    [["MOON", "-10%", ...eth, "--port", "1"], 1, /^No runner answers at http:\/\/127\.0\.0\.1:1\. /],
    [
      ["MOON", "-10%", ...eth, "--chain-port", "1"],
      1,
      /^No local chain eth answers at http:\/\/127\.0\.0\.1:1\./,
    ],
  ])("explains the failure of %j, and exits with %d", async (args, status, line) => {
    const stdio = stdioForTests();
    expect(await main(args, stdio)).toBe(status);
    expect(stdio.printed.err).toMatch(line);
    expect(stdio.printed.out).toBe("");
  });

  it("sends nothing to a host on this machine that is no local chain", async () => {
    const host = await startRpcServer({
      eth_chainId: "0x1",
      eth_getCode: "0x60",
      eth_sendTransaction: "0x1",
    });
    onTestFinished(() => host.stop());
    const stdio = stdioForTests();
    expect(await main(["MOON", "-10%", ...eth, "--chain-port", new URL(host.url).port], stdio)).toBe(1);
    expect(stdio.printed.err).toMatch(/^No local chain eth answers at /);
    expect(host.requests.flat().map(({ method }) => method)).toEqual([
      ...["anvil_nodeInfo", "eth_chainId", "eth_getCode"],
    ]);
  });
});
