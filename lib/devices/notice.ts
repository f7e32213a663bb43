import * as v from "valibot";
import { noticeSource } from "../aws/notice-bus.ts";
import type { Device, NoticeChoice } from "./device.ts";

/** A notice for one user's devices. */
export type OwnNotice = {
  /** Id of the notice. It is the same in each repetition, so that receivers recognize repeated notices. */
  id: string;
  userID: string;
  type: string;
  time: string;
  data: Readonly<Record<string, unknown>>;
};

/** Types of notices that users choose. All others concern custody. */
const choiceOf: Readonly<Record<string, NoticeChoice>> = {
  OrderFilled: "fills",
  OrderRejected: "rejections",
  RestingOrderEnded: "resting",
};

/** The event of EventBridge with a notice of publishChanges. */
export const NoticeEvent = v.pipe(
  v.object({
    source: v.literal(noticeSource),
    "detail-type": v.string(),
    time: v.string(),
    detail: v.looseObject({ userID: v.string(), noticeId: v.string() }),
  }),
  v.transform(({ "detail-type": type, time, detail: { userID, noticeId: id, ...data } }): OwnNotice => {
    return { id, userID, type, time, data };
  }),
);

/**
 * True if a device gets a notice. A device that is leaving gets only notices about custody, and a new device is
 * announced to the others.
 */
export function isFor({ deviceId, wants, leavesAt }: Device, { type, data }: OwnNotice): boolean {
  const choice = choiceOf[type];
  if (choice !== undefined) return wants[choice] && leavesAt === undefined;
  return !(type === "DeviceAdded" && data.deviceId === deviceId);
}

/** True if a notice concerns custody. */
export const isOfCustody = ({ type }: OwnNotice): boolean => choiceOf[type] === undefined;

/** Body that devices are sent. It has the same fields for browsers and webhooks, as Standard Webhooks names them. */
export const payloadOf = ({ id, type, time, data }: OwnNotice): string =>
  JSON.stringify({ id, type, timestamp: time, data });
