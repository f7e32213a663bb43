import { describe, expect, it } from "vitest";
import { logJupiter } from "../../lib/runtime/log.ts";
import { type AlarmProperties, type Feed, statesOf } from "./alarm-states.ts";
import { ownHosts, propertiesOf, resourcesOf, synthesize, watchOf } from "./synthesized.ts";

const hosts = ["https://rpc.example", "https://other.example"];
const jupiter = { url: "https://api.jup.example/swap/v2/build" };
const alarmOf = (sol: object) => {
  const template = watchOf(synthesize({ trading: ["sol"], chains: { ...ownHosts, sol: { hosts, ...sol } } }));
  const alarms = Object.entries(resourcesOf<AlarmProperties>(template, "AWS::CloudWatch::Alarm"));
  return { template, alarm: alarms.find(([id]) => id.startsWith("AlarmsJupiterRefusing"))?.[1].Properties };
};

type Counts = Parameters<typeof logJupiter>[1];

/** Feeds the same counts in each minute. */
const each =
  ({ asked, refused, limited }: Counts): Feed =>
  ({ MetricName }) => {
    const counts: Record<string, number> = {
      JupiterAsked: asked,
      JupiterRefused: refused,
      JupiterLimited: limited,
    };
    return (minute) => (minute >= 0 ? counts[MetricName] : undefined);
  };

describe("the alarm JupiterRefusing", () => {
  const { template, alarm } = alarmOf({ jupiter });

  it.each<[string, Counts, boolean]>([
    ["all requests are refused", { asked: 10, refused: 10, limited: 0 }, true],
    ["one request of ten is not refused", { asked: 10, refused: 9, limited: 0 }, false],
    ["few requests are made, and all refused", { asked: 1, refused: 1, limited: 0 }, false],
    ["many requests are too many", { asked: 10, refused: 0, limited: 4 }, true],
    ["a few requests are too many", { asked: 10, refused: 0, limited: 1 }, false],
    ["nothing is asked", { asked: 0, refused: 0, limited: 0 }, false],
  ])("is on only for enough 400s or 429s: while %s", (_, counts, isRaised) => {
    const states = statesOf(alarm as AlarmProperties, each(counts), 300);
    expect(states.includes("ALARM")).toBe(isRaised);
  });

  it("adds up the lines of the three functions that ask Jupiter", () => {
    const filters = propertiesOf<{
      FilterPattern: string;
      LogGroupName: { Ref: string };
      MetricTransformations: { MetricName: string; MetricValue: string }[];
    }>(template, "AWS::Logs::MetricFilter");
    const lines: unknown[] = [];
    const { info } = console;
    console.info = (line) => void lines.push(line);
    logJupiter("quoteOrder", { asked: 3, refused: 2, limited: 1 });
    console.info = info;
    const [line] = lines as [Record<string, unknown>];
    for (const field of ["asked", "refused", "limited"]) {
      const found = filters.filter(
        ({ MetricTransformations: [metric] }) => metric?.MetricValue === `$.message.${field}`,
      );
      expect(found.map(({ LogGroupName: { Ref } }) => Ref.replace(/Log[0-9A-F]{8}$/, ""))).toEqual([
        "quoteOrder",
        "placeOrder",
        "executeOrders",
      ]);
      for (const { FilterPattern } of found)
        expect(FilterPattern).toBe(`{ $.message.event = "${line.event}" }`);
      expect(line[field]).toBeGreaterThan(0);
    }
  });

  it("exists, and costs, only where Jupiter is configured", () => {
    expect(alarmOf({}).alarm).toBeUndefined();
  });
});
