import {
  EventBridgeClient,
  type EventBridgeClientConfig,
  PutEventsCommand,
} from "@aws-sdk/client-eventbridge";
import type { Scope } from "../core/scope.ts";
import { ServiceError } from "../core/service-error.ts";
import { keepDeadline, perAttempt } from "./deadline.ts";
import { maxAttempts, timeouts } from "./timeouts.ts";

/** Source of all notices on the bus. */
export const noticeSource = "trading-terminal";

/** A notice for a user's devices and for operators, who may forward it to users, for example by email. */
export type Notice =
  | {
      type: "WalletExportRequested";
      detail: { userID: string; walletId: string; availableAt: string; thumbprint: string };
    }
  | { type: "ExportUnlockRequested"; detail: { userID: string; unlocksAt: string } }
  | { type: "ExportsUnlocked"; detail: { userID: string } }
  | {
      type: "LooserPolicyRequested";
      detail: { userID: string; walletId: string; effectiveAt: string };
    }
  | { type: "PolicyLoosened"; detail: { userID: string; walletId: string } }
  | {
      type: "ProgramKeyAdded";
      detail: { userID: string; keyId: string; name: string; scopes: readonly Scope[] };
    }
  | { type: "ProgramKeyRevoked"; detail: { userID: string; keyId: string; name: string } }
  | { type: "DeviceAdded"; detail: DeviceFacts }
  | { type: "DeviceRemoved"; detail: DeviceFacts & { leavesAt: string } }
  | {
      type: "OrderFilled" | "OrderRejected" | "RestingOrderEnded";
      detail: { userID: string; orderId: string; [fact: string]: string | undefined };
    };

type DeviceFacts = { userID: string; deviceId: string; kind: "push" | "webhook"; name: string };

/**
 * Makes a function that puts a notice on an EventBridge bus, with an id by which receivers recognize a repeated one.
 *
 * @param arn The ARN of the bus. If undefined, the function does nothing.
 */
export function noticeBus(arn: string | undefined, config: EventBridgeClientConfig = {}) {
  if (arn === undefined) return async () => {};
  const client = new EventBridgeClient({ requestHandler: timeouts, maxAttempts, ...config });
  client.middlewareStack.add(keepDeadline, perAttempt);
  return async ({ type, detail }: Notice, noticeId: string): Promise<void> => {
    const entry = {
      EventBusName: arn,
      Source: noticeSource,
      DetailType: type,
      Detail: JSON.stringify({ ...detail, noticeId }),
    };
    const { FailedEntryCount } = await client.send(new PutEventsCommand({ Entries: [entry] }));
    if (FailedEntryCount) throw new ServiceError("The bus rejected a notice", { code: "NOTICE_REFUSED" });
  };
}
