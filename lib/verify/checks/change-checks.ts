import { setTimeout as pause } from "node:timers/promises";
import { byHand, type CheckGroup, expectSame, expectThat, Refuted, Skip } from "../check.ts";
import type { Run } from "../run.ts";
import { type Message, read } from "../socket.ts";

/** Longer than a cold start of each function on the way. */
const arrivalMs = 20_000;

/** Long enough that a run of feedPrices ends in it. */
const watchMs = 75_000;

/** The longest time between two prices. There is one a second if the market moves. */
const gapMs = 10_000;

/** The changes of the table, and the prices. */
export const changeChecks: CheckGroup<Run> = {
  title: "Changes and prices",
  checks: [
    {
      says: "Lambda reads the change stream, and its filter passes settings on to publishChanges",
      async run(run) {
        const { token } = await run.user();
        const socket = await run.connect({ token });
        const body = { slippage: 1.5 };
        const { status, text } = await run.http.send("POST", "/updateTradingSettings/eth", { token, body });
        expectThat(status === 200, `The answer is ${status} ${text}`);
        await socket.message({ type: "TradingSettingsUpdated" }, run.patience(arrivalMs));
      },
    },
    {
      says: "Both mappings of the change stream are enabled, and their last run succeeded",
      async run({ service: { deployed } }) {
        if (deployed === undefined) throw new Skip("the local runner has no such status");
        for (const name of ["publishChanges", "mirrorPlans"] as const) {
          const [mapping, ...others] = await deployed.mappingsOf(name);
          expectSame(`The number of mappings of ${name}`, others.length + (mapping ? 1 : 0), 1);
          expectSame(`The state of ${name}'s mapping`, mapping?.state, "Enabled");
          const { result = "" } = mapping ?? {};
          expectThat(!result.startsWith("PROBLEM"), `The last run of ${name} ended with: ${result}`);
        }
      },
    },
    {
      says: "Each run of feedPrices takes over from the previous one without a gap",
      slow: true,
      async run(run) {
        const { deployed } = run.service;
        const feeds = (await deployed?.environmentOf("feedPrices"))?.PRICE_FEEDS;
        if (feeds === "[]") throw new Skip("this deployment has no price feeds");
        const socket = await run.connect(await run.user());
        socket.send({ type: "subscribe", channels: ["prices"] });
        const begin = Date.now();
        await pause(watchMs, undefined, { signal: run.signal });
        const times = socket.received.map(read).flatMap((message) => newestIn(message) ?? []);
        if (times.length === 0) throw new Refuted("No price came");
        const all = [begin, ...times, Date.now()];
        const gaps = all.slice(1).map((time, index) => time - (all[index] ?? time));
        const longest = Math.max(...gaps);
        expectThat(longest < gapMs, `For ${Math.round(longest / 1000)} s there was no newer price`);
      },
    },
    byHand("Lambda gives a failed batch up to the queue with sqs:SendMessage alone"),
  ],
};

/** The time of the newest price in an update, in milliseconds since the epoch. */
function newestIn(message: Message | undefined): number | undefined {
  if (message?.type !== "update" || message.channel !== "prices") return undefined;
  return Math.max(...(message.data as { asOf: string }[]).map(({ asOf }) => Date.parse(asOf)));
}
