import { EventBridgeClient, PutEventsCommand } from "@aws-sdk/client-eventbridge";
import { mockClient } from "aws-sdk-client-mock";
import { beforeEach, describe, expect, it } from "vitest";
import { noticeBus } from "../../lib/aws/notice-bus.ts";

const bus = mockClient(EventBridgeClient);
const arn = "arn:aws:events:us-east-1:000000000000:event-bus/notices";
const detail = {
  userID: "ann",
  walletId: "w1",
  availableAt: "2026-11-22T10:00:00.000Z",
  thumbprint: "t".repeat(43),
};
const notice = { type: "WalletExportRequested", detail } as const;

beforeEach(() => bus.reset());

describe("noticeBus", () => {
  it("puts a notice on the bus", async () => {
    bus.on(PutEventsCommand).resolves({ FailedEntryCount: 0 });
    await noticeBus(arn, { region: "us-east-1" })(notice, "n1");
    expect(bus.commandCalls(PutEventsCommand)[0]?.args[0].input).toEqual({
      Entries: [
        {
          EventBusName: arn,
          Source: "trading-terminal",
          DetailType: "WalletExportRequested",
          Detail: JSON.stringify({ ...detail, noticeId: "n1" }),
        },
      ],
    });
  });

  it("throws if the bus refuses a notice", async () => {
    bus.on(PutEventsCommand).resolves({ FailedEntryCount: 1 });
    await expect(noticeBus(arn, { region: "us-east-1" })(notice, "n1")).rejects.toMatchObject({
      name: "NoticeRefused",
    });
  });

  it("sends nothing if no bus is configured", async () => {
    await noticeBus(undefined)(notice, "n1");
    expect(bus.calls()).toEqual([]);
  });
});
