import { describe, expect, it } from "vitest";
import type { ChainState, ServiceState } from "../../../lib/tools/admin/status/service-state.ts";
import { type Deployment, statusLines } from "../../../lib/tools/admin/status/status-lines.ts";
import type { HostLook } from "../../../lib/tools/hosts/report.ts";

const now = new Date("2026-11-18T12:00:00.000Z");
const secondsAgo = (seconds: number) => now.getTime() - seconds * 1000;

const host = (changes: Partial<HostLook> = {}): HostLook => ({
  host: "a.example",
  head: { number: 100, time: secondsAgo(4) / 1000 },
  lagSeconds: 0,
  calls: [{ name: "block latest", bytes: 0, ms: 0 }],
  contracts: [],
  ...changes,
});

const chain = (changes: Partial<ChainState> = {}): ChainState => ({
  chain: "base",
  hosts: [host(), host({ host: "b.example", lagSeconds: 2 })],
  reader: { beatMs: secondsAgo(1), isNeeded: true },
  lanes: 3,
  settling: 2,
  stoppedSince: undefined,
  ...changes,
});

const idle = { beatMs: undefined, isNeeded: false };

const deployment: Deployment = {
  deployed: [
    { name: "TerminalData", state: "UPDATE_COMPLETE", at: "2026-11-17T10:00:00.000Z", isWrong: false },
    { name: "TerminalApi", state: "UPDATE_COMPLETE", at: "2026-11-17T10:05:00.000Z", isWrong: false },
  ],
  brokenKeys: [],
  alarms: 85,
  raised: [],
  waiting: [
    { name: "failed changes", count: 0, unit: "messages", isWrong: false },
    { name: "publishChanges", count: undefined, unit: "seconds", isWrong: false },
  ],
  broadcasts: new Map(),
};

const linesOf = (
  service: Partial<ServiceState> = {},
  changes: Partial<Deployment> = {},
  hasSteadyBlocks = true,
) =>
  statusLines({
    name: "TerminalData",
    now,
    hasSteadyBlocks,
    service: {
      chains: [chain()],
      markets: { beatMs: secondsAgo(2), isNeeded: true },
      alone: [],
      prices: idle,
      ...service,
    },
    deployment: { ...deployment, ...changes },
  });

