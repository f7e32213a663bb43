import { describe, expect, it } from "vitest";
import { alarmWarnings } from "../../lib/infra/alarm-context.ts";

const topic = "arn:aws:sns:eu-west-1:111111111111:alarms";

describe("alarmWarnings", () => {
  it("warns if chains trade and no alarm notifies anybody", () => {
    const [warning, ...others] = alarmWarnings({
      alarmTopicArn: undefined,
      ticketTopicArn: undefined,
      trading: { eth: {} },
    });
    expect(warning).toMatch(/^Context alarmTopicArn is missing: chains trade/);
    expect(others).toEqual([]);
  });

  it("warns of nothing with a topic, or while no chain trades", () => {
    const none = { alarmTopicArn: undefined, ticketTopicArn: undefined };
    expect(alarmWarnings({ ...none, alarmTopicArn: topic, trading: { eth: {} } })).toEqual([]);
    expect(alarmWarnings({ ...none, trading: {} })).toEqual([]);
  });
});