describe("statusLines", () => {
  it("shows runs that read the markets of one chain, and those that are gone as wrong", () => {
    const alone = [
      { chain: "base", beatMs: secondsAgo(3), isNeeded: true },
      { chain: "eth", beatMs: secondsAgo(31), isNeeded: true },
    ] as const;
    const { lines, wrong } = linesOf({ alone });
    expect(lines).toContain("           of base alone: sign of life 3 s ago");
    expect(wrong).toEqual(["markets: readMarkets of eth alone gave its last sign of life 31 s ago"]);
  });

  it("lists a key that cannot be used as wrong", () => {
    const { wrong } = linesOf({}, { brokenKeys: [{ id: "k1", words: "its state is Disabled" }] });
    expect(wrong).toEqual(["key k1: its state is Disabled"]);
  });

  it("shows how long orders of a chain took until their broadcast", () => {
    const broadcasts = new Map([["base", { p50Ms: 231.4, p95Ms: 420 }]]);
    expect(linesOf({}, { broadcasts }).lines[1]).toMatch(
      /; broadcasts today after 231 ms \(p50\) and 420 ms \(p95\)$/,
    );
  });

  it("shows a sound service on one screen", () => {
    expect(linesOf()).toEqual({
      wrong: [],
      lines: [
        "TerminalData at 2026-11-18T12:00:00.000Z: nothing is wrong",
        "base     block 100, 4 s old; readChains: sign of life 1 s ago; 3 lanes, 2 until their outcome is final",
        "           a.example: 0 s behind",
        "           b.example: 2 s behind",
        "markets  readMarkets: sign of life 2 s ago",
        "prices   feedPrices: not needed",
        "waiting  failed changes: 0 messages; publishChanges: no data",
        "alarms   85, none is on",
        "deploy   TerminalData: UPDATE_COMPLETE, 2026-11-17T10:00:00.000Z",
        "         TerminalApi: UPDATE_COMPLETE, 2026-11-17T10:05:00.000Z",
      ],
    });
  });

  const failed = host({
    head: undefined as never,
    calls: [{ name: "block latest", bytes: 0, ms: 0, problem: { words: "TIMEOUT", isFatal: true } }],
  });
  const behind = host({ lagProblem: { words: "is far behind", isFatal: true } });
  const old = host({ head: { number: 100, time: secondsAgo(61) / 1000 } });
  const raised = { name: "SignatureRefused", since: "2026-11-18T11:50:00.000Z", words: "A function asked." };

  it.each([
    ["a host that fails", { chains: [chain({ hosts: [host(), failed] })] }, {}, "base a.example: TIMEOUT"],
    ["a host that lags", { chains: [chain({ hosts: [behind] })] }, {}, "base a.example: is far behind"],
    [
      "a chain that stands still",
      { chains: [chain({ hosts: [old] })] },
      {},
      "base: its newest block is 61 s old",
    ],
    [
      "lanes of a chain without hosts",
      { chains: [chain({ hosts: [] })] },
      {},
      "base: the context names no hosts, and lanes wait: 3",
    ],
    [
      "a needed reader that never ran",
      { chains: [chain({ reader: { beatMs: undefined, isNeeded: true } })] },
      {},
      "base: readChains is needed and does not run",
    ],
    [
      "a reader without a sign of life",
      { markets: { beatMs: secondsAgo(31), isNeeded: true } },
      {},
      "markets: readMarkets gave its last sign of life 31 s ago",
    ],
    ["an alarm that is on", {}, { raised: [raised] }, "SignatureRefused: A function asked."],
    ["a deployment without alarms", {}, { alarms: 0 }, "alarms: none was found, so nobody is told of faults"],
    [
      "messages in a queue",
      {},
      { waiting: [{ name: "failed changes", count: 2, unit: "messages" as const, isWrong: true }] },
      "failed changes: 2 messages",
    ],
    [
      "a deploy that was rolled back",
      {},
      {
        deployed: [{ name: "TerminalApi", state: "UPDATE_ROLLBACK_COMPLETE", at: undefined, isWrong: true }],
      },
      "TerminalApi: its last deploy ended as UPDATE_ROLLBACK_COMPLETE",
    ],
  ])("names %s as wrong", (_, service, changes, line) => {
    const { lines, wrong } = linesOf(service, changes);
    expect(wrong).toEqual([line]);
    expect(lines[0]).toBe("TerminalData at 2026-11-18T12:00:00.000Z: 1 thing is wrong");
    expect(lines.slice(-2)).toEqual(["wrong", `  ${line}`]);
  });

  it("finds nothing wrong with an old sign of life of a run that nobody needs, or with a stop by an operator", () => {
    const ended = { beatMs: secondsAgo(3600), isNeeded: false };
    const stoppedSince = "2026-11-18T11:00:00.000Z";
    expect(
      linesOf({ markets: ended, chains: [chain({ reader: ended, lanes: 0, stoppedSince })] }).wrong,
    ).toEqual([]);
  });

  it("says in the first line where trading is stopped, and since when", () => {
    const [first, later] = ["2026-11-18T11:00:00.000Z", "2026-11-18T11:30:00.000Z"];
    const head = (...stops: (string | undefined)[]) =>
      linesOf({
        chains: (["base", "eth"] as const).map((name, index) =>
          chain({ chain: name, stoppedSince: stops[index] }),
        ),
      }).lines[0];
    expect(head(later, first)).toMatch(new RegExp(`; trading is stopped on all chains since ${first}$`));
    expect(head(undefined, later)).toMatch(new RegExp(`; trading is stopped on eth since ${later}$`));
  });

  it("expects no blocks of local chains that nobody uses", () => {
    expect(linesOf({ chains: [chain({ hosts: [old] })] }, {}, false).wrong).toEqual([]);
  });
});
